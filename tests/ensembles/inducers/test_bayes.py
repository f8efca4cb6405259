"""Naive Bayes by WEKA's rules."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from rotastack.ensembles.inducers.bayes import PrecisionBayesClassifier


@parametrize_with_checks([PrecisionBayesClassifier()])
def test_naive_bayes_with_a_precision_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


def test_naive_bayes_with_a_precision_by_hand():
    """The column has the values 0, 1, 2, 5: its precision is 5 / 3, and it rounds them to 0, 5/3, 5/3, 5."""
    X, y = np.array([[0.0], [1.0], [2.0], [5.0]]), [0, 1, 1, 1]
    model = PrecisionBayesClassifier().fit(X, y)
    p = 5 / 3
    means, deviations = np.array([0, np.mean([p, p, 5])]), np.array([p / 6, np.std([p, p, 5])])
    assert model.precisions_ == pytest.approx([p])
    ends = [norm.cdf(end, means, deviations) for end in (p - p / 2, p + p / 2)]
    shares = np.array([2 / 6, 4 / 6]) * (ends[1] - ends[0])
    assert model.predict_proba([[1.2]])[0] == pytest.approx(shares / shares.sum())


def test_weights_of_a_naive_bayes_with_a_precision_are_repeated_rows():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(40, 3)), np.arange(40) % 2, rng.integers(0, 4, 40)
    weighted = PrecisionBayesClassifier().fit(X, y, weights)
    repeated = PrecisionBayesClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X))


def test_a_column_that_hardly_varies_in_a_class_does_not_rule_out_other_values():
    X = np.r_[np.zeros(50), 0.5, np.linspace(0, 3, 49)][:, None]
    y = np.r_[np.zeros(51), np.ones(49)]
    assert PrecisionBayesClassifier().fit(X, y).deviations_[0, 0] > GaussianNB().fit(X, y).var_[0, 0] ** 0.5 / 10
    constant = PrecisionBayesClassifier().fit(np.zeros((4, 1)), [0, 1, 1, 1])
    assert constant.precisions_.tolist() == [0.01]
    assert constant.predict_proba([[0.0], [9.0]]) == pytest.approx(np.tile([2 / 6, 4 / 6], (2, 1)))
