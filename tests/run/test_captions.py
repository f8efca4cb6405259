"""Captions speak of a study's score, average and cells; Snakemake's report, which does not know these, gets plain words."""

from types import SimpleNamespace

import jinja2
import pandas as pd
import pytest

from rotastack.plots.curves import plot_calibration
from rotastack.project import project_file
from rotastack.workflow.judge.pages import page_environment
from rotastack.workflow.run.launch import plan_of
from rotastack.workflow.run.steps.report import _caption, _notes, _shown


def caption(*words):
    return " ".join(_caption(page_environment(), *words).split())


@pytest.mark.parametrize("file", sorted(project_file("workflow/report").glob("*.rst")), ids=lambda file: file.stem)
def test_a_caption_without_words_of_a_study(file):
    text = jinja2.Environment().from_string(file.read_text()).render(snakemake=None)
    assert "{" not in text
    assert "  " not in text, "a variable is empty"


def test_the_words_of_a_study():
    r2 = caption("differences", "regression", "r2", "splits", "median")
    assert r2.startswith("<p>Median R² of each")
    assert "five or more splits" in r2
    assert caption("differences", "classification", "error", "folds").startswith("<p>Mean error of each")
    for score, shown in {"error": "<p>Errors on", "roc_auc": "<p>ROC AUC on"}.items():
        assert caption("boxes", "classification", score, "splits").startswith(shown)
    for score, shown in {"r2": "relative gain on the R²", "mae": "data sets of lower MAE"}.items():
        assert shown in caption("groups", "regression", score, "splits")
    assert caption("unknown", "regression", "r2", "splits") == ""


WINS = {"wins_first": 0.5, "ties": 0.0, "wins_second": 0.5, "difference": 0.1, "p_value": 0.5}
PAIR = {"dataset": "loans", "first": "A", "second": "B", **WINS}
FACTS = {"rows": 9, "numeric_columns": 2, "categorical_columns": 1, "class_counts": {"0": 5, "1": 4}}
CONTEXT = {
    "cells": "folds",
    "facts": [{"dataset": "loans", "method": "A", "n_nodes": 9.0}],
    "fact_names": ["n_nodes"],
    "fact_kinds": {"Trees": "nodes"},
    "n_pairs": 1,
    "primary": "error",
    "e": {"controls": ["A"], "times": {"fit": {"A": {"A": 1.5}}}, "longest": {"fit": {"A": 2.5}}},
    "methods": ["A"],
    "control": "A",
    "seconds": [],
    "versions": {},
    "datasets": [{"name": "loans", "facts": FACTS}],
    "figures": {"loans/boxes": "BOXES"},
    "glossary": {},
    "decisions": {},
    "explanations": {},
    "others": lambda *_: "",
}


@pytest.mark.parametrize(
    ("many", "cells", "boxes", "wins"), [(False, 3, 0, 0), (False, 5, 1, 0), (False, 10, 1, 1), (True, 3, 1, 1)]
)
def test_a_report_on_one_data_set_has_no_furniture_of_a_study(many, cells, boxes, wins):
    context = CONTEXT | {"many": many, "pairs": [PAIR | {"n": cells}]}
    environment = page_environment()
    environment.filters |= {"caption": str, "score": str}
    names = ("report_members.html.j2", "report_end.html.j2", "report_datasets.html.j2")
    page = "".join(environment.get_template(name).render(context) for name in names)
    assert "9.000" in page
    assert ("BOXES" in page, "Wins and ties" in page) == (boxes, wins)
    assert ("<td>loans</td>" in page) == ("data set</th>" in page) == ("2.50" in page) == many


def test_the_study_on_the_page_has_no_hashes_of_the_page_itself():
    spec = plan_of("tiny").jobs["report"].spec
    assert spec.contents, "the templates are a part of the key"
    assert not {"contents", "rotated"} & _shown(spec.dump()).keys()


@pytest.mark.parametrize("name", ["calibration", "calibration_one"])
def test_the_caption_of_calibration_has_the_probability_that_the_figure_draws(name):
    curves = pd.DataFrame({"dataset": "d", "method": "A", "bin": 0, "rows": 9, "confidence": 0.2, "accuracy": 0.1}, [0])
    shown = plot_calibration(curves).get_supxlabel()
    assert f"ten bins by the {shown}. A point shows the share of rows of this class" in caption(
        name, "classification", "error", "folds"
    )


def test_notes_name_a_data_set_once():
    warnings = ["d: 2 classes ('A', 'a') of the target differ only in capital letters", "column 'x' dropped: constant"]
    records = {"d": {name: {"dataset": "d", "warnings": warnings} for name in ("prepare", "groups")}}
    job = SimpleNamespace(inputs={"scored": [], "others": []})
    assert _notes(job, {"notes": []}, False, records, []) == [warnings[0], f"d: {warnings[1]}"] * 2
