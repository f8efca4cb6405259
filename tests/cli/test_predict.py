"""``rotastack predict``: labels and probabilities of new rows, wherever the project lies; one line where it cannot."""

import io
import re
import shutil
from contextlib import chdir

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from tests.cli.conftest import customers, done, refused

from rotastack.cli import main
from rotastack.data.tables import read_with_notes
from rotastack.workflow.tracking.logged_models import log_model, register_model
from rotastack.workflow.tracking.model_files import dump_model, load_model
from rotastack.workflow.tracking.writer import Writer


def predicted(capsys, *arguments):
    """Return the table that a command prints, and its lines on stderr."""
    said = done(capsys, "predict", *arguments)
    return pd.read_csv(io.StringIO(said.out)), said.err.splitlines()


@pytest.fixture
def new(tmp_path):
    """Ten new rows, columns in another order and without the id, and one more."""
    rows = customers(90).tail(10).drop(columns=["name", "target"])
    rows[["city", "since", "income", "age"]].assign(shoe=40).to_csv(tmp_path / "new.csv", index=False)
    return tmp_path / "new.csv"


def test_predictions_are_those_of_the_pipeline(shop, new, capsys):
    folder, model = shop
    found, said = predicted(capsys, new, "--study", "shop", "-C", folder, "--proba")
    rows = pd.read_csv(new).assign(name="x")
    assert found["prediction"].tolist() == model.predict(rows).tolist()
    np.testing.assert_allclose(
        found[["probability=risk", "probability=safe"]], model.predict_proba(rows).round(6), rtol=1e-12
    )
    assert list(found.columns[:5]) == ["city", "since", "income", "age", "shoe"]
    assert [line.endswith("ignored: shoe") for line in said] == [True]


def test_a_file_is_written_at_once_and_may_be_predicted_again(shop, new, tmp_path, capsys):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    for table, out in ((new, first), (first, second)):
        said = done(capsys, "predict", table, "--study", "shop", "-C", shop[0], "--output", out)
        assert not said.out
    assert f"rotastack: {first}: replaced by predictions: prediction" in said.err.splitlines()
    assert list(pd.read_csv(second).columns) == ["city", "since", "income", "age", "shoe", "prediction"]


def test_what_is_printed_is_utf_8_whatever_the_locale(shop, tmp_path, monkeypatch):
    customers(5).drop(columns="target").assign(note="größe 日本").to_csv(tmp_path / "new.csv", index=False)
    printed = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(printed, encoding="ascii", write_through=True))
    assert main(["predict", str(tmp_path / "new.csv"), "--study", "shop", "-C", str(shop[0])]) == 0
    assert printed.getvalue().decode().count("größe 日本") == 5


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "jsonl", "parquet", "xlsx"])
def test_the_ending_tells_the_format(shop, new, tmp_path, capsys, ending):
    at_hand, _ = predicted(capsys, new, "--study", "shop", "-C", shop[0], "--proba")
    exact = shop[1].predict_proba(pd.read_csv(new).assign(name="x"))[:, 0]
    out = tmp_path / f"out.{ending}"
    said = done(capsys, "predict", new, "--study", "shop", "-C", shop[0], "--proba", "--output", out).err
    assert said.splitlines()[-1].endswith(f"10 rows written to {out}")
    found = read_with_notes(out)[0]
    assert list(found.columns) == list(at_hand.columns)
    np.testing.assert_allclose(found["probability=risk"], exact, rtol=1e-15, atol=0)  # Excel has 16 digits


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("out.txt", "format unknown; allowed endings: .csv, .tsv, .jsonl, .parquet, .xlsx"),
        ("out.arff", "format unknown"),
        ("nowhere/out.csv", "not found; create the folder"),
        (".", "format unknown"),
        ("new.csv", "is the input table; name another file"),
    ],
)
def test_places_that_cannot_be_written_are_one_line_and_nothing_is_made(new, tmp_path, capsys, path, words):
    assert words in refused(capsys, "predict", new, "--study", "no such study", "--output", tmp_path / path)
    assert [p.name for p in tmp_path.iterdir()] == ["new.csv"]


def test_a_project_may_be_moved(shop, new, tmp_path, capsys):
    moved = shutil.copytree(shop[0], tmp_path / "elsewhere")
    at_home, _ = predicted(capsys, new, "--study", "shop", "--project", shop[0])
    with chdir(moved):
        there, _ = predicted(capsys, new, "--study", "shop")
    assert there.equals(at_home)
    by_path, _ = predicted(capsys, new, "--model", moved / "results/shop/customers/model")
    assert by_path.equals(at_home)


def test_what_is_odd_about_rows_is_said(shop, new, capsys):
    rows = pd.read_csv(new, dtype={"age": object})
    rows.loc[0, "age"] = "old"
    rows.loc[1, "since"] = "May"
    rows.loc[2:4, "city"] = "Delft"
    rows.loc[5, "city"] = None  # as in some training rows
    rows.loc[6:7, "income"] = [1e9, -1e9]
    rows.to_csv(new, index=False)
    _, said = predicted(capsys, new, "--study", "shop", "-C", shop[0])
    for words in (
        "column 'age': 1 of 10 values are not numbers (such as 'old')",
        "column 'since': 1 of 10 values are not dates in the format DD.MM.YYYY or YYYY-MM-DD (such as 'May')",
        "column 'city': 3 of 10 rows have a category that no training row has (such as 'Delft'; rows 2, 3, 4)",
        "column 'age': 1 of 10 rows lack a value that every training row has (rows 0)",
        "outside of the training range: income (2 rows; ",
    ):
        assert sum(words in line for line in said) == 1, words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--study", "shoq"], ["no model of study 'shoq'; did you mean 'shop'", "prices, shop"]),
        (["--study", "prices"], ["several data sets", "--dataset, one of flats, houses"]),
        (["--study", "prices", "--dataset", "flat"], ["did you mean 'flats'"]),
        (["--study", "prices", "--dataset", "flats", "--proba"], ["no probabilities"]),
        (["--study", "shop", "--intervals"], ["RotastackClassifier predicts classes"]),
        (["--model", "nowhere"], ["nowhere: not found; name a file, a folder"]),
        (["--model", "runs:/0/model"], ["tracking database not found", "--project"]),
    ],
)
def test_models_that_cannot_be_had_are_one_line(shop, new, capsys, options, words):
    line = refused(capsys, "predict", new, *options, "-C", shop[0])
    for word in words:
        assert word in line
    assert not (shop[0] / "results/mlflow").exists()


@pytest.mark.parametrize(
    ("columns", "n", "said"),
    [
        (["since", "income"], 10, "columns of the model are missing: age, city"),
        (["since", "income", "age", "city"], 0, ""),
    ],
)
def test_tables_that_do_not_fit_are_one_line(shop, new, capsys, columns, n, said):
    pd.read_csv(new)[columns].head(n).to_csv(new, index=False)
    assert f"new.csv: {said}" in refused(capsys, "predict", new, "--study", "shop", "-C", shop[0])


def test_a_column_without_a_readable_value_is_one_line(shop, new, tmp_path, capsys):
    rows = pd.read_csv(new)
    known, _ = predicted(capsys, new, "--study", "shop", "-C", shop[0])
    rows.assign(since=pd.to_datetime(rows["since"], dayfirst=True).dt.strftime("%Y-%m-%d")).to_csv(new, index=False)
    iso, _ = predicted(capsys, new, "--study", "shop", "-C", shop[0])
    assert iso["prediction"].equals(known["prediction"])
    rows.assign(since="soon").to_csv(tmp_path / "soon.csv", index=False)
    line = refused(capsys, "predict", tmp_path / "soon.csv", "--study", "shop", "-C", shop[0])
    assert "soon.csv: column 'since': 10 of 10 values are not dates" in line


def test_intervals_of_a_model_tested_on_later_rows_are_widened_and_have_their_coverage(shop, new, tmp_path, capsys):
    home = shop[0] / "results/prices/flats/model"
    narrow, _ = predicted(capsys, new, "--model", home, "--intervals")
    model = load_model(home / "model.skops")
    model.tested_intervals_ = {"rows": 90, "held": 0.5, "times": 2.5, "then_held": 0.88, "least": 0.8, "most": 0.95}
    dump_model(model, tmp_path / "wide.skops")
    wide, said = predicted(capsys, new, "--model", tmp_path / "wide.skops", "--intervals")
    assert narrow["prediction"].between(narrow["lower"], narrow["upper"]).all()
    assert any("50% of 90 later rows; the model's intervals are 2.5 times as wide" in line for line in said)
    np.testing.assert_allclose(wide["upper"] - wide["lower"], 2.5 * (narrow["upper"] - narrow["lower"]), rtol=1e-3)
    np.testing.assert_allclose(wide["upper"] + wide["lower"], narrow["upper"] + narrow["lower"], rtol=1e-3)


def test_scores_on_labelled_rows_stand_after_the_file_beside_those_of_the_run(shop, new, tmp_path, capsys):
    model = load_model(shop[0] / "results/shop/customers/model/model.skops")
    model.measured_ = {"score": "roc_auc", "scores": {"roc_auc": 0.5}, "positive": "risk"}
    dump_model(model, tmp_path / "measured.skops")
    labels = customers(90).tail(10)["target"].tolist()
    labelled = pd.read_csv(new).assign(target=[None, *labels[1:]])
    labelled.to_csv(new, index=False)
    out = tmp_path / "out.csv"
    said = done(capsys, "predict", new, "--model", tmp_path / "measured.skops", "--output", out).err
    *_, scores = said.splitlines()
    found = pd.read_csv(out)
    risk = model.predict_proba(labelled.assign(name="x"))[1:, 0]
    area = roc_auc_score(np.array(labels[1:]) == "risk", risk)
    error = np.mean(found["prediction"][1:] != labels[1:])
    assert re.search(f" on 9 of 10 rows .*: ROC AUC {area:.3f} .0.500., error {error:.1%}, balanced accuracy ", scores)


def test_intervals_are_scored_where_they_are_asked_for_or_the_study_compares_them(shop, new, tmp_path, capsys):
    home = shop[0] / "results/prices/flats/model/model.skops"
    y = np.arange(90, 100) * 1.0
    pd.read_csv(new).assign(target=y).to_csv(new, index=False)
    _, (_, bare) = predicted(capsys, new, "--model", home)
    found, said = predicted(capsys, new, "--model", home, "--intervals")
    covered = ((found["lower"] <= y) & (y <= found["upper"])).mean()
    assert said[-1].removeprefix(bare).endswith(f", coverage of the 90 % interval {covered:.3f}")
    model = load_model(home)
    model.measured_ = {"score": "pinball", "scores": {"pinball": 3.25}}
    dump_model(model, tmp_path / "pinball.skops")
    found, said = predicted(capsys, new, "--model", tmp_path / "pinball.skops")
    assert " (3.250), RMSE " in said[-1]


def test_a_folder_without_a_model_is_one_line(shop, new, tmp_path, capsys):
    line = refused(capsys, "predict", new, "--model", tmp_path)
    assert f"{tmp_path}: no model found: neither model.skops nor MLmodel" in line
    failed = shutil.copytree(shop[0] / "results/shop/customers/model", tmp_path / "model")
    (failed / "model.skops").write_bytes(b"")
    (failed / "refit.run.json").write_text('{"message": "no method succeeded"}')
    assert "no model was trained: no method succeeded" in refused(capsys, "predict", new, "--model", failed)


@pytest.mark.slow
def test_logged_models_predict_the_same_and_a_store_that_was_moved_is_named(shop, new, tmp_path, capsys):
    there = shutil.copytree(shop[0], tmp_path / "first")
    with chdir(there), Writer("shop") as writer:
        run = writer.run("study", "shop", "0" * 32, None, {}, {}).run_id
        features = customers().drop(columns="target")
        log_model(writer.client, run, there / "results/shop/customers/model/model.skops", features)
        register_model(writer.client, run, "customers", "", {}, "")
    at_home, _ = predicted(capsys, new, "--study", "shop", "-C", there)
    for address in (f"runs:/{run}/model", "models:/customers@champion"):
        assert predicted(capsys, new, "--model", address, "-C", there)[0].equals(at_home)
    assert "runs:/0123/model: " in refused(capsys, "predict", new, "--model", "runs:/0123/model", "-C", there)
    moved = there.rename(tmp_path / "second")
    line = refused(capsys, "predict", new, "--model", "models:/customers@champion", "-C", moved)
    assert "if the folder was moved or copied, delete results/mlflow" in line
