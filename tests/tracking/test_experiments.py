"""Experiments: their descriptions, and runs of earlier versions."""

from contextlib import chdir

import pytest

from rotastack.workflow.tracking.writer import Writer


@pytest.mark.slow
def test_the_description_is_kept_up_to_date_and_is_never_too_long(tmp_path):
    with chdir(tmp_path), Writer("shop") as writer:
        for text in ("first", "second", "\n".join(["# Verdict", *["| row |"] * 2000])):
            writer.describe_experiment(text)
            note = writer.client.get_experiment(writer.experiment_id).tags["mlflow.note.content"]
            assert note == text or len(text) > 5000
    assert len(note) <= 5000
    assert note.startswith("# Verdict\n| row |")
    assert note.endswith("…")


@pytest.mark.slow
def test_an_experiment_that_was_deleted_comes_back(tmp_path):
    with chdir(tmp_path):
        with Writer("shop") as writer:
            writer.client.delete_experiment(number := writer.experiment_id)
        with Writer("shop") as writer:
            assert writer.experiment_id == number
            assert writer.client.get_experiment(number).lifecycle_stage == "active"


@pytest.mark.slow
def test_runs_of_an_earlier_form_are_marked_and_logged_anew(tmp_path, monkeypatch):
    """After an upgrade nothing has two names for one number."""
    from rotastack.workflow.tracking import writer as module

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
