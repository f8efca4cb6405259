"""Fits on workers of joblib's backends: the same arrays, byte for byte, as in one process, whatever becomes of a worker."""

import errno
import os
import signal
from contextlib import contextmanager
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from tests.contents import contents

from rotastack import (
    RegularizedRotationForestClassifier,
    RotastackClassifier,
    RotastackRegressor,
    RotationForestClassifier,
)
from rotastack.trees import BoostedTreesClassifier, ForestRegressor, units

N_ROWS = 900  # more than a chunk of trees, so there is something to share out


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 5)), columns=list("abcde"))
    for name in "fg":
        X[name] = pd.Categorical(rng.choice(list("xyz"), N_ROWS))
    signal = X["a"] * X["b"] + (X["f"] == X["g"]) + 0.5 * rng.normal(size=N_ROWS)
    return X, np.digitize(signal, [0.0, 0.8]), signal.to_numpy(), rng.integers(1, 4, N_ROWS).astype(float)


def flagship(table):
    X, y, _, weights = table
    return RotastackClassifier(8, random_state=0).fit(X, y, sample_weight=weights)


def regression(table):
    X, _, y, _ = table
    return RotastackRegressor(8, random_state=0).fit(X, y)


def regularized(table):
    X, y, _, weights = table
    forest = RegularizedRotationForestClassifier(30, n_rotations=4, micro_forest_size=3, random_state=0)
    return forest.fit(X[list("abcde")], y, sample_weight=weights)


def rotation_forest(table):
    X, y, _, _ = table
    return RotationForestClassifier(12, random_state=0).fit(X[list("abcde")], y)


def boosted(table):
    X, y, _, weights = table
    return BoostedTreesClassifier(60, random_state=0).fit(X[list("abcde")], y, sample_weight=weights)


def forest(table):
    X, _, y, _ = table
    return ForestRegressor(30, random_state=0).fit(X[list("abcde")], y)


FITS = (flagship, regression, regularized, rotation_forest, boosted, forest)


@pytest.fixture(scope="module")
def here(table):
    return {fit: contents(fit(table)) for fit in FITS}


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@contextmanager
def counted(monkeypatch, then=lambda n: None):
    """Count what comes back from workers."""
    returned, unpacked = [0], units._unpacked

    def counting(found):
        if not isinstance(found, (np.ndarray, units._Narrowed)):  # a part of what a unit returns
            returned[0] += 1
            then(returned[0])
        return unpacked(found)

    with monkeypatch.context() as patch:
        patch.setattr(units, "_unpacked", counting)
        yield returned


@pytest.mark.parametrize("fit", FITS, ids=lambda fit: fit.__name__)
def test_dask_gives_the_same_bytes(fit, table, here, cluster, monkeypatch):
    with joblib.parallel_config("dask"), counted(monkeypatch) as returned:
        assert contents(fit(table)) == here[fit]
    assert returned[0] > 1


def test_a_worker_is_killed_in_the_middle(table, here, cluster, monkeypatch):
    def kill(n):
        if n == 3:
            os.kill(next(iter(cluster.run(os.getpid).values())), signal.SIGKILL)

    with joblib.parallel_config("dask"), counted(monkeypatch, kill) as returned:
        assert contents(flagship(table)) == here[flagship]
    assert returned[0] > 3


@pytest.mark.parametrize("fit", [flagship, forest], ids=lambda fit: fit.__name__)
def test_loky_gives_the_same_bytes(fit, table, here, monkeypatch):
    with joblib.parallel_config("loky", n_jobs=2), counted(monkeypatch) as returned:
        assert contents(fit(table)) == here[fit]
    assert returned[0] > 1


def test_workers_that_do_not_see_the_file_are_sent_the_arrays(table, here, monkeypatch):
    dumped = joblib.dump

    def elsewhere(value, path):
        dumped(value, path)
        Path(path).rename(f"{path}-there")

    monkeypatch.setattr(units.joblib, "dump", elsewhere)
    with joblib.parallel_config("loky", n_jobs=2), counted(monkeypatch) as returned:
        assert contents(forest(table)) == here[forest]
    assert returned[0] > 1


def test_a_file_that_cannot_go_yet_does_not_end_the_fit(table, here, monkeypatch):
    """As on NFS, where a file that is deleted while it is mapped stays in its folder under another name."""
    rmdir, refused = os.rmdir, []

    def refusing(path, **where):
        if Path(path).name.startswith("rotastack-"):
            refused.append(path)
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        rmdir(path, **where)

    with monkeypatch.context() as patch, joblib.parallel_config("loky", n_jobs=2):
        patch.setattr(os, "rmdir", refusing)
        assert contents(forest(table)) == here[forest]
    assert refused
    for path in refused:
        rmdir(path)


def _dies_once(item, stop, marker):
    if item == 2 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_what_a_lost_worker_had_to_do_is_done_anew(tmp_path):
    with joblib.parallel_config("loky", n_jobs=2), pytest.warns(UserWarning, match="a worker was lost"):
        assert list(units.run_units(_dies_once, range(6), [str(tmp_path / "died")], None)) == list(range(6))


def _dies(item, stop):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:a worker was lost")
def test_workers_that_are_always_lost_end_the_fit(monkeypatch):
    monkeypatch.setattr(units, "PATIENCE", 1)
    with joblib.parallel_config("loky", n_jobs=2), pytest.raises(RuntimeError, match="LokyBackend failed 2 times"):
        list(units.run_units(_dies, range(4), [], None))


def _refuses(item, stop):
    raise ValueError(f"no {item}")


def test_what_a_unit_raises_is_raised():
    with joblib.parallel_config("loky", n_jobs=2), pytest.raises(ValueError, match="no 0"):
        list(units.run_units(_refuses, range(4), [], None))


def test_threads_and_one_job_stay_in_this_process(table, here, monkeypatch):
    with counted(monkeypatch) as returned:
        forest(table)
        with joblib.parallel_config("threading", n_jobs=2):
            forest(table)
        with joblib.parallel_config("loky", n_jobs=2):
            X, _, y, _ = table
            ForestRegressor(30, n_jobs=1, random_state=0).fit(X[list("abcde")], y)
    assert returned[0] == 0
