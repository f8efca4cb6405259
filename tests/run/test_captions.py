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
    assert "rows of lower MAE" in caption("groups", "regression", "mae", "splits")
    assert caption("unknown", "regression", "r2", "splits") == ""
