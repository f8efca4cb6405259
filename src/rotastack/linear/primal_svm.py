"""Primal support vector machine."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from rotastack.base.scikit import Interval
from rotastack.linear.problem import Problem
from rotastack.linear.separators import CLASS_WEIGHT, POWER, LinearSeparator


class PrimalSVMClassifier(LinearSeparator):
    """Linear support vector machine, solved to a certified optimum.

    Minimises ``||w||^2 / 2 + beta ||w||_1 + lam sum_n s_n max(0, 1 - y_n (x_n . w + b))^p``, where s_n is the
    row's weight. The intercept b is not penalised, unlike in LinearSVC.

    Parameters
    ----------
    lam : float, default=1.0
        Weight of the loss, C in LinearSVC.
    loss_power : float, default=2
        p, at least 1. 1 is the hinge, 2 the squared hinge.
    beta : float, default=0.0
        Weight of the l1 norm, which sets coefficients to 0.
    tol : float or None, default=None
        Relative duality gap at which the solver ends. With None it goes on until rounding ends it, usually below 1e-13.
    max_iter : int, default=200
        Largest number of iterations; 10 to 30 are usual.
    class_weight : dict, "balanced" or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    objective_ : float, or ndarray of shape (n_classes,)
    duality_gap_ : float, or ndarray of shape (n_classes,)
        Largest possible distance of the objective from the optimum, as a share of the objective.
    objective_path_ : ndarray, or list of ndarray
        Least objective after each iteration.
    n_iter_ : int, or ndarray of shape (n_classes,)

    Notes
    -----
    Without beta, Newton's method in a trust region solves p = 2. A primal-dual interior point method solves the other
    problems. An iteration costs n_rows x n_features x min(n_rows, n_features) operations.

    References
    ----------
    Guo, X., Wang, X., Ling, H. Exclusivity regularized machine: a new ensemble SVM classifier, equation 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from rotastack import PrimalSVMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> svm = PrimalSVMClassifier(loss_power=1).fit(minmax_scale(X), y)
    >>> bool(svm.duality_gap_ < 1e-9)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **LinearSeparator._parameter_constraints,
        "loss_power": [POWER],
        "beta": [Interval(Real, 0, None, closed="left")],
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        lam: float = 1.0,
        *,
        loss_power: float = 2,
        beta: float = 0.0,
        tol: float | None = None,
        max_iter: int = 200,
        class_weight: Any = None,
    ):
        self.lam = lam
        self.loss_power = loss_power
        self.beta = beta
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight

    def _solve(self, X, labels, weights):
        cost = (self.lam * weights)[:, None]
        problem = Problem(X, labels, np.ascontiguousarray(cost), self.loss_power, self.beta)
        return self._exact(problem, self.tol)
