"""After any sequence of edits the current runs are those of the study's files, as in a fresh database."""

import json
import os
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

import pytest
from mlflow.tracking import MlflowClient
from tests.tracking.small_study import job_of

from rotastack.workflow.run.steps import track
from rotastack.workflow.tracking.address import VARIABLE, tracking_uri

pytestmark = pytest.mark.filterwarnings("ignore:columns left out")

FIRST = {"KNN": 0.3, "RF": 0.2}
BETTER = {**FIRST, "Good": 0.1}
RENAMED = {"Neighbours": 0.3, "RF": 0.2, "Good": 0.1}
STORY = [
    ("two methods", {"methods": FIRST}),
    ("a better method is added", {"methods": BETTER}),
    ("six repeats instead of three", {"methods": BETTER, "repeats": 6}),
    ("a method is renamed", {"methods": RENAMED, "repeats": 6}),
    ("a method is removed", {"methods": {"RF": 0.2, "Good": 0.1}, "repeats": 6}),
    ("the edit is taken back", {"methods": RENAMED, "repeats": 6}),
    (
        "a data set is added, and no model",
        {"methods": RENAMED, "repeats": 6, "datasets": ("iris", "wine"), "refit": "none"},
    ),
    ("all is taken back", {"methods": FIRST}),
]


def logged(**version):
    """Log a version; return the receipt."""
    job = job_of(**version)
    track.run(job)
    return json.loads(job.output("receipt").read_text())


def named(receipt):
    """Return name -> id of the runs of a receipt."""
    runs = {f"{d} {name}": run for d, of in receipt["datasets"].items() for name, run in of.items()}
    ours = {name: run for name, run in runs.items() if not name.endswith((" model_uri", " registered"))}
    return {"study": receipt["study"], **ours}


def shown(receipt):
    """Return all that the runs of a receipt show, with their names instead of ids."""
    client = MlflowClient(tracking_uri(), tracking_uri())
    names = {run: name for name, run in named(receipt).items()}
    found = {}
    for run_id, name in names.items():
        run = client.get_run(run_id)
        parent = run.data.tags.pop("mlflow.parentRunId", None)
        tags = {k: v.replace(run_id, name) for k, v in run.data.tags.items() if not k.startswith("mlflow.log-model")}
        series = {k: [(m.step, m.value) for m in client.get_metric_history(run_id, k)] for k in run.data.metrics}
        inputs = [(i.dataset.name, i.dataset.digest) for i in run.inputs.dataset_inputs]
        found[name] = (
            run.info.status,
            names.get(parent),
            tags,
            run.data.params,
            series,
            inputs,
            files_of(client, run_id),
        )
    for dataset, runs in receipt["datasets"].items():
        if "model" in runs:
            name = f"{receipt['experiment']}.{dataset}"
            for alias in ("champion", "current"):
                version = client.get_model_version_by_alias(name, alias)
                text = version.description.replace(runs["model"], "model")
                found[f"{dataset} {alias}"] = (names[version.run_id], text, version.tags)
            assert runs["registered"] == f"models:/{name}/{version.version}"
    return found


def files_of(client, run_id, folder=None):
    """Return the path and text of the files of a run, but for those of its model."""
    found = {}
    for file in client.list_artifacts(run_id, folder):
        if file.is_dir and file.path != "model":
            found |= files_of(client, run_id, file.path)
        elif not file.is_dir:
            text = Path(client.download_artifacts(run_id, file.path)).read_text()
            found[file.path] = text.replace(run_id, "run")
    return found


def current():
    """Return the ids of the active runs with the tag of the present version, and of all active runs."""
    client = MlflowClient(tracking_uri(), tracking_uri())
    runs = client.search_runs([client.get_experiment_by_name("s").experiment_id])
    assert len({run.data.tags["rotastack.key"] for run in runs}) == len(runs), "one run of each key"
    assert {run.info.status for run in runs} == {"FINISHED"}
    return {r.info.run_id for r in runs if r.data.tags["rotastack.current"] == "yes"}, {r.info.run_id for r in runs}


def check_current(receipt, tmp_path, version):
    """Compare the current runs with those of a fresh database."""
    assert current()[0] == set(named(receipt).values())
    folder = tmp_path / "fresh" / str(len(list(tmp_path.glob("fresh/*"))))
    folder.mkdir(parents=True)
    found = shown(receipt)
    with chdir(folder):
        assert found == shown(logged(**version))


@pytest.mark.slow
def test_the_current_runs_are_those_of_the_files_after_each_edit(here, tmp_path_factory):
    folder, kept = tmp_path_factory.mktemp("story"), {}
    for what, version in STORY:
        receipt = logged(**version)
        check_current(receipt, folder, version)
        assert kept.setdefault(str(version), receipt) == receipt, f"{what}: equal keys are the same runs"


def test_a_removed_method_leaves_no_rank_and_the_best_is_one_method_s(here):
    """The case of before: metrics that runs of the study and the data set kept."""
    for methods in (FIRST, BETTER):
        logged(methods=methods, refit="none")
    receipt = logged(methods={"RF": 0.2, "Good": 0.1}, repeats=6, refit="none")
    client = MlflowClient(tracking_uri(), tracking_uri())
    study = client.get_run(receipt["study"]).data
    assert study.tags["mlflow.note.content"].startswith("RF \\*wins\\*.")
    view = json.loads(client.get_experiment(current_experiment()).tags["mlflow.sharedViewState.rotastack"])
    assert (view["orderByKey"], view["orderByAsc"]) == ("metrics.`test/error`", True)
    found = client.search_runs([current_experiment()], view["searchFilter"])
    assert {run.data.tags["method"] for run in found} == {"RF", "Good"}
    data = client.get_run(receipt["datasets"]["iris"]["dataset"]).data
    assert (data.tags["best"], data.metrics["best/error"]) == ("Good", pytest.approx(0.125))
    ranks = {k: v for k, v in study.metrics.items() if k.startswith(("rank", "friedman"))}
    assert ranks == {"rank/Good": 1, "rank/RF": 2}
    assert current()[0] == set(named(receipt).values())


def test_without_a_receipt_equal_keys_find_their_runs(here):
    receipt = logged(methods=FIRST, refit="none")
    Path("results/s/tracking.json").unlink()
    with patch.object(MlflowClient, "log_batch", side_effect=AssertionError):
        assert logged(methods=FIRST, refit="none") == receipt
    assert current() == (set(named(receipt).values()),) * 2


def test_a_deleted_run_of_the_study_is_no_parent(here):
    deleted = logged(methods=FIRST, refit="none")["study"]
    MlflowClient(tracking_uri(), tracking_uri()).delete_run(deleted)
    Path("results/s/tracking.json").unlink()
    receipt = logged(methods=FIRST, refit="none")
    assert receipt["study"] != deleted
    assert shown(receipt)["iris dataset"][1] == "study"
    assert current()[0] == set(named(receipt).values())
    two = logged(methods=FIRST, refit="none", datasets=("iris", "wine"))
    assert two["datasets"]["iris"] == receipt["datasets"]["iris"], "which another data set does not concern"


class Killed(BaseException):
    """The end of a process in the middle of its work."""


def killed_at(moment, function, **version):
    """Log a version by a writer that ends at a call of one of MLflow's functions."""
    calls = 0

    def called(client, *arguments, **options):
        nonlocal calls
        calls += 1
        if calls == moment:
            raise Killed
        return before(client, *arguments, **options)

    before = getattr(MlflowClient, function)
    with patch.object(MlflowClient, function, called), pytest.raises(Killed):
        logged(**version)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moment", "function"),
    [(2, "set_terminated"), (4, "log_batch"), (1, "create_logged_model"), (2, "set_registered_model_alias")],
)
def test_a_writer_that_was_killed_leaves_nothing(here, tmp_path_factory, moment, function):
    logged(methods=FIRST)
    killed_at(moment, function, methods=BETTER)
    check_current(logged(methods=BETTER), tmp_path_factory.mktemp("kill"), {"methods": BETTER})
    models = MlflowClient(tracking_uri(), tracking_uri()).search_logged_models([current_experiment()])
    assert sorted(str(model.status) for model in models) == ["READY"] * 2


def current_experiment():
    return MlflowClient(tracking_uri(), tracking_uri()).get_experiment_by_name("s").experiment_id


@pytest.mark.slow
def test_at_another_address_nothing_of_others_changes(tmp_path, monkeypatch):
    """Another folder's runs and unfinished runs stay as they are; equal runs are the same run."""
    monkeypatch.setenv(VARIABLE, uri := f"sqlite:///{tmp_path}/shared/mlflow.db")
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for folder in (theirs, ours):
        folder.mkdir()
    with chdir(theirs):
        of_them = logged(methods=FIRST, refit="none")
        client = MlflowClient(uri, uri)
        half = client.create_run(current_experiment(), tags={"rotastack.key": "of them"}).info.run_id
    with chdir(ours):
        assert logged(methods=FIRST, repeats=4, refit="none")["datasets"] != of_them["datasets"]
        before = logged(methods=BETTER, refit="none")
        after = logged(methods=RENAMED, refit="none")
    marks = {r.info.run_id: r.data.tags.get("rotastack.current") for r in client.search_runs([current_experiment()])}
    assert client.get_run(half).info.status == "RUNNING"
    for receipt, mark in ((of_them, "yes"), (before, "no"), (after, "yes")):
        assert {marks[run] for run in named(receipt).values()} == {mark}
    with chdir(theirs):
        again = logged(methods=RENAMED, refit="none")
    assert named(again) == named(after), "equal keys are equal results, whoever logs them"
    assert os.environ[VARIABLE] == uri
