"""The card of a model: what it says follows from the records."""

from pathlib import Path
from types import MappingProxyType

import pandas as pd
import pytest

from rotastack.workflow.run.tracked.contents import TrackedDataset, method_params, model_card, plain
from rotastack.workflow.study.specs import ReportSpec

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
METRICS = {"ranges": {"a": [0.0, 99.0], "b_1": [-0.5, 12345678.9]}}
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
    study="shop",
    dataset="customers",
    task="classification",
    score="error",
    baseline=MappingProxyType({"error": 0.45}),
    protocol=None,
):
    """Return the text of a card."""
    record = {
        "started": "2026-02-03T04:05:06+00:00",
        "version": "1.2.3",
        "seed": 7,
        "code": "abc",
        "metrics": {"method": method, **metrics},
        "parameters": {"refit": refit, "methods": dict.fromkeys("ABCD")},
    }
    spec = {
        "name": study,
        "task": task,
        "score": score,
        "protocol": {"kind": "crossval"} if protocol is None else protocol,
        "optimistic": [],
        "rotated": [],
    }
    data = TrackedDataset(
        key="",
        spec=ReportSpec.model_construct(**spec),
        dataset=dataset,
        table=Path("table.parquet"),
        scores=scores.assign(method=method),
        records={"prepare": {"metrics": facts}},
        baseline=baseline,
        raw=Path("data/raw/customers.parquet"),
        model=None,
        refit=record,
        figures=[],
    )
    return model_card(data, RAW, "f00d", loaded, store)


NUMBERS = {
    "scores": pd.DataFrame({"rmse": [2.0, 4.0], "mae": 1.0, "r2": 0.5, "pinball": 0.2, "interval_coverage": 0.9}),
    "facts": {"numeric_columns": 3, "categorical_columns": 1},
    "task": "regression",
    "score": "rmse",
    "baseline": {"rmse": 9.0},
}


@pytest.mark.parametrize(
    ("changes", "shown", "hidden"),
    [
        (
            {},
            "SHA-256 `f00d`|3 columns: 2 numeric, 1 categorical; 5 cells|x 90, y 10|a 0 to 99, b\\_1 -0.5 to 12345678.9.|best of 4"
            "|by cross-validation 30.00 % (the middle 95 % of 3 cells: 20.50 % to 39.50 %); predicting the majority class has 45.00 %"
            "|100 rows is about 4.58 %.|chosen by the number shown|mlflow.sklearn.load_model",
            "covered",
        ),
        (
            {"scores": CELLS[:1], "baseline": {}, "refit": "RF"},
            "chosen in the file of the study shop|class has —",
            "chosen by the number shown|the middle",
        ),
        (NUMBERS, "**: RMSE by cross-validation 3 (|predicting the mean has 9|2.05 to 3.95", "standard error|Classes"),
        ({**NUMBERS, "metrics": {"intervals": {"rows": 8, "held": 0.5}}}, "covered 50% of 8 later rows", "Classes"),
        ({"protocol": {"kind": "holdout"}}, "error on random splits 30.00 %", "cross-validation"),
        ({"protocol": {"kind": "given"}}, "error on given splits 30.00 %", "cross-validation"),
        ({"protocol": {"kind": "holdout", "time": "day"}}, "error on later rows 30.00 %", "random splits"),
        ({"protocol": {"kind": "crossval", "time": None}}, "error by cross-validation 30.00 %", "later rows"),
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
