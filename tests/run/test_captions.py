"""Captions speak of a study's score, average and cells; Snakemake's report, which does not know these, gets plain words."""

import jinja2
import pytest

from rotastack.project import project_file
from rotastack.workflow.judge.pages import page_environment
from rotastack.workflow.run.steps.report import _caption

FILES = sorted(project_file("workflow/report").glob("*.rst"))


def caption(*words):
    return " ".join(_caption(page_environment(), *words).split())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_caption_without_words_of_a_study(file):
    text = jinja2.Environment().from_string(file.read_text()).render(snakemake=None)
    assert "{" not in text
    assert "  " not in text, "a variable is empty"


def test_the_words_of_a_study():
    r2 = caption("differences", "regression", "r2", "splits", "median")
    assert r2.startswith("<p>Median R² of each method minus the median R² of the control, both divided by the R² of")
    assert "five or more splits, are two standard errors" in r2
    assert caption("differences", "classification", "error", "folds").startswith(
        "<p>Mean error of each method minus the mean"
    )
    assert caption("boxes", "classification", "error", "splits").startswith("<p>Errors on the test rows")
    assert caption("boxes", "classification", "roc_auc", "splits").startswith("<p>ROC AUC on the test rows")
    assert "relative gain on the R²" in caption("groups", "regression", "r2", "splits")
    assert "data sets of lower MAE" in caption("groups", "regression", "mae", "splits")
    assert caption("unknown", "regression", "r2", "splits") == ""


PAIR = {"dataset": "loans", "first": "A", "second": "B", "wins_first": 0.5, "ties": 0.0, "wins_second": 0.5}
PAIR |= {"difference": 0.1, "p_value": 0.5}
BOARD = {"controls": ["A"], "times": {"fit": {"A": {"A": 1.5}}}, "longest": {"fit": {"A": 2.5}}}


FACTS = {"rows": 9, "numeric_columns": 2, "categorical_columns": 1, "class_counts": {"0": 5, "1": 4}}


@pytest.mark.parametrize(
    ("many", "cells", "boxes", "wins"), [(False, 3, 0, 0), (False, 5, 1, 0), (False, 10, 1, 1), (True, 3, 1, 1)]
)
def test_a_report_on_one_data_set_has_no_furniture_of_a_study(many, cells, boxes, wins):
    context = {"many": many, "cells": "folds", "facts": [{"dataset": "loans", "method": "A", "n_nodes": 9.0}]}
    context |= {"fact_names": ["n_nodes"], "fact_kinds": {"Trees": "nodes"}, "pairs": [PAIR | {"n": cells}]}
    context |= {
        "n_pairs": 1,
        "primary": "error",
        "e": BOARD,
        "methods": ["A"],
        "control": "A",
        "seconds": [],
        "versions": {},
    }
    context |= {"datasets": [{"name": "loans", "facts": FACTS}], "figures": {"loans/boxes": "BOXES"}}
    environment = page_environment()
    environment.filters |= {"caption": str, "score": str}
    names = ("report_members.html.j2", "report_end.html.j2", "report_datasets.html.j2")
    context |= {"glossary": {}, "decisions": {}, "explanations": {}, "others": lambda *_: ""}
    page = "".join(environment.get_template(name).render(context) for name in names)
    assert "9.000" in page
    assert '<th scope="col">nodes</th>' in page
    assert ("BOXES" in page, "Wins and ties" in page) == (boxes, wins)
    assert ("<td>loans</td>" in page) == ("data set</th>" in page) == ("2.50" in page) == many
    assert ("The times of the leaderboard" in page) != many
    assert "9 rows; columns: 2 numeric, 1 categorical;\nrows of each class: 0: 5, 1: 4." in page
