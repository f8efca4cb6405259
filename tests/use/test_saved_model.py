"""Scores of a saved model's predictions on rows that have the target: the values are scikit-learn's."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.base.reading import ColumnReading
from rotastack.cli import main
from rotastack.stats.metrics import NAMES
from rotastack.workflow.judge.words import printer
from rotastack.workflow.tracking.model_files import load_model
from rotastack.workflow.use.saved_model import SavedModel

RNG = np.random.default_rng(0)
SHARES = {k: RNG.dirichlet(np.ones(k), 40).round(3) for k in (2, 3)}
NUMBERS = RNG.normal(100, 20, (40, 2)).round(2)


def model(labels, reading=None, **measured):
    """Return a model of a target with these values; what it predicts does not matter."""
    X = pd.DataFrame({"x": np.arange(len(labels), dtype=float)})
    reader = TablePreprocessor({"x": "numeric"}).fit(X)
    numbers = np.asarray(labels).dtype.kind == "f"
    last = DummyRegressor() if numbers else DummyClassifier()
    pipeline = Pipeline([("table", reader), ("last", last)]).fit(X, labels)
    if reading is not None:
        reader.readings_["target"] = reading
    if measured:
        pipeline.measured_ = measured
    return SavedModel(pipeline, "m")


def outputs(names, shares, decided=None):
    """Return predictions of classes, by default of the most probable ones."""
    decided = np.asarray(names)[shares.argmax(axis=1) if decided is None else decided]
    return pd.DataFrame({"prediction": decided, **{f"probability={c}": shares[:, k] for k, c in enumerate(names)}})


def scores(model_, target, predicted):
    """Return the line on the scores of the rows with these targets."""
    return model_.scores(pd.DataFrame({model_.target: target}), predicted)


def told(name, value):
    return f"{NAMES[name]} {printer(name, [value])(value)}"


def clipped(y, shares):
    return metrics.log_loss(y, np.clip(shares, 1e-3, 1) / np.clip(shares, 1e-3, 1).sum(axis=1, keepdims=True))


OF_TWO = {
    "error": lambda y, p: 1 - metrics.accuracy_score(y, p.argmax(axis=1)),
    "balanced_accuracy": lambda y, p: metrics.balanced_accuracy_score(y, p.argmax(axis=1)),
    "roc_auc": lambda y, p: metrics.roc_auc_score(y, p[:, 1]),
    "average_precision": lambda y, p: metrics.average_precision_score(y, p[:, 1]),
    "f1": lambda y, p: metrics.f1_score(y, p.argmax(axis=1)),
    "log_loss": metrics.log_loss,
    "clipped_log_loss": clipped,
    "brier": lambda y, p: metrics.brier_score_loss(y, p[:, 1]),
}
OF_THREE = {
    "error": OF_TWO["error"],
    "balanced_accuracy": OF_TWO["balanced_accuracy"],
    "log_loss": metrics.log_loss,
    "clipped_log_loss": clipped,
    "roc_auc": lambda y, p: metrics.roc_auc_score(y, p / p.sum(axis=1, keepdims=True), multi_class="ovr"),
    "average_precision": lambda y, p: metrics.average_precision_score(np.eye(3)[y], p, average="macro"),
    "f1": lambda y, p: metrics.f1_score(y, p.argmax(axis=1), average="macro"),
    "brier": lambda y, p: np.mean(((p - np.eye(3)[y]) ** 2).sum(axis=1)),
}
OF_NUMBERS = {
    "rmse": lambda y, p: metrics.root_mean_squared_error(y, p["prediction"]),
    "mae": lambda y, p: metrics.mean_absolute_error(y, p["prediction"]),
    "r2": lambda y, p: metrics.r2_score(y, p["prediction"]),
    "pinball": lambda y, p: np.mean(
        [metrics.mean_pinball_loss(y, p[end], alpha=a) for end, a in (("lower", 0.05), ("upper", 0.95))]
    ),
    "interval_coverage": lambda y, p: np.mean((p["lower"] <= y) & (y <= p["upper"])),
}


@pytest.mark.parametrize(
    ("n", "name", "by_hand"), [(n, name, score) for n, of in ((2, OF_TWO), (3, OF_THREE)) for name, score in of.items()]
)
def test_each_score_of_classes_has_the_value_of_scikit_learn(n, name, by_hand):
    shares = SHARES[n] / SHARES[n].sum(axis=1, keepdims=True)
    y, names = np.arange(40) % 7 % n, ["bad", "good", "ugly"][:n]
    line = scores(model(names, positive="good"), np.asarray(names)[y], outputs(names, shares))
    assert told(name, by_hand(y, shares)) in line.split(": ")[1].split(", ")
    assert line.startswith("scores against target on 40 of 40 rows: error ")


@pytest.mark.parametrize(("name", "by_hand"), OF_NUMBERS.items())
def test_each_score_of_numbers_has_the_value_of_scikit_learn(name, by_hand):
    y, prediction = NUMBERS.T
    found = pd.DataFrame({"prediction": prediction, "lower": prediction - 9, "upper": prediction + 30})
    line = scores(model([1.0, 2.0]), y, found)
    assert told(name, by_hand(y, found)) in line.split(": ")[1].split(", ")
    bare = scores(model([1.0, 2.0]), y, found[["prediction"]])
    assert bare == line.partition(", pinball")[0]


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_the_positive_class_is_that_of_the_run_whatever_is_rare_among_the_new_rows(positive):
    names, y, p = ["no", "yes"], np.arange(40) % 7 % 2, SHARES[2]
    k = names.index(positive)
    line = scores(model(names, score="f1", scores={}, positive=positive), np.asarray(names)[y], outputs(names, p))
    assert told("f1", metrics.f1_score(y, p.argmax(axis=1), pos_label=k)) in line
    assert told("average_precision", metrics.average_precision_score(y == k, p[:, k])) in line


def test_decisions_are_those_that_the_model_makes_and_not_the_most_probable_classes():
    names, y, p = ["no", "yes"], np.arange(40) % 7 % 2, SHARES[2]
    decided = (p[:, 1] >= 0.2).astype(int)
    line = scores(model(names, positive="yes"), np.asarray(names)[y], outputs(names, p, decided))
    assert told("error", np.mean(decided != y)) in line
    assert told("f1", metrics.f1_score(y, decided)) in line
    assert told("roc_auc", metrics.roc_auc_score(y, p[:, 1])) in line
    line = scores(model(["a", "b"]), ["a", "a", "b", "b"], pd.DataFrame({"prediction": ["a", "b", "b", "b"]}))
    assert re.search(r"error 25.0%.* ROC AUC 0.750", line), "decisions are scored without probabilities"


@pytest.mark.parametrize("n", [2, 3])
def test_classes_that_the_model_does_not_know_are_errors_and_named(n):
    names, p = ["bad", "good", "ugly"][:n], SHARES[n]
    y = np.arange(40) % 7 % n
    labels = pd.Series(np.asarray(names, dtype=object)[y])
    labels[[0, 5, 6]] = ["odd", "odd", "even"]
    old = np.setdiff1d(np.arange(40), [0, 5, 6])
    line, found = scores(model(names, positive="good"), labels, outputs(names, p)), p.argmax(axis=1)
    assert told("error", (np.sum(found[old] != y[old]) + 3) / 40) in line
    assert told("log_loss", metrics.log_loss(y[old], p[old] / p[old].sum(axis=1, keepdims=True))) in line
    assert "'odd' (2 rows), 'even' (1 row), " in line
    every = scores(model(names), ["odd"] * 40, outputs(names, p))
    assert re.search("on 40 of 40 rows: error 100.0%; .*'odd' .40 rows", every)


@pytest.mark.parametrize(
    ("labels", "reading", "written"),
    [
        (["yes", "no"], None, ["yes", " no ", "yes ", "no"]),
        ([1, 0], ColumnReading("number"), ["1", " 0", "1.0", "0"]),
        ([1, 0], None, [1.0, 0.0, 1.0, 0.0]),
        (["1", "0"], None, [1, 0, 1, 0]),
        (["01", "00"], ColumnReading("text", blanks=True), [1, 0, 1, 0]),
        ([True, False], ColumnReading("boolean"), ["true", "FALSE", "True ", "false"]),
        (["yes ", "no "], None, ["yes", "no", "yes", "no"]),
        (["yes", "no"], None, pd.Categorical(["yes", "no", "yes", "no"])),
    ],
)
def test_labels_of_another_type_or_with_blanks_are_the_same_classes(labels, reading, written):
    predicted = pd.DataFrame({"prediction": np.array(labels * 2, dtype=object)})
    line = scores(model(labels, reading=reading), written, predicted)
    assert line.startswith("scores against target on 4 of 4 rows: error 0.0%, balanced accuracy 100.0%, ")


@pytest.mark.parametrize(
    ("labels", "written", "line"),
    [
        (["a", "b"], ["a", None, "b", "NA", ""], "scores against target on 2 of 5 rows: error 0.0%, "),
        (
            ["a", "NA"],
            ["a", None, "b", "NA", ""],
            "scores against target on 3 of 5 rows: error ",
        ),  # a class of this name
        (
            [1.0, 2.0],
            ["1", "2.5", "?", None, "x"],
            "scores against target on 2 of 5 rows: RMSE 0.3536, MAE 0.2500, R² 0.778",
        ),
        (["a", "b"], [None] * 5, "no scores: target has no value that can be read"),
        ([1.0, 2.0], [None] * 5, "no scores: target has no value that can be read"),
    ],
)
def test_rows_without_a_target_are_not_scored_and_their_number_is_told(labels, written, line):
    predicted = [1.0, 2, 3, 4, 5] if labels[0] == 1 else ["a", "b", "b", "a", "a"]
    assert scores(model(labels), written, pd.DataFrame({"prediction": predicted})).startswith(line)


@pytest.mark.filterwarnings("error")
def test_scores_that_rows_of_one_class_or_value_do_not_have_are_named():
    line = scores(model(["a", "b"]), ["a"] * 3, outputs(["a", "b"], SHARES[2][:3]))
    assert re.search("undefined .*one class: ROC AUC and average precision$", line)
    line = scores(model([1.0, 2.0]), [3.0, 3.0], pd.DataFrame({"prediction": [3.0, 4.0]}))
    assert line.endswith("rows: RMSE 0.7071, MAE 0.5000; undefined with only one value: R²")


def fitted_ridge(tmp_path, target, columns):
    """Fit a ridge to a file whose fields part at semicolons; return the file of the model."""
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False, sep=";")
    fit = ["fit", tmp_path / "t.csv", "--target", target, "--estimator", "ridge", "--out", tmp_path / "m.skops"]
    assert main(list(map(str, fit))) == 0
    return str(tmp_path / "m.skops")


MARKED = [f"1.{k:03d},{k % 10}" for k in range(100, 160)]
"""Numbers with decimal commas and thousands points."""


def test_a_row_of_a_file_does_not_depend_on_text_beside_its_numbers(here, capsys):
    """Training rows have decimal commas and thousands points, new rows have numbers, and one of them a text."""
    saved, found = fitted_ridge(here, "y", {"x": MARKED, "y": np.arange(60) * 1.5}), []
    for beside in ("null", '""', '"1.200,5"', '"lost"', "true"):
        (here / "n.jsonl").write_text(f'{{"x": 1112.345}}\n{{"x": {beside}}}\n')
        for ending in (".csv", ".parquet"):
            assert main(["predict", "n.jsonl", "--model", saved, "--output", f"p{ending}"]) == 0
        found.append((here / "p.csv").read_text().splitlines()[1])
    assert set(found) == {found[0]}
    assert found[0].startswith("1112.345,")
    told = [line for line in capsys.readouterr().err.splitlines() if "column 'x'" in line and "lack" not in line]
    said = "numbers, text in one .*1 of 2 values are not numbers with decimal commas .such as 'lost'.*numbers, booleans in one column"
    assert re.search(said, " ".join(told[::2]))


def test_a_target_is_read_as_that_of_the_training_rows(tmp_path, capsys):
    """The name and the marks of a target of numbers with decimal commas, from a file to a file."""
    x = np.arange(60) * 1.5
    saved = fitted_ridge(tmp_path, "Preis", {"x": x, "target": x[::-1] ** 2, "Preis": MARKED})
    line = scores(SavedModel(load_model(saved), "m"), ["1.100,5", "1 kg"], pd.DataFrame({"prediction": [1101.5, 0]}))
    assert line.startswith("scores against Preis on 1 of 2 rows: RMSE 1.000, MAE 1.000; undefined")


def test_a_range_has_the_unit_of_its_column(here, capsys):
    """Of durations, which the model reads in days, the table shows no unit."""
    lasted, kilos = pd.to_timedelta(np.arange(60) + 12, unit="h"), [f"{k * 2} kg" for k in range(60)]
    pd.DataFrame({"lasted": lasted, "w": kilos, "y": np.arange(60) * 1.5}).to_parquet("t.parquet")
    assert main(["fit", "t.parquet", "--target", "y", "--estimator", "ridge", "--out", "m.skops"]) == 0
    pd.DataFrame({"lasted": pd.to_timedelta(["9 days", "1 days"]), "w": ["199 kg", "5 kg"]}).to_parquet("n.parquet")
    assert main(["predict", "n.parquet", "--model", "m.skops", "--output", "p.csv"]) == 0
    assert "lasted (1 row; 0.5 to 2.958333333 in days), w (1 row; 0 to 118 in kg)" in capsys.readouterr().err
