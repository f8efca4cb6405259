"""A fit is whole or nothing: after a fit that raised, or was interrupted, an estimator is not fitted."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from tests.test_estimator_checks import FIRST

import rotastack
from rotastack import combine
from rotastack.data import TablePreprocessor
from rotastack.seeds import root_sequence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
LABELS = np.where(X[:, 0] > 0, "good", "bad")


def target(estimator):
    return X[:, 0] if is_regressor(estimator) else LABELS


def answer(estimator):
    """Return what the estimator gives for rows; every public one predicts or transforms."""
    return estimator.predict(X) if hasattr(type(estimator), "predict") else estimator.transform(X)


@contextmanager
def interrupted(after: int) -> Iterator[list[int]]:
    """Raise a KeyboardInterrupt at call number `after` of a function of the package; yield the list of the calls."""
    calls: list[int] = [0]

    def count(frame, event, argument):
        if event == "call" and "/rotastack/" in frame.f_code.co_filename:
            calls[0] += 1
            if calls[0] == after:
                raise KeyboardInterrupt

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("estimator", FIRST, ids=lambda e: type(e).__name__)
def test_an_interrupted_refit_leaves_no_fit(estimator):
    y = target(estimator)
    estimator = clone(estimator).fit(X, y)
    with interrupted(0) as calls:
        estimator.fit(X, y)
    first = answer(estimator)
    for after in sorted({2, 3, calls[0] // 2, calls[0] - 1}):
        with pytest.raises(KeyboardInterrupt), interrupted(after):
            estimator.fit(X, y)
        with pytest.raises(NotFittedError):
            answer(estimator)
    np.testing.assert_array_equal(answer(estimator.fit(X, y)), first)


@pytest.mark.parametrize(
    ("kind", "parameters", "y", "weights", "message"),
    [
        (rotastack.RotastackRegressor, {}, np.where(np.arange(60) == 3, np.nan, X[:, 1]), None, "missing values"),
        (rotastack.RotastackClassifier, {}, ["only"] * 60, None, "class"),
        (rotastack.RotastackClassifier, {}, LABELS, -np.ones(60), "weight"),
        (rotastack.RotastackClassifier, {"trees_per_family": 0}, LABELS, None, "trees_per_family"),
    ],
)
def test_a_refused_target_or_weight_leaves_no_fit(kind, parameters, y, weights, message):
    estimator = kind(5, random_state=0)
    estimator.fit(X, target(estimator)).set_params(**parameters)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X[:, :2], y, sample_weight=weights)
    with pytest.raises(NotFittedError):
        estimator.predict(X)


def test_a_refused_table_leaves_no_reader():
    table = pd.DataFrame({"x": range(12)})
    reader = TablePreprocessor().fit(table)
    with pytest.raises(rotastack.errors.RotastackError, match="occurs twice"):
        reader.fit(pd.concat([table, table], axis=1))
    with pytest.raises(NotFittedError):
        reader.transform(table)


def test_combiners_too():
    outputs, y = RNG.dirichlet([1, 1], (3, 60)), (X[:, 0] > 0).astype(int)
    for combiner, first, *more in (
        (combine.LogLinearWeights(), outputs, 2),
        (combine.LeastSquaresWeights(), outputs[:, :, 0]),
        (combine.Stacking(), outputs, 2, root_sequence(0)),
    ):
        combiner.fit(first, y, *more)
        with pytest.raises(ValueError):  # noqa: PT011
            combiner.fit(first, y[:5], *more)
        assert not [name for name in vars(combiner) if name.endswith("_")]
