"""Boosted trees as estimators: what they accept, and what they say about extremes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

from rotastack.trees import BoostedTreesClassifier, BoostedTreesRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y, T = (X[:, 0] > 0).astype(int), X[:, 0] + 0.1 * RNG.normal(size=60)


def finite(boosted, X):
    """All that is learnt is a number."""
    np.testing.assert_allclose(boosted.predict_proba(X).sum(axis=1), 1)
    assert np.isfinite(boosted.losses_).all()
    assert np.isfinite(boosted.feature_importances_).all()


CLASSIFIER = BoostedTreesClassifier(20, random_state=0)
REGRESSOR = BoostedTreesRegressor(20, random_state=0)


def test_real_tables():
    X, y = load_breast_cancer(return_X_y=True)
    boosted = BoostedTreesClassifier(random_state=0).fit(X, y)
    assert boosted.oob_score_ > 0.95
    assert boosted.losses_[boosted.n_rounds_ - 1] == boosted.losses_.min() < 0.12
    assert ((boosted.decision_function(X) > 0) == boosted.predict(X)).all()
    assert BoostedTreesRegressor(random_state=0).fit(*load_diabetes(return_X_y=True)).oob_score_ > 0.4


def test_a_class_with_one_row():
    for labels in (np.r_[np.zeros(59, int), 1], np.r_[Y[:59], 2]):
        boosted = clone(CLASSIFIER).fit(X, labels)
        finite(boosted, X)
        # The booster that does not see the row takes its class for rare, not for impossible.
        assert 0 < boosted.oob_decision_function_[59, labels[59]] < 0.05


@pytest.mark.parametrize(
    ("X", "labels", "numbers"),
    [
        *((np.eye(3)[:n], np.arange(n) % 2, np.arange(n)) for n in (1, 2, 3)),
        (np.eye(60, 3), np.full(60, "a"), np.full(60, 3.3)),
        (np.full((60, 2), np.nan), np.arange(60) % 2, np.arange(60)),
    ],
    ids=["one row", "two rows", "three rows", "one class and a constant target", "nothing but missing values"],
)
def test_extreme_tables(X, labels, numbers):
    boosted = clone(CLASSIFIER).fit(X, labels)
    new = np.vstack([X, np.full((1, X.shape[1]), np.nan)])  # a missing value where none was is sent on
    np.testing.assert_allclose(boosted.predict_proba(new).sum(axis=1), 1)
    assert hasattr(boosted, "oob_score_") == (len(X) > 1)
    predicted = clone(REGRESSOR).fit(X, numbers).predict(new)
    assert numbers.min() <= predicted.min() <= predicted.max() <= numbers.max()


def test_one_bag_sees_all_rows_for_all_rounds():
    boosted = clone(CLASSIFIER).set_params(n_bags=1).fit(X, Y)
    assert boosted.n_rounds_ == len(boosted.forest_) == 20
    assert np.isnan(boosted.losses_).all()
    assert not hasattr(boosted, "oob_score_")


def test_weights():
    with pytest.raises(ValueError, match="non-zero|are all 0"):
        clone(CLASSIFIER).fit(X, Y, np.zeros(60))
    plain = clone(REGRESSOR).fit(X, T).predict(X)
    assert (clone(REGRESSOR).fit(X, T, np.full(60, 1e-200)).predict(X) == plain).all()
    spread = 10.0 ** np.random.default_rng(0).uniform(-100, 100, 60)
    finite(clone(CLASSIFIER).fit(X, Y, spread), X)


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("max_bins", 256, r"'max_bins' .* in the range \[2, 255\]"),
        ("max_features", 4, "max_features is 4; at most 3, the number of columns"),
        ("learning_rate", 0.0, "'learning_rate'"),
        ("subsample", 1.5, "'subsample'"),
        ("n_bags", 0, "'n_bags'"),
    ],
)
def test_parameters_that_cannot_be(parameter, value, message):
    with pytest.raises(ValueError, match=message):
        clone(CLASSIFIER).set_params(**{parameter: value}).fit(X, Y)


@pytest.mark.parametrize("n_bags", [8, 12])
def test_a_row_alone_is_predicted_as_in_company(n_bags):
    boosted = clone(REGRESSOR).set_params(n_bags=n_bags, n_rounds=5).fit(X, T)
    assert boosted.predict(X).tolist() == [boosted.predict(row[None])[0] for row in X]
