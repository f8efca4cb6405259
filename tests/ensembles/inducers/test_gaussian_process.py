from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from rotastack.ensembles.inducers.gaussian_process import QuantileGaussianProcess


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    return X[::3], y[::3]


def test_the_kernel_is_that_of_kernlab(wine):
    X, y = wine
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    squared = [((a - b) ** 2).sum() for a, b in combinations(standardised, 2)]
    sigma = (1 / np.quantile(squared, 0.1) + 1 / np.quantile(squared, 0.9)) / 2
    kernel = QuantileGaussianProcess().fit(X, y).kernel(X[:1], X[1:2])
    assert kernel[0, 0] == pytest.approx(np.exp(-sigma * ((standardised[0] - standardised[1]) ** 2).sum()))


def test_neither_scales_nor_constant_columns_matter(wine):
    X, y = wine
    expected = QuantileGaussianProcess().fit(X, y).predict_proba(X)
    other = np.c_[X * np.geomspace(1e-3, 1e3, X.shape[1]) + 5, np.full(len(X), 7.0)]
    np.testing.assert_allclose(QuantileGaussianProcess().fit(other, y).predict_proba(other), expected, atol=1e-8)


def test_equal_rows_have_a_kernel():
    X, y = np.ones((6, 2)), np.arange(6) % 2
    assert QuantileGaussianProcess().fit(X, y).predict_proba(X) == pytest.approx(0.5)
