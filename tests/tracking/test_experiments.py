"""Experiments: descriptions and views that MLflow's UI reads, brought up to date and no more."""

from contextlib import chdir
from types import SimpleNamespace

import pytest
from mlflow.tracking import MlflowClient

from rotastack.tracking.writer import Writer

VIEW = SimpleNamespace(key="mlflow.sharedViewState.methods", value=lambda created: f'{{"createdAt": {created}}}')


@pytest.mark.slow
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


@pytest.mark.slow
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
