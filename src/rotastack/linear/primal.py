"""The exact solver: one primal SVM, which is the whole ensemble if its members see the same rows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, qr

from rotastack.linear.interior import InteriorPoint
from rotastack.linear.newton import NewtonSVM
from rotastack.linear.problem import Problem, Solution, relative_gap

__all__ = ["solve_primal"]

_AIM = 1e-14
"""Relative duality gap at which iterations end; the last ones cost little, as convergence is fast."""
_PATIENCE = 20
_SATISFIED = 1e-9
"""From this gap on, iterations also end when rounding no longer lets it fall."""


def solve_primal(problem: Problem, tol: float = 1e-6, max_iter: int = 200) -> Solution:
    """Solve a problem whose members are all equal.

    With w in every column the objective is copies^2 times that of the primal SVM with ``cost / copies`` and
    ``beta / copies``. Squared hinge without l1 term: Newton's method; else, and where its certificate fails
    for rounding, an interior point method.

    Parameters
    ----------
    problem : Problem
        Of one column.
    tol : float
        Relative duality gap that counts as solved; iterations go on to 1e-14 where rounding lets them.
    max_iter : int

    Returns
    -------
    Solution
        The best iterate, with the best bound.
    """
    n, m = problem.A.shape
    square = problem.copies**2
    centre = problem.y @ problem.A / n
    A, basis = problem.A - problem.sign * centre, None
    if m > n and problem.beta == 0:  # w is a combination of the rows
        basis, triangle = qr(A.T, mode="economic")
        A = np.ascontiguousarray(triangle.T)
    cost = np.ascontiguousarray(problem.cost[:, 0]) / problem.copies
    small = Problem(A, problem.y, cost[:, None], problem.power, problem.beta / problem.copies)
    methods: list[Callable] = [lambda: InteriorPoint(A, problem.y, cost, problem.power, small.beta)]
    if problem.power == 2 and problem.beta == 0:
        methods.insert(0, lambda: NewtonSVM(A, problem.y, cost))
    search = _Search(small)
    for method in methods:
        search.follow(method(), min(_AIM, tol), max_iter)
        if search.gap <= tol:
            break
    w = search.w if basis is None else basis @ search.w
    return Solution(
        w[:, None],
        np.array([search.b - centre @ w]),
        search.value * square,
        search.bound * square,
        [value * square for value in search.path],
        len(search.path),
        search.gap <= tol,
    )


class _Search:
    """The best point and the best bound seen so far; at first w = 0."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.w: NDArray[np.float64] = np.zeros(problem.A.shape[1])
        self.b, self.value, self.bound = 0.0, float(problem.cost.sum()), 0.0
        self.path: list[float] = []

    @property
    def gap(self) -> float:
        return relative_gap(self.value, self.bound)

    def follow(self, point: InteriorPoint | NewtonSVM, aim: float, max_iter: int) -> None:
        """Take a method's iterates until the gap is small, or no longer falls."""
        best, idle = np.inf, 0
        try:
            with np.errstate(all="ignore"):
                for now in point.iterate(max_iter):
                    value = self.problem.value(now.w[:, None], now.u[:, None])
                    if not np.isfinite(value):
                        return
                    self.path.append(value)
                    if value < self.value:
                        self.w, self.b, self.value = now.w, float(now.b), value
                    if now.certifies:
                        self.bound = max(self.bound, self.problem.bound(now.alpha[:, None]))
                    idle = 0 if self.gap < best else idle + 1
                    best = min(best, self.gap)
                    if best <= aim or idle > _PATIENCE or (idle and best <= _SATISFIED):
                        return
        except LinAlgError:  # beyond what rounding allows; the gap says how far it came
            return
