"""Views of runs, as the tags that MLflow's UI reads; tests/browser/test_mlflow_ui.py sees whether it still does."""

import json

import pytest

from rotastack.run.steps.track import LONGEST, SavedView, _best

VIEW = SavedView(
    "methods", "Methods", "tags.method = 'RF'", "metrics.`test/error`", ["tags.`method`", "metrics.`test/error`"],
    [SavedView.bars("test/error", "Error"), SavedView.scatter("time/fit_seconds", "test/error", "Cost")], group="method",
)  # fmt: skip


def content(view):
    """Return a view's tag and the state in it, as the UI reads them."""
    envelope = json.loads(view.value(5))
    return envelope, json.loads(envelope["state"])


def test_a_view_is_what_the_ui_expects():
    envelope, state = content(VIEW)
    assert (envelope["name"], envelope["createdAt"], envelope["updatedAt"]) == ("Methods", 5, 5)
    assert state["searchFilter"] == "tags.method = 'RF'"
    assert (state["orderByKey"], state["orderByAsc"]) == ("metrics.`test/error`", True)
    assert state["selectedColumns"] == state["columnOrder"] == ["tags.`method`", "metrics.`test/error`"]
    assert state["groupBy"]["groupByKeys"] == [{"mode": "tag", "groupByData": "method"}]
    (section,) = state["compareRunSections"]
    assert {c["metricSectionId"] for c in state["compareRunCharts"]} == {section["uuid"]}
    assert [c["type"] for c in state["compareRunCharts"]] == ["BAR", "SCATTER"]
    assert len({c["uuid"] for c in state["compareRunCharts"]}) == 2


def test_columns_that_find_no_room_are_left_out():
    wide = SavedView("w", "Wide", "", "tags.`method`", [f"params.`{'x' * 40}{k}`" for k in range(300)])
    _, state = content(wide)
    assert len(wide.value(5)) <= LONGEST
    assert 10 < len(state["selectedColumns"]) < 300
    assert state["selectedColumns"] == wide.columns[: len(state["selectedColumns"])]
    assert SavedView("w", "Wide", "x" * LONGEST, "tags.`method`", []).value(5) is None


def test_the_study_has_the_scores_of_the_method_with_the_best_rank():
    spec = {"evaluation": {"control": "B"}, "methods": {"A": {}, "B": {}, "C": {}}}
    assert _best(spec, {"average_ranks": {"A": 1.5, "B": 1.5, "C": 3.0}}) == "B"
    assert _best(spec, {"average_ranks": {"A": 1.0, "B": 2.0, "C": 3.0}}) == "A"
    assert _best(spec, {}) is None


@pytest.mark.parametrize("mode", ["TABLE", "CHART"])
def test_addresses(mode):
    assert f"viewStateShareKey=methods&compareRunsMode={mode}" in VIEW.address("7", mode)
