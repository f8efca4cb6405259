"""Fits on workers of joblib's backends: the same arrays, byte for byte, as in one process."""

import os
from contextlib import contextmanager

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
from rotastack.trees import BoostedTreesClassifier, ForestRegressor, threads

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
def dask():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="pip install ray: its workers are tested where it is there")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@contextmanager
def sent(monkeypatch):
    """List the functions whose units are sent to workers."""
    functions, run = [], threads.Parallel

    class Listed(run):
        def __call__(self, calls):
            return super().__call__(functions.append(call[0]) or call for call in calls)

    with monkeypatch.context() as patch:
        patch.setattr(threads, "Parallel", Listed)
        yield functions


BACKENDS = {"dask": FITS, "ray": (flagship, forest), "loky": (flagship, forest), "multiprocessing": (flagship, forest)}


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "fit"), [(backend, fit) for backend, fits in BACKENDS.items() for fit in fits])
def test_workers_give_the_same_bytes(backend, fit, table, here, request, monkeypatch):
    if backend in ("dask", "ray"):
        request.getfixturevalue(backend)
    jobs = {} if backend == "dask" else {"n_jobs": 2}
    with joblib.parallel_config(backend, **jobs), sent(monkeypatch) as functions:
        assert contents(fit(table)) == here[fit]
    assert len(functions) > 1


def _refuses(item, stop):
    raise ValueError(f"no {item}")


@pytest.mark.slow
def test_what_a_unit_raises_is_raised():
    with joblib.parallel_config("loky", n_jobs=2), pytest.raises(ValueError, match=r"^no [01]$"):
        list(threads.run_units(_refuses, range(4), [], None))


def _ends_its_worker_once(item, stop, marker):
    if item == 1 and not marker.exists():
        marker.touch()
        os._exit(1)
    return item


@pytest.mark.slow
def test_units_of_a_lost_worker_are_repeated(dask, tmp_path):
    with joblib.parallel_config("dask"):
        assert list(threads.run_units(_ends_its_worker_once, range(6), [tmp_path / "lost"], None)) == list(range(6))
    assert (tmp_path / "lost").exists()


def test_threads_and_one_job_stay_in_this_process(table, here, monkeypatch):
    X, _, y, _ = table
    with sent(monkeypatch) as functions:
        forest(table)
        with joblib.parallel_config("threading", n_jobs=2):
            forest(table)
        with joblib.parallel_config("loky", n_jobs=2):
            ForestRegressor(30, n_jobs=1, random_state=0).fit(X[list("abcde")], y)
    assert not functions
