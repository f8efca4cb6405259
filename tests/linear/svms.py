"""Primal SVMs as their tests fit and judge them."""

import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.linear import reference
from tests.linear.machines import fit_quietly

from rotastack import PrimalSVMClassifier

ALL_POWERS = (1, 1.5, 2, 3)
powers = pytest.mark.parametrize("p", ALL_POWERS)


def own_objective(model, X, y, weights=None):
    """Objective of a fitted model of the classes -1 and 1."""
    w, b = model.coef_[0], model.intercept_[0]
    return reference.svm_objective(X, y, w, b, model.lam, model.loss_power, model.beta, weights)


def fit(X, y, lam=1.0, p=2, weights=None, **options):
    return fit_quietly(PrimalSVMClassifier(lam, loss_power=p, **options), X, y, weights, ConvergenceWarning)


def check(model, X, y, weights=None, rtol=1e-6):
    """The objective is the minimum that cvxpy finds, the gap reported certifies it; returns cvxpy's w."""
    best, w, _ = reference.svm(X, y, model.lam, model.loss_power, model.beta, weights)
    ours = own_objective(model, X, y, weights)
    assert model.objective_ == pytest.approx(ours, rel=1e-9)
    assert ours == pytest.approx(best, rel=rtol)
    assert (ours - best) / ours - 1e-9 <= model.duality_gap_ <= rtol
    return w
