"""The card of a model: what it says follows from the records."""

from pathlib import Path

import pandas as pd
import pytest

from rotastack.workflow.run.tracked.contents import TrackedDataset, method_params, model_card, plain

CELLS = pd.DataFrame(
    {
        "error": [0.2, 0.3, 0.4],
        "balanced_accuracy": 0.7,
        "roc_auc": 0.8,
        "average_precision": 0.6,
        "f1": 0.7,
        "log_loss": 0.5,
        "clipped_log_loss": 0.5,
        "brier": 0.3,
    }
)
METRICS = {
    "ranges": {"a": [0.0, 99.0], "b_1": [-0.5, 12345678.9]},
    "training_error": 0.0,
    "oob_error": 0.31,
    "model_bytes": 10,
}
FACTS = {"numeric_columns": 2, "categorical_columns": 1, "missing_cells": 5, "class_counts": {"x": 90, "y": 10}}
RAW = pd.DataFrame({"a": range(100), "b": 0, "c": 0, "target": 0})


def card(
    scores=CELLS,
    metrics=METRICS,
    facts=FACTS,
    method="RF",
    refit="best",
    loaded="runs:/1/model",
    store="sqlite:///results/mlflow/mlflow.db",
    divided_by=None,
    **changes,
):
    """Return the text of a card."""
    record = {
        "started": "2026-02-03T04:05:06+00:00", "version": "1.2.3", "seed": 7, "code": "abc",
        "metrics": {"method": method, **metrics}, "parameters": {"refit": refit, "methods": dict.fromkeys("ABCD"), "divided_by": divided_by or {}},
    }  # fmt: skip
    known = {
        "key": "", "study": "shop", "dataset": "customers", "task": "classification", "score": "error", "table": None,
        "scores": scores.assign(method=method), "records": {"prepare": {"metrics": facts}}, "baseline": {"error": 0.45},
        "raw": Path("data/raw/customers.parquet"), "prepared_file": None, "model": None, "refit": record, "figures": [],
        "rotated": [], "optimistic": [], "protocol": {"kind": "crossval"},
    }  # fmt: skip
    params = {"estimator": "Forest", "view": "none"}
    return model_card(TrackedDataset(**{**known, **changes}), params, RAW, "f00d", loaded, store)


def test_the_card_says_what_the_model_is():
    text = card()
    for part in (
        "All 100 rows of `data/raw/customers.parquet`, SHA-256 `f00d`",
        "3 columns: 2 numeric, 1 categorical; 5 cells are missing",
        "Classes: x 90, y 10",
        r"Ranges: a 0 to 99, b\_1 -0.5 to 12345678.9.",
        "best of 4 methods",
        "By cross-validation: 30.00 % (the middle 95 % of 3 cells: 20.50 % to 39.50 %)",
        "Predicting the majority class: 45.00 %",
        "Out-of-bag, this model: 31.00 %",
        "The standard error of the error on 100 rows is about 4.58 %.",  # sqrt(0.3 * 0.7 / 100)
        "Classes with few rows: y (10)",
        'mlflow.pyfunc.load_model("runs:/1/model").predict(pandas.read_csv("new.csv"))',
        'call `predict_proba` of `mlflow.sklearn.load_model("runs:/1/model")`',
    ):
        assert part in text, part
    assert "It has seen no missing values" not in text
    assert card() == text


def test_the_card_says_what_is_not_known():
    text = card(CELLS[:1], {"training_error": 0.0, "model_bytes": 1}, baseline={}, refit="RF")
    assert "Out-of-bag: no score" in text
    assert "Chosen in the file of the study shop" in text
    assert "majority class" not in text
    assert "The best of several" not in text
    assert "the middle" not in text


def test_the_card_of_numbers():
    cells = pd.DataFrame({"rmse": [2.0, 4.0], "mae": 1.0, "r2": 0.5, "pinball": 0.2, "interval_coverage": 0.9})
    metrics = {"training_rmse": 1.5, "oob_rmse_of_members": 3.25, "model_bytes": 1}
    text = card(cells, metrics, {"numeric_columns": 3}, task="regression", score="rmse", baseline={"rmse": 9.0})
    for part in (
        "### RMSE",
        "Predicting the mean: 9",
        "single members: 3.25",
        "2.05 to 3.95",
        "On the training rows (optimistic): 1.5",
    ):
        assert part in text, part
    assert "standard error" not in text
    assert "Classes" not in text


def test_markup_of_names_is_taken_out():
    text = card(method="<script>alert(1)</script>", dataset="a|b", study="*s*")
    assert "<script>" not in text
    assert r"a\|b" in text
    assert r"study \*s\*" in text
    assert plain("two\nlines") == "two lines"


def test_params_are_what_tells_methods_apart():
    pool = {"view": {"class": "a.Rotation", "parameters": {"n": 2}}, "scaling": "minmax", "estimator": "b.Forest",
            "parameters": {"n_estimators": 10, "inner": {"class": "d.Tree"}}, "noise": {"labels": 0.0}, "repeats": {}}  # fmt: skip
    inner = {"class": "b.Forest", "parameters": {"n_estimators": 100}}
    combiner = {"kind": "stacking", "class": "c.Stacking", "parameters": {"estimator": inner}}
    assert method_params(pool, combiner) == {
        "estimator": "Forest", "view": "Rotation", "scaling": "minmax", "estimator.n_estimators": 10, "view.n": 2,
        "estimator.inner.class": "d.Tree",
        "combiner": "stacking", "combiner.estimator": "Forest", "combiner.estimator.n_estimators": 100,
    }  # fmt: skip


def test_a_model_tested_on_later_rows_has_the_coverage_and_no_out_of_bag_score():
    metrics = {"training_rmse": 0.1, "oob_r2": 0.95, "intervals": {"rows": 8, "held": 0.5}}
    changes = {"task": "regression", "score": "rmse", "baseline": {"rmse": 3.0}}
    scores = pd.DataFrame({"rmse": [1.0, 2.0], "mae": 1.0, "r2": 0.8, "pinball": 0.3, "interval_coverage": 0.5})
    text = card(scores, metrics, divided_by={"time": "day"}, **changes)
    assert "- 90% intervals covered 50% of 8 later rows, too few to correct their width." in text
    assert "Out-of-bag: no score, because the trees were grown on later rows, too." in text
    assert "0.95" not in text
    assert "Out-of-bag, this model: R² 0.95" in card(scores, metrics, **changes)


@pytest.mark.parametrize(("protocol", "how"), [
    ({"kind": "holdout"}, "On random splits: "), ({"kind": "given"}, "On given splits: "), ({"kind": "nested"}, "By cross-validation: "),
    ({"kind": "holdout", "time": "day"}, "On later rows: "), ({"kind": "crossval", "time": None}, "By cross-validation: "),
])  # fmt: skip
def test_the_card_says_which_rows_were_tested(protocol, how):
    text = card(protocol=protocol)
    assert f"- {how}30.00 %" in text
    assert f"error {how[0].lower()}{how[1:-2]} 30.00 %" in text
