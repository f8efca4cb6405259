"""The kernel among threads and processes of others: what they find is what one finds alone."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_wine

from rotastack import RotastackClassifier, RotationForestClassifier
from rotastack.trees import C45Classifier, ExtraForestClassifier, ForestClassifier, ForestRegressor

ESTIMATORS = [
    ForestClassifier(30, random_state=0, n_jobs=2),
    ForestClassifier(10, criterion="entropy", bootstrap=False, max_features=None, random_state=0, n_jobs=2),
    ExtraForestClassifier(30, random_state=0, n_jobs=2),
    ForestRegressor(30, random_state=0, n_jobs=2),
    RotationForestClassifier(8, random_state=0, n_jobs=2),
    RotastackClassifier(2, random_state=0, n_jobs=2),
    C45Classifier(),
]


def found(estimator):
    """Return what a fit finds, as bytes."""
    X, y = load_wine(return_X_y=True)
    # More rows than a thread takes at once, so that there is work for two.
    X = np.vstack([X + 0.01 * k for k in range(12)])
    estimator.fit(X, np.tile(y, 12))
    outputs = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict
    return outputs(X[::7]).tobytes()


@pytest.fixture(scope="module")
def expected():
    return [found(e) for e in ESTIMATORS]


@pytest.mark.slow
def test_fits_at_once(expected):
    """Each in a thread, which starts threads of its own."""
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(found, ESTIMATORS)) == expected


def test_predictions_of_one_forest_at_once():
    X, y = load_wine(return_X_y=True)
    forest = ForestClassifier(30, random_state=0, n_jobs=2).fit(X, y)
    alone = forest.predict_proba(X)
    with ThreadPoolExecutor(4) as pool:
        for outputs in pool.map(forest.predict_proba, [X] * 20):
            np.testing.assert_array_equal(outputs, alone)


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_fits_in_another_process(expected, method):
    """A forked one too, after this one has used threads."""
    with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(found, ESTIMATORS[:3])) == expected[:3]
