"""Fits within joblib's backends: the same outputs, byte for byte, as without."""

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from rotastack import PooledEnsembleClassifier
from rotastack.trees import ForestClassifier
from rotastack.trees.threads import n_threads
from rotastack.views import RandomRotation

X, y = load_iris(return_X_y=True)


def pool():
    return PooledEnsembleClassifier(
        RandomRotation(), DecisionTreeClassifier(), n_estimators=4, n_jobs=2, random_state=0
    )


@pytest.mark.slow
def test_members_are_trained_on_workers(monkeypatch):
    used, run = [], joblib.Parallel.__call__

    def noted(self, calls):
        found = run(self, calls)
        used.append(type(self._backend).__name__)
        return found

    here = pool().fit(X, y).predict_proba(X)
    monkeypatch.setattr(joblib.Parallel, "__call__", noted)
    with joblib.parallel_config("loky", n_jobs=2):
        assert np.array_equal(pool().fit(X, y).predict_proba(X), here)
    get_reusable_executor().shutdown()  # a fork of this process, as other tests make, could not use its workers
    assert used == ["LokyBackend", "LokyBackend"]


def test_trees_are_grown_in_threads_of_this_process(monkeypatch):
    monkeypatch.delattr(joblib.Parallel, "__call__")
    here = ForestClassifier(30, random_state=0).fit(X, y).predict_proba(X)
    with joblib.parallel_config("loky", n_jobs=2):
        assert n_threads(-1) == joblib.effective_n_jobs(-1)
        assert np.array_equal(ForestClassifier(30, n_jobs=2, random_state=0).fit(X, y).predict_proba(X), here)
