"""The same bytes whatever the cores, the blocks, the order of jobs, and interruptions."""

import json
import os
import shutil
import signal
import time

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from tests.workflow.project import TINY

from rotastack import StackedRotationClassifier
from rotastack.combine.stacking import Stacking
from rotastack.data.artifacts import read_arrays, read_frame, read_prepared
from rotastack.ensembles.pooled.pool import Recipe
from rotastack.seeds import child
from rotastack.trees.forest import ForestClassifier
from rotastack.views.rotation import RandomRotation

pytestmark = pytest.mark.workflow

COMMAND = ("snakemake", "--cores", "2", "--configfile", TINY)


@pytest.mark.slow
def test_one_core_other_blocks_and_another_order_give_the_same_bytes(finished, blank):
    """Here one job after another, the last that can be done first; there by Snakemake on two cores."""
    blank.edit(TINY, "blocks: {rotation_groups: 2, fold_groups: 2}", "blocks: {rotation_groups: 1, fold_groups: 1}")
    blank.make("results/tiny/statistics/comparison.json", cores=1, backwards=True)
    assert len(list(blank.folder.glob("results/tiny/iris/pools/*/*/FG-02.nc"))) == 6
    assert blank.scores() == finished.scores()


@pytest.mark.slow
def test_threads_give_the_same_bytes(project):
    """Steps get the threads that the study's size suggests; here more than that."""
    pools, methods = (
        sorted((project.folder / "results/tiny/iris").glob(f"{name}/**/*.nc")) for name in ("pools", "methods")
    )
    before = {path: path.read_bytes() for path in pools + methods}
    for path in before:
        path.unlink()
    files = [str(path.relative_to(project.folder)) for path in methods]
    project.make(*files, threads=3)
    assert [str(path) for path in before if path.read_bytes() != before[path]] == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_runs_finish_with_the_same_bytes(finished, project, how):
    """All of one data set is to be made again, and what follows."""
    shutil.rmtree(project.folder / "results/tiny/iris")
    (project.folder / "results/tiny/scores.parquet").unlink()
    running = project.start(*COMMAND)
    done = project.folder / "results/tiny/iris/pools"
    for _ in range(1200):
        if list(done.rglob("*.nc")):
            break
        time.sleep(0.1)
    assert running.poll() is None, running.stdout.read()
    os.killpg(running.pid, signal.SIGSTOP)  # or it is done before the second one has begun
    second = project.call(*COMMAND, check=False)
    assert second.returncode == 2
    message = second.stderr.strip().splitlines()[-1]
    assert message.startswith("rotastack: error: another run (process ")
    assert "--unlock" in message
    os.killpg(running.pid, how)
    os.killpg(running.pid, signal.SIGCONT)
    running.communicate(timeout=60)
    assert not (project.folder / "results/tiny/scores.parquet").exists()
    project.call(*COMMAND)
    assert project.scores() == finished.scores()
    assert not list(project.folder.rglob("*.tmp")) or how == signal.SIGKILL


@pytest.mark.slow
def test_a_damaged_artifact_is_set_aside_and_made_again_by_the_same_command(project):
    before = project.scores()
    pool = next((project.folder / "results/tiny/iris/pools/rotated_forest").rglob("*.nc"))
    pool.write_bytes(pool.read_bytes()[:3000])
    methods = [f"results/tiny/iris/methods/{m}.nc" for m in ("RRE", "S-RRE_RF")]
    failed = project.snakemake(*methods, check=False)
    assert failed.returncode != 0
    assert f"{pool.relative_to(project.folder)}: not what was written there" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert pool.with_name(f"{pool.name}.damaged").stat().st_size == 3000
    project.snakemake(*methods)
    project.snakemake()
    assert project.scores() == before


def test_the_estimator_is_the_workflows_method(finished):
    """One cell of S-RRE/RF, by StackedRotationClassifier's own code on the same folds and rotations."""
    root = finished.folder / "results/tiny/iris"
    record = json.loads((root / "methods/S-RRE_RF.run.json").read_text())
    data = read_prepared(finished.folder / "results/datasets/iris.parquet")
    folds = read_frame(root / "folds.parquet")[0]["FG-02"].to_numpy()
    rotations = read_arrays(root / "rotations/RandomRotation/RG-01.nc")
    learner = ForestClassifier(2)
    recipes = [Recipe(None, learner)] + [
        Recipe(RandomRotation.from_matrix(rotations["block"].values[k]), learner) for k in (1, 2)
    ]
    seed = record["parameters"]["seed"]

    estimator = StackedRotationClassifier(3, random_state=0)
    estimator.classes_ = np.arange(3)
    training = child(np.random.SeedSequence(seed), "train", "iris", "rotated_forest", 0, 1)
    combining = child(np.random.SeedSequence(seed), "combine", "iris", "S-RRE/RF", 0, 1)
    estimator._train_nested(
        data.X, data.y, recipes, Stacking(ForestClassifier(10)), folds,
        data.is_dummy, training, combining, None,
    )  # fmt: skip
    with xr.open_dataset(root / "methods/S-RRE_RF.nc", engine="h5netcdf") as stored:
        expected = stored["proba"].sel(rotation_group="RG-01", fold_group="FG-02").values
    assert (estimator.oof_proba_ == expected).all()
    assert pd.Series(expected.argmax(axis=1) == data.y).mean() > 0.85
