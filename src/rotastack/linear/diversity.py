"""Diversity regularised machine (DRM)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import NuSVC

from rotastack.base.convex import import_cvxpy, solve
from rotastack.base.scikit import Interval, StrOptions
from rotastack.base.warned import ignoring, warn
from rotastack.linear.problem import Solution
from rotastack.linear.separators import LEAST_ONE, POSITIVE, LinearEnsemble

_HALVINGS = 100
_FLOOR = 0.01
"""Share of a thousandth of the rows' spread below which an optimum counts as 0."""
_LEAST_LAM = 1.01
_ACCURACIES = (1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
"""Tolerances of libsvm in the order of trial. Its products are in single precision, so smaller ones gain nothing."""


class DiversityRegularizedClassifier(LinearEnsemble):
    """Diversity regularised machine: an ensemble of nu-SVMs with a bound on the length of the sum of coefficients.

    Minimises ``sum_c [-rho_c + (1 / nu) sum_n q_n max(0, rho_c - y_n (x_n . w_c + b_c))]`` over w_c, b_c and
    rho_c, where ``||w_c|| <= 1`` and ``||sum_c w_c||^2 <= (1 - diversity) C^2``. q_n is the row's share of
    the weights. The bound on the sum is the convex form of a bound on the cosines between members.

    Parameters
    ----------
    n_estimators : int, default=10
        C, number of members.
    lam : float, default=2.0
        Weight of the loss, above 1. nu is ``nu_max / lam``, where nu_max is twice the share of the smaller
        class. The problem has no solution for a larger nu.
    diversity : float, default=0.5
        From 0, where the sum is not bounded further, to below 1.
    solver : {"exact", "cvxpy"}, default="exact"
        "exact" computes one member by the nu-SVM of libsvm and copies it. "cvxpy" solves :func:`drm_problem` for all
        members by Clarabel; it is slow and needs the extra ``workflow``.
    tol : float, default=1e-5
        Duality gap at which exact ends, relative to the optimum or, if larger, to a thousandth of the rows' root
        mean square distance from their mean. libsvm may not reach less than 3e-6. With cvxpy, `tol` is only the gap
        above which the fit warns.
    max_iter : int, default=1000000
        Largest number of iterations; each changes two multipliers in libsvm.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_members_ : ndarray of shape (n_estimators, n_features) or (n_classes, n_estimators, n_features)
    intercept_members_ : ndarray of shape (n_estimators,) or (n_classes, n_estimators)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Mean of the members' coefficients.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Mean of the members' intercepts.
    lam_, nu_ : float, or ndarray of shape (n_classes,)
        Values used in the fit.
    objective_ : float, or ndarray of shape (n_classes,)
    objective_path_ : ndarray, or list of ndarray
        Least objective so far after each run of libsvm with a smaller tolerance (exact), or the last (cvxpy).
    duality_gap_ : float, or ndarray of shape (n_classes,)
    n_iter_ : int, or ndarray of shape (n_classes,)

    Notes
    -----
    The objective is positively homogeneous in (w, b, rho), convex, and does not depend on the order of the members.
    So equal members are optimal, and each is a nu-SVM with ||w|| = sqrt(1 - diversity). The direction of the mean
    member is unique if the optimum is below 0, so neither `n_estimators` nor `diversity` changes this direction.
    With diversity above 0 other optima have members that differ but have the same mean.

    The reduced hull of a class is its convex hull with weights of at most the row's share over nu. A separating
    direction exists only if the reduced hulls of the classes do not overlap. If they overlap, the optimum is w = 0.
    Then lam - 1 is halved, with a warning, until the hulls are apart; if this fails the larger class is predicted.
    The class has no `class_weight`: the multipliers of the margins sum to one half in either class for any weights.
    Weights only change how far the multipliers may be concentrated.

    References
    ----------
    Yu, Y., Li, Y.-F., Zhou, Z.-H. (2011). Diversity regularized machine. IJCAI.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from rotastack import DiversityRegularizedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> drm = DiversityRegularizedClassifier(5, lam=4).fit(minmax_scale(X, (-1, 1)), y)
    >>> drm.coef_members_.shape
    (5, 30)
    """

    _parameter_constraints: ClassVar[dict] = {
        **LinearEnsemble._parameter_constraints,
        "n_estimators": [LEAST_ONE],
        "lam": [Interval(Real, 1, None, closed="neither")],
        "diversity": [Interval(Real, 0, 1, closed="left")],
        "solver": [StrOptions({"exact", "cvxpy"})],
        "tol": [POSITIVE],
    }

    def __init__(
        self,
        n_estimators: int = 10,
        lam: float = 2.0,
        diversity: float = 0.5,
        *,
        solver: str = "exact",
        tol: float = 1e-5,
        max_iter: int = 1_000_000,
    ):
        self.n_estimators = n_estimators
        self.lam = lam
        self.diversity = diversity
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, X, labels, weights):
        shares = weights / weights.sum()
        nu = 2 * min(shares[labels > 0].sum(), shares[labels < 0].sum()) / self.lam
        lam = self.lam
        solution = self._members(X, labels, shares, nu)
        while _overlapping(solution) and lam > _LEAST_LAM:
            nu, lam = nu * lam / (1 + (lam - 1) / 2), 1 + (lam - 1) / 2
            solution = self._members(X, labels, shares, nu)
        solution.attributes = {"lam": lam, "nu": float(nu)}
        if _overlapping(solution):
            solution.W[:] = 0
            larger = 1 if shares[labels > 0].sum() > 0.5 else -1
            solution.b[:] = larger * np.finfo(float).tiny
        if lam < self.lam:
            consequence = f"lam={lam:.4g} is used"
            if _overlapping(solution):
                consequence = "a smaller lam does not help; the larger class is predicted"
            warn(
                f"{type(self).__name__}: {self._problem}the classes' reduced hulls overlap with lam={self.lam}, "
                f"and w = 0 is optimal; {consequence}"
            )
        if not solution.converged:
            self._warn(solution, "lower lam, or raise max_iter or tol")
        solution.scale(self.n_estimators)
        return solution

    def _members(self, X, labels, shares, nu) -> Solution:
        """Return the solution for one member (exact) or all members (cvxpy), with the objective of one member."""
        if not np.ptp(X, axis=0).any():  # solvers fail on equal rows, where w = 0 is optimal
            k = 1 if self.solver == "exact" else self.n_estimators
            return Solution(np.zeros((X.shape[1], k)), np.zeros(k), 0.0, 0.0, [0.0], unit=1.0)
        if self.solver == "exact":
            radius = float(np.sqrt(1 - self.diversity))
            return _nu_svm(X, labels, shares / nu, radius, self.tol, self.max_iter)
        return _printed(X, labels, self.n_estimators, nu, self.diversity, shares, self.tol, self.max_iter)


def _overlapping(solution: Solution) -> bool:
    """Return whether w = 0 is optimal."""
    return solution.converged and -solution.objective <= _FLOOR * (solution.unit or 0)


def _nu_svm(
    X: NDArray[np.float64], y: NDArray[np.float64], cost: NDArray[np.float64], radius: float, tol: float, max_iter: int
) -> Solution:
    """Minimise ``-rho + sum_n cost_n max(0, rho - y_n (x_n . w + b))`` over w, b and rho, ||w|| <= radius.

    libsvm finds the direction of w and the multipliers; the best b and rho follow from w. The tolerance of libsvm
    shrinks until the gap is small, or until the bound shows that w = 0 is optimal.
    """
    centre = X.mean(axis=0)
    spread = max(float(np.sqrt(((X - centre) ** 2).sum(axis=1).mean())), np.finfo(float).tiny)
    Z, positive = (X - centre) / spread, y > 0
    unit = 1e-3 * radius  # The optimum can be 0.
    best = Solution(np.zeros((X.shape[1], 1)), np.zeros(1), 0.0, -np.inf, unit=unit)
    for accuracy in _ACCURACIES:
        machine = NuSVC(nu=1 / cost.sum(), kernel="linear", tol=accuracy, max_iter=max_iter - best.n_iter)
        with ignoring(category=ConvergenceWarning):
            machine.fit(Z, y, sample_weight=cost / cost.mean())
        best.n_iter += int(machine.n_iter_[0])
        alpha = np.zeros(len(y))
        alpha[machine.support_] = np.abs(machine.dual_coef_[0])
        alpha = _halves(alpha / max(alpha.sum(), np.finfo(float).tiny), cost, positive)
        best.bound = max(best.bound, -radius * float(np.linalg.norm((y * alpha) @ Z)))
        w = machine.coef_[0] * (radius / max(float(np.linalg.norm(machine.coef_)), np.finfo(float).tiny))
        f = Z @ w
        above, below = _half_quantile(f[positive], cost[positive]), _half_quantile(-f[~positive], cost[~positive])
        rho, b = (above + below) / 2, (below - above) / 2
        value = float(cost @ np.maximum(rho - y * (f + b), 0) - rho)
        if value < best.objective:
            best.W, best.b, best.objective = w[:, None], np.array([b]), value
        best.path.append(best.objective)
        best.unit = max(abs(best.objective), unit)
        best.converged = best.gap <= tol or -best.bound <= _FLOOR * unit
        if best.converged or best.n_iter >= max_iter:
            break
    best.b = best.b * spread - centre @ best.W
    best.scale(spread)
    return best


def _half_quantile(values: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
    """Return the smallest value at which the cumulative cost reaches one half."""
    order = np.argsort(values)
    reached = int(np.searchsorted(np.cumsum(cost[order]), 0.5 - 1e-12))
    return float(values[order[min(reached, len(order) - 1)]])


def drm_problem(
    X: NDArray[np.float64], y: NDArray[np.float64], C: int, nu: float, diversity: float, q: NDArray[np.float64]
) -> Any:
    """Return the diversity regularised machine as a problem of cvxpy.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        -1 or 1.
    C : int
        Number of members.
    nu : float
        nu of the nu-SVMs.
    diversity : float
        From 0 to below 1.
    q : ndarray of shape (n_rows,)
        Weights of the rows, which add up to 1.

    Returns
    -------
    cvxpy.Problem
        Its ``var_dict`` holds W, of shape (n_features, C), b and rho, of shape (1, C), and xi.

    Raises
    ------
    ModuleNotFoundError
        cvxpy is not installed.

    References
    ----------
    Yu, Y., Li, Y.-F., Zhou, Z.-H. (2011). Diversity regularized machine. IJCAI.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.linear import drm_problem
    >>> X, y, q = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.array([0.5, 0.5])
    >>> problem = drm_problem(X, y, C=2, nu=0.5, diversity=0.75, q=q)
    >>> print(f"{problem.solve(solver='CLARABEL'):.3f}")
    -1.000
    """
    cp = import_cvxpy()
    N, M = X.shape
    ones = np.ones((N, 1))
    W, b, rho = cp.Variable((M, C), name="W"), cp.Variable((1, C), name="b"), cp.Variable((1, C), name="rho")
    xi = cp.Variable((N, C), name="xi", nonneg=True)
    margins = cp.multiply(np.repeat(y[:, None], C, axis=1), X @ W + ones @ b)
    return cp.Problem(
        cp.Minimize(-cp.sum(rho) + cp.sum(q @ xi) / nu),
        [margins >= ones @ rho - xi, cp.norm(W, axis=0) <= 1, cp.norm(cp.sum(W, axis=1)) <= np.sqrt(1 - diversity) * C],
    )


def _printed(X, y, C: int, nu: float, diversity: float, q, tol: float, max_iter: int) -> Solution:
    """Return the solution of :func:`drm_problem`, its objective divided by C, or w = 0 if the solver fails."""
    problem = drm_problem(X, y, C, nu, diversity, q)
    values = solve(problem, max_iter)
    cost, radius = q / nu, float(np.sqrt(1 - diversity))
    W, b, rho, alpha = np.zeros((X.shape[1], C)), np.zeros(C), np.zeros(C), cost
    if values is not None:
        W, b, rho = values["W"], values["b"][0], values["rho"][0]
        alpha = problem.constraints[0].dual_value.mean(axis=1)
        # The objective is homogeneous, so scaling corrects a solution that breaks its bounds by rounding.
        longest, whole = np.linalg.norm(W, axis=0).max(), np.linalg.norm(W.sum(axis=1))
        inside = 1 / max(1.0, longest, whole / (radius * C))
        W, b, rho = W * inside, b * inside, rho * inside
    short = np.maximum(rho - y[:, None] * (X @ W + b), 0)
    objective = float((cost @ short - rho).mean())
    multipliers = y * _halves(alpha, cost, y > 0)
    bound = -radius * float(np.linalg.norm(X.T @ multipliers))
    spread = float(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()))
    unit = max(abs(objective), 1e-3 * radius * spread, float(np.finfo(float).eps))
    solution = Solution(W, b, objective, bound, [objective], unit=unit)
    solution.n_iter = max_iter if values is None else problem.solver_stats.num_iters
    solution.converged = solution.gap <= tol
    return solution


def _halves(alpha: NDArray[np.float64], cost: NDArray[np.float64], positive: NDArray[np.bool_]):
    """Return multipliers in [0, cost] near alpha whose sum is 1/2 in each class."""
    result = np.empty_like(alpha)
    for rows in (positive, ~positive):
        near, most = alpha[rows], cost[rows]
        low, high = -near.max(), most.max() - near.min()
        for _ in range(_HALVINGS):
            shift = (low + high) / 2
            low, high = (shift, high) if np.clip(near + shift, 0, most).sum() < 0.5 else (low, shift)
        result[rows] = np.clip(near + high, 0, most)
    return result
