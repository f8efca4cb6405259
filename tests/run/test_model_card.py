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
        "started": "2026-02-03T04:05:06+00:00",
        "version": "1.2.3",
        "seed": 7,
        "code": "abc",
        "metrics": {"method": method, **metrics},
        "parameters": {"refit": refit, "methods": dict.fromkeys("ABCD"), "divided_by": divided_by or {}},
    }
    known = {
        "key": "",
        "study": "shop",
        "dataset": "customers",
        "task": "classification",
        "score": "error",
        "table": None,
        "scores": scores.assign(method=method),
        "records": {"prepare": {"metrics": facts}},
        "baseline": {"error": 0.45},
        "raw": Path("data/raw/customers.parquet"),
        "prepared_file": None,
        "model": None,
        "refit": record,
        "figures": [],
        "rotated": [],
        "optimistic": [],
        "protocol": {"kind": "crossval"},
    }
    params = {"estimator": "Forest", "view": "none"}
    return model_card(TrackedDataset(**{**known, **changes}), params, RAW, "f00d", loaded, store)


NUMBERS = {
    "scores": pd.DataFrame({"rmse": [2.0, 4.0], "mae": 1.0, "r2": 0.5, "pinball": 0.2, "interval_coverage": 0.9}),
    "facts": {"numeric_columns": 3, "categorical_columns": 1},
    "task": "regression",
    "score": "rmse",
    "baseline": {"rmse": 9.0},
}
LATER = {"training_rmse": 1.5, "oob_r2": 0.95, "intervals": {"rows": 8, "held": 0.5}}


@pytest.mark.parametrize(
    ("changes", "shown", "hidden"),
    [
        (
            {},
            "SHA-256 `f00d`|3 columns: 2 numeric, 1 categorical; 5 cells|x 90, y 10|a 0 to 99, b\\_1 -0.5 to 12345678.9.|best of 4"
            "|By cross-validation: 30.00 % (the middle 95 % of 3 cells: 20.50 % to 39.50 %)|majority class: 45.00 %"
            "|Out-of-bag, this model: 31.00 %|100 rows is about 4.58 %.|few rows: y (10)|mlflow.sklearn.load_model",
            "no missing values",
        ),
        (
            {"scores": CELLS[:1], "metrics": {"training_error": 0.0, "model_bytes": 1}, "baseline": {}, "refit": "RF"},
            "Out-of-bag: no score|Chosen in the file of the study shop",
            "majority class|The best of several|the middle",
        ),
        (
            {**NUMBERS, "metrics": {"training_rmse": 1.5, "oob_rmse_of_members": 3.25}},
            "### RMSE|Predicting the mean: 9|single members: 3.25|2.05 to 3.95|(optimistic): 1.5",
            "standard error|Classes",
        ),
        ({**NUMBERS, "metrics": LATER}, "covered 50% of 8 later rows|Out-of-bag, this model: R² 0.95", "no score"),
        ({**NUMBERS, "metrics": LATER, "divided_by": {"time": "day"}}, "Out-of-bag: no score", "0.95"),
        (
            {"protocol": {"kind": "holdout"}},
            "- On random splits: 30.00 %|error on random splits 30.00 %",
            "cross-validation",
        ),
        ({"protocol": {"kind": "given"}}, "- On given splits: 30.00 %", "cross-validation"),
        ({"protocol": {"kind": "holdout", "time": "day"}}, "- On later rows: 30.00 %", "cross-validation"),
        ({"protocol": {"kind": "crossval", "time": None}}, "- By cross-validation: 30.00 %", "On later rows"),
    ],
)
def test_the_card_says_what_the_records_say(changes, shown, hidden):
    text = card(**changes)
    assert [part for part in shown.split("|") if part not in text] == []
    assert [part for part in hidden.split("|") if part in text] == []


def test_markup_of_names_is_taken_out():
    text = card(method="<script>alert(1)</script>", dataset="a|b", study="*s*")
    assert "<script>" not in text
    assert r"a\|b" in text
    assert r"study \*s\*" in text
    assert plain("two\nlines") == "two lines"


def test_params_are_what_tells_methods_apart():
    pool = {
        "view": {"class": "a.Rotation", "parameters": {"n": 2}},
        "scaling": "minmax",
        "estimator": "b.Forest",
        "parameters": {"n_estimators": 10, "inner": {"class": "d.Tree"}},
        "noise": {"labels": 0.0},
        "repeats": {},
    }
    inner = {"class": "b.Forest", "parameters": {"n_estimators": 100}}
    combiner = {"kind": "stacking", "class": "c.Stacking", "parameters": {"estimator": inner}}
    assert method_params(pool, combiner) == {
        "estimator": "Forest",
        "view": "Rotation",
        "scaling": "minmax",
        "estimator.n_estimators": 10,
        "view.n": 2,
        "estimator.inner.class": "d.Tree",
        "combiner": "stacking",
        "combiner.estimator": "Forest",
        "combiner.estimator.n_estimators": 100,
    }
