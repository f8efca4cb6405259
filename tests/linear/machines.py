"""Exclusivity regularised machines as their tests fit and judge them."""

import functools
import itertools
import warnings

import numpy as np
import pytest
from tests.linear import reference
from tests.linear.problems import random_problem
from tests.quick import first

from rotastack import ExclusivityRegularizedClassifier

powers = pytest.mark.parametrize("p", [1, 1.5, 2])
problems = pytest.mark.parametrize("seed", first(6, range(50)))
# The multipliers grow no further: slower than the paper's, but the optimum.
FIXED = {"solver": "alm", "rho": 1.0, "tol": 1e-9, "max_iter": 50_000}
CLOSE = {"exact": {"tol": 1e-9}, "alm": FIXED}


def fit_quietly(model, X, y, weights=None, category=Warning):
    """Fit without any warning of a category."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", category)
        return model.fit(X, y, sample_weight=weights)


def fit(X, y, C=4, lam=2.0, p=2, weights=None, **options):
    return fit_quietly(ExclusivityRegularizedClassifier(C, lam, loss_power=p, **options), X, y, weights)


def columns(model):
    """Columns and intercepts of the members of a fitted model of two classes."""
    return model.coef_members_.T, model.intercept_members_


def own_objective(model, X, y, weights=None, mask=None):
    W, b = columns(model)
    return reference.exrm_objective(X, y, W, b, model.lam, model.loss_power, model.beta, weights, mask)


@functools.cache
def solved(seed):
    """The problem of a seed, its minimum and its mean column, found by cvxpy on the full problem."""
    one = random_problem(seed)
    weights = {"weights": one["weights"]}
    objective, W, b = reference.exrm(one["X"], one["y"], one["lam"], one["C"], one["p"], **weights)
    return one, objective, W.mean(axis=1), b.mean()


def check_optimum(model, ours, best, rtol):
    """The objective reported is ours, and the minimum; the gap reported covers the true one."""
    assert model.objective_ == pytest.approx(ours, rel=1e-9)
    assert ours == pytest.approx(best, rel=rtol)
    assert (ours - best) / ours - 1e-9 <= model.duality_gap_ <= rtol


def check(model, X, y, best, weights=None, mask=None, rtol=1e-6):
    check_optimum(model, own_objective(model, X, y, weights, mask), best, rtol)
    W, b = columns(model)
    np.testing.assert_allclose(model.coef_[0], W.mean(axis=1), atol=1e-12)
    assert model.intercept_[0] == pytest.approx(b.mean(), abs=1e-9)


def own_disagreement(said):
    """Mean over pairs of members of the share of rows on which they say different things."""
    return np.mean([np.mean(said[:, a] != said[:, b]) for a, b in itertools.combinations(range(said.shape[1]), 2)])
