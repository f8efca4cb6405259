"""A user's table with an installed package in an empty folder: one command gives an answer and a model."""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


def mixed(n=500):
    """Return rows with an id, dates, categories and missing values, and a label that depends on some of these."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    city = rng.choice(["Aachen", "Bonn", "Köln"], n)
    joined = pd.date_range("2020-01-01", periods=n).strftime("%d.%m.%Y")
    table = pd.DataFrame({"customer_id": range(1000, 1000 + n), "joined": joined, "city": city, "plan": "basic"})
    table[list("abcd")] = X.round(3)
    table["churned"] = np.where(X[:, 0] + 2 * (city == "Aachen") + rng.normal(size=n) / 2 > 0.7, "yes", "no")
    table.loc[::9, "d"] = np.nan
    return table


def numbers(n=800):
    """Return rows with a numeric target that depends on a rotated column."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(n, 5))
    table = pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(5)]).assign(kind=rng.choice(["u", "v"], n))
    table["price"] = (100 * np.abs(X[:, 0] - X[:, 1]) + 20 * X[:, 2] + rng.normal(size=n)).round(2)
    return table


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the environment of a package laid out as its wheel is (tests/test_packaging.py), not as this checkout."""
    site = tmp_path_factory.mktemp("installed")
    shutil.copytree(ROOT / "src", site, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    inside = site / "rotastack/_project"
    for name in ("config", "workflow", "workflow/profiles"):
        shutil.copytree(ROOT / name, inside / Path(name).name)
    shutil.copy(ROOT / "Snakefile", inside)
    return {**os.environ, "PYTHONPATH": str(site)}


def call(environment, folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "rotastack", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done


def test_a_table_of_classes_from_an_empty_folder(installed, tmp_path):
    mixed().to_csv(tmp_path / "customers.csv", index=False, sep=";", encoding="latin-1")
    done = call(installed, tmp_path, "run", "customers.csv", "--target", "churned", "--size", "small", "--cores", "2")
    screen = done.stdout
    for words in [
        "500 rows x 9 columns of customers.csv (semicolons, latin-1)",
        "churned: classification (text, 2 values)",
        "4 numeric (a, b, c, d)",
        "1 date (joined)",
        "1 categorical (city)",
        "customer_id: id: by its name",
        "plan: constant",
        "d 11%",
        "3-fold cross-validation",
        "on 2 cores",
        "predicting the majority class",
        "results/customers/report.html",
        "results/customers/customers/model/model.skops, MLflow",
        "rotastack predict --study customers NEW_ROWS.csv",
    ]:
        assert words in screen, words
    assert len(screen.splitlines()) < 38
    assert "has the largest effect that is shown" in (tmp_path / "results/customers/report.html").read_text()
    assert {path.stem for path in (tmp_path / "results/customers/figures/study").iterdir()} == {"calibration"}

    new = mixed(40).drop(columns=["churned", "plan", "customer_id"])[["city", "joined", *"dcba"]]
    foreign, known = new.assign(city="Wien"), new.assign(city="Aachen")
    pd.concat([foreign, known]).to_excel(tmp_path / "new.xlsx", index=False)
    done = call(installed, tmp_path, "predict", "--study", "customers", "new.xlsx", "--proba")
    found = pd.read_csv(io.StringIO(done.stdout))
    np.testing.assert_allclose(found[["probability=no", "probability=yes"]].sum(axis=1), 1)
    assert "'city': 40 of 80 rows have a category" in done.stderr
    # Wien is a new category, so its prediction is less certain than that of Aachen, the first category.
    assert found["probability=yes"][40:].mean() - found["probability=yes"][:40].mean() > 0.1

    # The repeated command trains no method and gives the same answer; the folder may be moved.
    again = call(installed, tmp_path, "run", "customers.csv", "--target", "churned", "--size", "small", "--json")
    answer = json.loads(again.stdout)
    assert answer["verdict"][0] in screen
    assert answer["table"]["dropped"].keys() == {"customer_id", "plan"}
    moved = tmp_path.with_name("moved")
    tmp_path.rename(moved)
    tmp_path.mkdir()
    after = call(installed, moved, "predict", "--study", "customers", "new.xlsx", "--proba")
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(after.stdout)), found)
    assert "results/customers/report.html" in call(installed, moved, "report", "customers").stdout


def test_a_table_of_numbers(installed, tmp_path):
    numbers().to_parquet(tmp_path / "prices.parquet", index=False)
    few = ("--size", "small", "--methods", "Rotastack, Random forest, Ridge", "--cores", "2")
    done = call(installed, tmp_path, "run", "prices.parquet", "--target", "price", *few)
    assert "predicting the mean" in done.stdout
    scores = pd.read_parquet(tmp_path / "results/prices/scores.parquet")
    assert scores.groupby("method")["r2"].mean().drop("Ridge").min() > 0.8  # no line follows |a - b|
    assert 0.8 < scores[scores["method"] == "Rotastack"]["interval_coverage"].mean() < 1
    numbers().drop(columns="price").head(5).to_json(tmp_path / "new.jsonl", orient="records", lines=True)
    found = pd.read_csv(io.StringIO(call(installed, tmp_path, "predict", "--study", "prices", "new.jsonl").stdout))
    np.testing.assert_allclose(found["prediction"], numbers()["price"][:5], atol=15)


def test_a_wide_table_of_an_odd_name_is_prepared(installed, tmp_path):
    """What steps are told of it is longer than an argument of a process, and its name looks like a growing wildcard."""
    rng, file = np.random.default_rng(0), f"export_{'0' * 20}.csv"
    table = pd.DataFrame(rng.integers(0, 3, (60, 200)), columns=[f"{j} {'x' * 700}" for j in range(200)])
    table.assign(y=np.where(rng.random(60) < 0.5, "u", "v")).to_csv(tmp_path / file, index=False)
    methods = ("--methods", "Extra trees, Random forest")
    call(installed, tmp_path, "run", file, "--target", "y", "--size", "small", *methods, "--", "--until", "groups")
    (folds,) = tmp_path.glob(f"results/export_{'0' * 20}-*/*/folds.parquet")
    assert len(folds.read_bytes())
    assert max(len(path.read_bytes()) for path in (tmp_path / "studies").iterdir()) > 2**17
