"""The study of 21 regressors on a folder of data sets with given splits, and the numbers that are kept of it."""

import importlib
import re
import sys

import numpy as np
import pandas as pd
import pytest
from tests.workflow.project import ROOT, Project

from rotastack.base.documents import load_yaml
from rotastack.project import project_file

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

METHODS = [m for of in load_yaml(project_file("config/published/srbench2021.yaml"))["families"].values() for m in of]
SETS = (
    "195_auto_price",
    "579_fri_c0_250_5",
    "611_fri_c3_100_5",
    "663_rabe_266",
    "1089_USCrime",
    "1096_FacultySalaries",
    "210_cloud",
)
FAILED = SETS[3]


def folder_of(path, study):
    """Write a mirror folder for the study: lines with noise, one row of which is far off, and scores."""
    rng = np.random.default_rng(0)
    path.mkdir()
    for entry in study:
        n = entry["rows"]
        X = rng.normal(size=(n, 3))
        y = X[:, 0] + 0.1 * rng.normal(size=n)
        y[0] = 100.0
        tests = [rng.permutation(n)[: n // 4] for _ in range(10)]
        folds = {f"f{2 * s}": np.setdiff1d(np.arange(n), test) for s, test in enumerate(tests)}
        folds |= {f"f{2 * s + 1}": np.sort(test) for s, test in enumerate(tests)}
        np.savez(path / f"{entry['mirror']}.npz", X=X, y=y, columns=np.array(["u", "v", "w"]), **folds)
    names = [entry["mirror"] for entry in study]
    table = pd.DataFrame(rng.uniform(-1, 0.5, (len(names), len(METHODS))).round(4), names, METHODS)
    table["Operon"] = 0.999999
    table.loc[FAILED, "AIFeynman"] = np.nan
    long = table.rename_axis(index="dataset", columns="algorithm").stack().rename("r2_test").reset_index()
    long.assign(rmse_test=1.0, seconds=2.0, model_size=3).dropna().to_csv(path / "published.csv", index=False)
    return table


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The study with few data sets and few trees."""
    file = "config/studies/srbench2021.yaml"
    with Project.with_mirror(tmp_path_factory.mktemp("given")) as project:
        with project.rewritten(file) as study:
            study["datasets"] = [entry for entry in study["datasets"] if entry["name"] in SETS]
            study["pools"]["rotastack"]["parameters"] = {"trees_per_family": 5}
            for name in ("rotation_forest", "forest"):
                study["pools"][name].setdefault("parameters", {})["n_estimators"] = 5
            del study["sizes"]
        table = folder_of(project.folder / "mirror", study["datasets"])
        project.make("results/srbench2021/report.html", study=file)
    return project.folder, table


def test_our_scores_are_medians_over_the_given_splits(ran):
    folder, table = ran
    root = folder / "results/srbench2021"
    scores = pd.read_parquet(root / "scores.parquet")
    assert scores.groupby(["dataset", "method"]).size().eq(10).all()
    split = pd.read_parquet(root / "663_rabe_266/folds.parquet").iloc[:, 9]
    assert (np.flatnonzero(split == 0) == np.load(folder / "mirror/663_rabe_266.npz")["f19"]).all()
    medians = scores.pivot_table(index="dataset", columns="method", values="r2", aggfunc="median")
    printed = pd.read_csv(root / "tables/r2.csv", index_col="dataset")
    assert (printed - medians).abs().max(axis=None) < 1e-9
    columns = pd.read_csv(root / "tables/published_columns.csv").set_index(["dataset", "of"])
    assert columns.loc[(SETS[0], "XGB"), "score"] == table.loc[SETS[0], "XGB"]
    assert columns.loc[(FAILED, "AIFeynman"), "score"] == pytest.approx(table.loc[FAILED].mean())
    ranks = pd.read_csv(root / "tables/published_ranks.csv").set_index("method")
    assert ranks.index[0] == "Operon (2021)"
    filled = table.T.fillna(table.mean(axis=1)).T.add_suffix(" (2021)").join(medians)
    by_hand = filled.rank(axis=1, ascending=False).mean()
    assert ranks["average_rank"].to_dict() == pytest.approx(by_hand.to_dict())
    page = (root / "report.html").read_text()
    assert "Median R² over all splits" in page
    row = page.split('id="board-scores"')[1].split(f'<th scope="row">{SETS[0]}</th>')[1].split("</tr>")[0]
    shown = [float(text) for text in re.findall(r">(-?[\d.]+)<small", row)]
    assert sorted(shown) == pytest.approx(sorted(medians.loc[SETS[0]]), abs=6e-4)
    assert not re.search("Calibration|log loss|Brier|>Errors<", page)


def test_the_kept_numbers_and_their_tables_are_of_the_study(ran, tmp_path, monkeypatch):
    folder, table = ran
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    monkeypatch.setenv("DATA_MIRROR", str(folder / "mirror"))
    condense, condensed, regressors = (
        importlib.import_module(name) for name in ("srbench2021", "tables.condensed", "tables.regressors")
    )
    monkeypatch.setattr(condense, "OUT", tmp_path / "docs/evidence/data/srbench2021.parquet")
    condense.OUT.parent.mkdir(parents=True)
    condense.main(folder / "results/srbench2021")
    monkeypatch.setattr(condensed, "ROOT", tmp_path)
    medians = pd.read_csv(folder / "results/srbench2021/tables/r2.csv", index_col="dataset")
    filled = table.T.fillna(table.mean(axis=1)).T.rename(columns={"Linear": "Linear (2021)"}).join(medians)
    of_friedman = filled.index.str.contains("_fri_")
    for over, part in (("all", filled), ("others", filled[~of_friedman]), ("Friedman's", filled[of_friedman])):
        ranks = regressors.numbers("ranks", over)
        assert ranks["rank"].to_dict() == pytest.approx(part.rank(axis=1, ascending=False).mean().to_dict()), over
    tests = regressors.numbers("tests", "all")
    assert set(tests.index) == set(filled) - {"Rotastack"}
    assert tests.loc["RF", "losses"] == (filled["Rotastack"] > filled["RF"]).sum()
    sets = regressors.numbers("sets", "all", "dataset")
    assert (sets["apart_RF"] - (filled["RF"] - filled["RandomForest"])).abs().max() < 1e-9
    assert sets["best"].eq(0.999999).all()
    said = {name: make() for name, make in regressors.TABLES.items()}
    rank = regressors.numbers("ranks", "all").loc["Rotastack", "rank"]
    assert f"On 7 data sets Rotastack has the average rank {rank:.1f} of 25" in said["sentence"]
    assert "on the 5 that are not Friedman's" in said["sentence"]
    assert "| 1 | Operon |" in said["all"]
