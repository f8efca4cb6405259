"""Primal SVMs as their tests fit and judge them."""

import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.linear import reference
from tests.linear.machines import check_optimum, fit_quietly

from rotastack import PrimalSVMClassifier

powers = pytest.mark.parametrize("p", [1, 1.5, 2, 3])


def fit(X, y, lam=1.0, p=2, weights=None, **options):
    return fit_quietly(PrimalSVMClassifier(lam, loss_power=p, **options), X, y, weights, ConvergenceWarning)


def check(model, X, y, weights=None, rtol=1e-6):
    """The objective is the minimum that cvxpy finds, the gap reported certifies it; returns cvxpy's w."""
    best, w, _ = reference.svm(X, y, model.lam, model.loss_power, model.beta, weights)
    ours = reference.svm_objective(
        X, y, model.coef_[0], model.intercept_[0], model.lam, model.loss_power, model.beta, weights
    )
    check_optimum(model, ours, best, rtol)
    return w
