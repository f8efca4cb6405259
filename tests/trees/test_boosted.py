"""Boosted trees as estimators: what they accept, and what they say about extremes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

from rotastack.trees import BoostedTreesClassifier, BoostedTreesRegressor


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] > 0).astype(int), X[:, 0] + 0.1 * rng.normal(size=60)


def finite(boosted, X):
    """Return the probabilities, after a look at whether all that is learnt is a number."""
    probabilities = boosted.predict_proba(X)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert np.isfinite(boosted.losses_).all()
    assert np.isfinite(boosted.feature_importances_).all()
    return probabilities


CLASSIFIER = BoostedTreesClassifier(20, random_state=0)
REGRESSOR = BoostedTreesRegressor(20, random_state=0)


def test_real_tables():
    X, y = load_breast_cancer(return_X_y=True)
    boosted = BoostedTreesClassifier(random_state=0).fit(X, y)
    assert boosted.oob_score_ > 0.95
    assert boosted.losses_[boosted.n_rounds_ - 1] == boosted.losses_.min() < 0.12
    assert ((boosted.decision_function(X) > 0) == boosted.predict(X)).all()
    X, y = load_diabetes(return_X_y=True)
    boosted = BoostedTreesRegressor(random_state=0).fit(X, y)
    assert boosted.oob_score_ > 0.4
    assert boosted.losses_.min() <= np.mean((boosted.oob_prediction_ - y) ** 2) < 1.1 * boosted.losses_.min()


def test_a_class_with_one_row(rows):
    X, y, _ = rows
    for labels in (np.r_[np.zeros(59, int), 1], np.r_[y[:59], 2]):
        boosted = clone(CLASSIFIER).fit(X, labels)
        finite(boosted, X)
        # The booster that does not see the row takes its class for rare, not for impossible.
        assert 0 < boosted.oob_decision_function_[59, labels[59]] < 0.05


def test_few_rows(rows):
    X, _, t = rows
    for n in (1, 2, 3):
        labels = np.arange(n) % 2
        boosted = clone(CLASSIFIER).fit(X[:n], labels)
        assert np.isfinite(boosted.predict_proba(X)).all()
        assert hasattr(boosted, "oob_score_") == (n > 1)
        assert np.isfinite(clone(REGRESSOR).fit(X[:n], t[:n]).predict(X)).all()


def test_one_class_and_a_constant_target(rows):
    X, _, _ = rows
    boosted = clone(CLASSIFIER).fit(X, np.full(60, "a"))
    assert (finite(boosted, X) == 1).all()
    assert boosted.predict(X).tolist() == ["a"] * 60
    boosted = clone(REGRESSOR).fit(X, np.full(60, 3.3))
    assert (boosted.predict(X) == 3.3).all()
    assert boosted.n_rounds_ == 1


def test_missing_values(rows):
    X, y, _ = rows
    X[:, 1] = np.nan
    boosted = clone(CLASSIFIER).fit(X, y)
    finite(boosted, X)
    assert boosted.feature_importances_[1] == 0
    assert boosted.oob_score_ > 0.9
    nothing = clone(CLASSIFIER).fit(np.full((60, 2), np.nan), y)
    assert np.ptp(finite(nothing, np.full((60, 2), np.nan))[:, 0]) == 0
    # Where none was missing in training, a missing value is sent on, and no error.
    assert np.isfinite(clone(CLASSIFIER).fit(rows[0][:, [0, 2]], y).predict_proba([[np.nan, np.nan]])).all()


def test_weights(rows):
    X, y, t = rows
    with pytest.raises(ValueError, match="non-zero|are all 0"):
        clone(CLASSIFIER).fit(X, y, np.zeros(60))
    plain = clone(REGRESSOR).fit(X, t).predict(X)
    assert (clone(REGRESSOR).fit(X, t, np.full(60, 1e-200)).predict(X) == plain).all()
    spread = 10.0 ** np.random.default_rng(0).uniform(-100, 100, 60)
    finite(clone(CLASSIFIER).fit(X, y, spread), X)
    balanced = clone(CLASSIFIER).set_params(class_weight="balanced").fit(X, y)
    by_hand = clone(CLASSIFIER).fit(X, y, 60 / 2 / np.bincount(y)[y])
    assert (balanced.predict_proba(X) == by_hand.predict_proba(X)).all()


def test_one_bag_sees_all_rows_for_all_rounds(rows):
    X, y, _ = rows
    boosted = clone(CLASSIFIER).set_params(n_bags=1).fit(X, y)
    assert boosted.n_rounds_ == 20
    assert not hasattr(boosted, "oob_score_")
    assert np.isnan(boosted.losses_).all()
    assert len(boosted.forest_) == 20


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
def test_parameters_that_cannot_be(rows, parameter, value, message):
    with pytest.raises(ValueError, match=message):
        clone(CLASSIFIER).set_params(**{parameter: value}).fit(*rows[:2])


@pytest.mark.parametrize("n_bags", [8, 12])
def test_a_row_alone_is_predicted_as_in_company(rows, n_bags):
    X, _, t = rows
    boosted = clone(REGRESSOR).set_params(n_bags=n_bags, n_rounds=5).fit(X, t)
    assert boosted.predict(X).tolist() == [boosted.predict(row[None])[0] for row in X]
