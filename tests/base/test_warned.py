"""Warnings are ignored within blocks, and no block leaves a filter behind."""

import time
import warnings
from threading import Barrier

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin

from rotastack.base.warned import ignoring
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier

BOTH = Barrier(2, timeout=20)


class Overlapping(ClassifierMixin, BaseEstimator):
    """Waits in ``fit`` for the other thread, and ends before or after it."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        time.sleep(0.1 * BOTH.wait())
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))

    def predict(self, X):
        return self.classes_[np.zeros(len(X), dtype=int)]


def test_trainings_in_threads_leave_no_filter_behind():
    before = list(warnings.filters)
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    for _ in range(5):  # whichever thread begins first
        PooledEnsembleClassifier(None, Overlapping(), n_estimators=2, n_jobs=2).fit(X, y)
        assert warnings.filters == before


def test_a_block_that_outlives_another_still_ignores():
    def one(k):
        with ignoring("of a kind"):
            BOTH.wait()
            time.sleep(0.1 * k)
            warnings.warn("of a kind", stacklevel=1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Parallel(2, prefer="threads")(delayed(one)(k) for k in range(2))
        assert caught == []
        warnings.warn("of a kind", stacklevel=1)
    assert len(caught) == 1


def test_an_inner_block_takes_its_filter_back():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        with ignoring("outer"):
            with ignoring("inner"), ignoring("outer"):
                warnings.warn("inner", stacklevel=1)
            for text in ("inner", "outer"):
                warnings.warn(text, stacklevel=1)
        assert [str(w.message) for w in caught] == ["inner"]
        assert warnings.filters == before


def test_a_block_keeps_to_the_filters_of_a_block_of_python():
    with ignoring("outer"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ignoring("inner"):
            for text in ("inner", "outer"):
                warnings.warn(text, stacklevel=1)
        warnings.warn("inner", stacklevel=1)
    assert [str(w.message) for w in caught] == ["outer", "inner"]
