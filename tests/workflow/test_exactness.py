"""The same bytes whatever the cores, the blocks, the order of jobs, and interruptions."""

import os
import signal
import time

import pytest

pytestmark = pytest.mark.workflow


def test_one_core_other_blocks_and_another_order_give_the_same_bytes(finished, tmp_path):
    other = finished.copy(tmp_path / "other")
    other.edit(
        "config/studies/tiny.yaml",
        "blocks: {rotation_groups: 2, fold_groups: 2}",
        "blocks: {rotation_groups: 1, fold_groups: 1}",
    )
    last = ["S-RRE_XGB", "RRE", "RF"]
    for method in last:  # some of the jobs first, and backwards
        other.snakemake(f"results/tiny/balance-scale/methods/{method}.nc", cores=1)
    other.snakemake(cores=1)
    assert other.scores() == finished.scores()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_runs_finish_with_the_same_bytes(finished, tmp_path, how):
    project = finished.copy(tmp_path / "project")
    command = ("snakemake", "--cores", "2", "--configfile", "config/studies/tiny.yaml")
    running = project.start(*command)
    done = project.folder / "results/tiny/iris/pools"
    for _ in range(600):
        if list(done.rglob("*.nc")):
            break
        time.sleep(0.1)
    second = project.call(*command, check=False)
    assert second.returncode == 2
    message = second.stderr.strip().splitlines()[-1]
    assert message.startswith("rotastack: error: another run (process ")
    assert "--unlock" in message
    os.killpg(running.pid, how)
    running.communicate(timeout=60)
    assert not (project.folder / "results/tiny/scores.parquet").exists()
    project.call(*command)
    assert project.scores() == finished.scores()
    assert not list(project.folder.rglob("*.tmp")) or how == signal.SIGKILL


def test_a_corrupt_artifact_is_named_and_made_again_when_deleted(project):
    before = project.scores()
    pool = next((project.folder / "results/tiny/iris/pools/rotated_forest").rglob("*.nc"))
    pool.write_bytes(pool.read_bytes()[:3000])
    failed = project.snakemake(check=False)
    assert failed.returncode != 0
    assert f"{pool.relative_to(project.folder)}: corrupt artifact" in failed.stderr
    assert "Traceback" not in failed.stderr
    pool.unlink()
    project.snakemake(*[f"results/tiny/iris/methods/{m}.nc" for m in ("RRE", "S-RRE_RF")])
    project.snakemake()
    assert project.scores() == before


def test_the_estimator_is_the_workflows_method(finished):
    """One cell of S-RRE/RF, by StackedRotationClassifier's own code on the same folds and rotations."""
    import json

    import numpy as np
    import pandas as pd
    import xarray as xr
    from rotastack.learners.registry import make_learner

    from rotastack import StackedRotationClassifier
    from rotastack.combine import Stacking
    from rotastack.ensembles.pooled.pool import Recipe
    from rotastack.seeds import child
    from rotastack.study.artifacts import read_arrays, read_frame, read_prepared
    from rotastack.views import RandomRotation

    root = finished.folder / "results/tiny/iris"
    record = json.loads((root / "methods/S-RRE_RF.run.json").read_text())
    data = read_prepared(finished.folder / "results/datasets/iris.parquet")
    folds = read_frame(root / "folds.parquet")[0]["FG-02"].to_numpy()
    rotations = read_arrays(root / "rotations/RG-01.nc")
    learner = make_learner({"kind": "forest", "n_trees": 2})
    recipes = [Recipe(None, learner)] + [
        Recipe(RandomRotation.from_matrix(rotations["block"].values[k]), learner) for k in (1, 2)
    ]
    seed = record["parameters"]["seed"]

    estimator = StackedRotationClassifier(3, random_state=0)
    estimator.classes_ = np.arange(3)
    training = child(np.random.SeedSequence(seed), "train", "iris", "rotated_forest", 0, 1)
    combining = child(np.random.SeedSequence(seed), "combine", "iris", "S-RRE/RF", 0, 1)
    estimator._train_nested(
        data.X, data.y, recipes, Stacking(make_learner({"kind": "forest", "n_trees": 10})), folds,
        data.categorical, training, combining,
    )  # fmt: skip
    with xr.open_dataset(root / "methods/S-RRE_RF.nc", engine="h5netcdf") as stored:
        expected = stored["proba"].sel(rotation_group="RG-01", fold_group="FG-02").values
    assert (estimator.oof_proba_ == expected).all()
    assert pd.Series(expected.argmax(axis=1) == data.y).mean() > 0.85
