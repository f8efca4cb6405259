"""Experiments: descriptions and views that MLflow's UI reads, brought up to date and no more."""

import json
from contextlib import chdir

import pytest
from mlflow.tracking import MlflowClient

from rotastack.tracking.saved_views import LONGEST, SavedView
from rotastack.tracking.writer import Writer

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


def test_what_is_there_is_not_written_again(tmp_path, monkeypatch):
    written = []
    wanted = MlflowClient.set_experiment_tag
    monkeypatch.setattr(MlflowClient, "set_experiment_tag", lambda self, *a: (written.append(a[1]), wanted(self, *a)))
    with chdir(tmp_path):
        for text, expected in (
            ("first", ["mlflow.note.content", VIEW.key]),
            ("first", []),
            ("second", ["mlflow.note.content"]),
        ):
            written.clear()
            with Writer("shop") as writer:
                writer.about.describe(text)
                writer.about.save_view(VIEW, 1)
            assert written == expected
        with Writer("shop") as writer:
            assert writer.client.get_experiment(writer.experiment_id).tags["mlflow.note.content"] == "second"
            writer.about.describe("\n".join(["# Verdict", *["| row |"] * 2000]))
            note = writer.client.get_experiment(writer.experiment_id).tags["mlflow.note.content"]
    assert len(note) <= 5000
    assert note.startswith("# Verdict\n| row |")
    assert note.endswith("…")


def test_runs_of_an_earlier_form_are_marked_and_logged_anew(tmp_path, monkeypatch):
    """After an upgrade nothing has two names for one number."""
    from rotastack.tracking import writer as module

    record = {"parameters": {"n": 1}, "code": "c", "version": "0", "status": "ok", "message": "", "seed": 7}
    found = []
    with chdir(tmp_path):
        for form in (1, 2, 2):
            monkeypatch.setattr(module, "FORM", form)
            with Writer("shop", "customers") as writer:
                home = writer.container("dataset", {"study": "shop", "dataset": "customers"})
                run = writer.leaf("method", {"method": "RF"}, home, "customers / RF", record, {"code": "a-c"}, {"n": 2})
                writer.finish(run.run_id)
                found.append(run)
        client = writer.client
        assert [run.is_new for run in found] == [True, True, False]
        runs = [client.get_run(run.run_id).data for run in found[:2]]
    assert [r.tags["rotastack.superseded"] for r in runs] == ["yes", "no"]
    assert {k: runs[1].tags[k] for k in ("code", "version", "seed")} == {"code": "a-c", "version": "0", "seed": "7"}
    assert runs[1].params == {"n": "2"}


@pytest.mark.parametrize("mode", ["TABLE", "CHART"])
def test_addresses(mode):
    assert f"viewStateShareKey=methods&compareRunsMode={mode}" in VIEW.address("7", mode)
