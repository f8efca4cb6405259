"""Results have the same bytes with any number of cores, blocks, order of jobs and interruptions."""

import json
import os
import re
import shutil
import signal
import time
from collections import Counter

import numpy as np
import pandas as pd
import psutil
import pytest
import xarray as xr
from mlflow.tracking import MlflowClient
from tests.waiting import wait_for
from tests.workflow.project import TINY

from rotastack import StackedRotationClassifier
from rotastack.combine.stacking import Stacking
from rotastack.data.artifacts import read_arrays, read_frame, read_prepared
from rotastack.ensembles.pooled.nested import HeldOut
from rotastack.ensembles.pooled.pool import PoolOptions, Recipe
from rotastack.seeds import child
from rotastack.trees import TrainingRows
from rotastack.trees.forest import ForestClassifier
from rotastack.views.rotation import RandomRotation
from rotastack.views.scaling import SCALERS

pytestmark = pytest.mark.workflow

COMMAND = ("rotastack", "run", "tiny", "--cores", "2")


def test_one_core_other_blocks_and_another_order_give_the_same_bytes(finished, blank):
    """One run executes one job after another, the last ready job first; the other run is by Snakemake on two cores."""
    blank.edit(TINY, "blocks: {rotation_groups: 2, fold_groups: 2}", "blocks: {rotation_groups: 1, fold_groups: 1}")
    blank.edit(TINY, "[iris, balance-scale]", "[iris]")
    blank.make("results/tiny/iris/scores.parquet", cores=1, backwards=True)
    made, expected = (project.folder / "results/tiny/iris" for project in (blank, finished))
    assert len(list(made.glob("pools/*/*/FG-02.nc"))) == 6
    files = [path.relative_to(expected) for path in (*expected.glob("methods/*.nc"), *expected.glob("*.parquet"))]
    assert len(files) > 6
    assert [str(file) for file in files if (made / file).read_bytes() != (expected / file).read_bytes()] == []


KILLED_AT = ("tiny/iris/pools/rotated_forest/*/*.nc", "mlflow/mlflow.db")
"""Moments of a run, each by a file of the results that is just there."""


def test_runs_that_are_killed_finish_with_the_same_bytes_and_one_run_of_each(finished, project):
    """All files of one data set and the later files are made again; another run cannot start meanwhile."""
    root = project.folder / "results/tiny"
    for folder in (root / "iris", project.folder / "results/mlflow"):
        shutil.rmtree(folder)
    for file in [root / "scores.parquet", *root.glob("tracking.json")]:
        file.unlink()
    for pattern in KILLED_AT:
        running = project.start(*COMMAND)
        try:
            wait_for(lambda pattern=pattern: list(root.parent.glob(pattern)), process=running)
            if pattern == KILLED_AT[0]:
                os.killpg(running.pid, signal.SIGSTOP)  # else the first run ends before the second run starts
                log = root.parent / "logs/tiny.log"
                logged = log.read_text()
                second = project.call(*COMMAND, check=False)
                assert log.read_text().startswith(logged)
                assert second.returncode == 2
                assert "Traceback" not in second.stderr
                assert re.search(r"^rotastack: error: another run \(process ", second.stderr, re.M)
            everybody = psutil.Process(running.pid).children(recursive=True)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate(timeout=60)
        end_of(everybody)
        assert not list(root.glob("tracking.json"))
    project.call(*COMMAND)
    assert "training pool" not in (root.parent / "logs/tiny.log").read_text()
    assert project.scores() == finished.scores()
    client = MlflowClient(f"sqlite:///{project.folder}/results/mlflow/mlflow.db")
    (experiment,) = client.search_experiments(filter_string="name = 'tiny'")
    runs = client.search_runs([experiment.experiment_id], max_results=1000)
    kinds = Counter(run.data.tags["rotastack.kind"] for run in runs)
    assert kinds == {"study": 1, "dataset": 2, "pool": 6, "method": 8, "model": 2}
    assert {run.info.status for run in runs} == {"FINISHED"}
    assert project.planned() == ({}, [])


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_end_leaves_no_process(finished, project, how):
    """Ctrl-C goes to all processes of a terminal; schedulers send signals to the command only."""
    root = project.folder / "results/tiny"
    shutil.rmtree(root / "iris")
    running = project.start(*COMMAND)
    wait_for(lambda: list((root / "iris").glob("pools/*/*/*.nc")), process=running)
    everybody = psutil.Process(running.pid).children(recursive=True)
    began = time.monotonic()
    (os.killpg if how == signal.SIGINT else os.kill)(running.pid, how)
    said, _ = running.communicate(timeout=60)
    assert time.monotonic() - began < 30
    assert running.returncode == 128 + how
    assert said.splitlines()[-1].endswith("repeat the command to continue")
    assert not re.search("Traceback|rotastack: error", said)
    end_of(everybody)
    assert not list(project.folder.rglob("*.tmp"))
    assert not (root / "iris/scores.parquet").exists()


def end_of(everybody):
    """Wait for the end of processes: steps that have just started end within seconds, not at once."""
    _, alive = psutil.wait_procs(everybody, timeout=20)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def test_the_estimator_is_the_workflows_method(scored):
    """One cell of S-RRE/RF, by StackedRotationClassifier's own code on the same folds and rotations."""
    root = scored.folder / "results/tiny/iris"
    record = json.loads((root / "methods/S-RRE_RF.run.json").read_text())
    data = read_prepared(scored.folder / "results/tiny/iris/table.parquet")
    folds = read_frame(root / "folds.parquet")[0]["FG-02"].to_numpy()
    rotations = read_arrays(root / "rotations/RandomRotation/RG-01-02.nc")
    learner = ForestClassifier(2)
    recipes = [Recipe(None, learner)] + [
        Recipe(RandomRotation.from_matrix(rotations["block"].values[k]), learner) for k in (1, 2)
    ]
    seed = record["parameters"]["seed"]

    estimator = StackedRotationClassifier(3, random_state=0)
    estimator.classes_ = np.arange(3)
    training = child(np.random.SeedSequence(seed), "train", "iris", "rotated_forest", 0, 1)
    combining = child(np.random.SeedSequence(seed), "combine", "iris", "S-RRE/RF", 0, 1)
    estimator._combine_nested(
        Stacking(ForestClassifier(10)),
        TrainingRows(data.X, data.y, 3),
        HeldOut(folds, estimator._pairs(folds)),
        recipes,
        PoolOptions(SCALERS["minmax"](), data.is_dummy),
        training,
        combining,
    )
    with xr.open_dataset(root / "methods/S-RRE_RF.nc", engine="h5netcdf") as stored:
        expected = stored["proba"].sel(rotation_group="RG-01", fold_group="FG-02").values
    assert (estimator.oof_proba_ == expected).all()
    assert pd.Series(expected.argmax(axis=1) == data.y).mean() > 0.85
