"""Exact solver of one primal SVM, which equals the whole ensemble if all members have the same rows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, qr

from rotastack.linear.interior import InteriorPoint
from rotastack.linear.newton import HingeNewton, SquaredHingeNewton
from rotastack.linear.problem import Problem, Solution, relative_gap

__all__ = ["solve_primal"]

Array = NDArray[np.float64]
_PATIENCE = 100
_SATISFIED = 1e-9
"""Below this gap, iterations also end when the gap no longer falls, because of rounding."""
_SOFT = 30.0
"""Costs are small if the mean cost times the mean squared length of a row is at most this."""
_CERTAIN = 1e-3
"""A coefficient is certainly 0 if the pull on it is below beta by at least this share of beta."""
_SAMPLE, _ROWS_PER_COEFFICIENT = 8, 20
"""With many rows, Newton's method starts from the solution for every eighth row."""


def solve_primal(problem: Problem, tol: float = 1e-14, max_iter: int = 200) -> Solution:
    """Return the solution of a problem whose members are all equal.

    With w in every column the objective is copies^2 times the objective of the primal SVM with ``cost / copies``
    and ``beta / copies``. Without beta, Newton's method solves the squared hinge, and the hinge with small costs.
    An interior point method solves the other problems, and those where Newton's method does not close the gap.

    Parameters
    ----------
    problem : Problem
        A problem with one column.
    tol : float
        Relative duality gap at which the solver ends. By default it goes on until rounding ends it.
    max_iter : int

    Returns
    -------
    Solution
        The best iterate, with the best bound.
    """
    n, m = problem.X.shape
    centre = problem.X.mean(axis=0)
    basis = None
    if m > n and problem.beta == 0:  # w is a combination of the rows
        basis, triangle = qr((problem.X - centre).T, mode="economic")
        B = np.column_stack([triangle.T, np.ones(n)])
    else:
        B = np.empty((n, m + 1))
        np.subtract(problem.X, centre, out=B[:, :m])
        B[:, m] = 1
    B *= problem.sign
    search = _Search(B, problem.cost[:, 0] / problem.copies, problem.power, problem.beta / problem.copies)
    search.run(tol, max_iter)
    w = search.z[:-1] if basis is None else basis @ search.z[:-1]
    solution = Solution(
        w[:, None],
        np.array([search.z[-1] - centre @ w]),
        search.value,
        search.bound,
        [*search.path[:-1], search.value],
        len(search.path),
    )
    solution.scale(problem.copies**2)
    return solution


class _Search:
    """A search that keeps the best point and the best bound so far, and starts from w = 0."""

    def __init__(self, B: Array, cost: Array, power: float, beta: float):
        self.B, self.cost, self.power, self.beta = B, np.ascontiguousarray(cost), power, beta
        self.problem = Problem.signed(B[:, :-1], B[:, -1], self.cost[:, None], power, beta)
        self.z, self.value, self.bound = np.zeros(B.shape[1]), float(cost.sum()), 0.0
        self.alpha: Array = np.zeros(len(cost))
        self.path: list[float] = []

    @property
    def gap(self) -> float:
        return relative_gap(self.value, self.bound)

    def run(self, tol: float, max_iter: int) -> None:
        """Run one method after another until the gap is small."""
        for method in self._methods():
            self._follow(method(), tol, max_iter - len(self.path))
            if self.gap <= max(tol, _SATISFIED):
                break
        if self.beta > 0:
            self._drop_rounding()

    def _methods(self) -> list[Callable]:
        A, y = self.problem.A, self.problem.y
        methods: list[Callable] = [lambda: InteriorPoint(A, y, self.cost, self.power, self.beta)]
        if self.beta > 0:
            return methods
        if self.power == 2:
            methods.insert(0, lambda: SquaredHingeNewton(self.B, self.cost, self._first()))
        elif self.power == 1 and self.cost.mean() * np.vdot(self.B, self.B) <= _SOFT * len(y):
            methods.insert(0, lambda: HingeNewton(self.B, self.cost, np.zeros(self.B.shape[1])))
        return methods

    def _first(self) -> Array:
        n, coefficients = self.B.shape
        if n < _SAMPLE * _ROWS_PER_COEFFICIENT * coefficients / 4:
            return np.zeros(coefficients)
        sample = _Search(self.B[::_SAMPLE], self.cost[::_SAMPLE] * _SAMPLE, self.power, self.beta)
        sample.run(1e-3, 20)
        return sample.z

    def _follow(self, point: InteriorPoint | SquaredHingeNewton | HingeNewton, tol: float, max_iter: int) -> None:
        """Run a method until the gap is small or no longer falls, and keep its best point and bound."""
        best, lowest, idle = np.inf, np.inf, 0
        try:
            with np.errstate(all="ignore"):
                for now in point.iterate(max_iter):
                    value = self.problem.value(now.w[:, None], now.u[:, None])
                    if not np.isfinite(value):
                        return
                    if value < self.value:
                        self.z, self.value = np.append(now.w, now.b), value
                    self.path.append(self.value)
                    if now.certifies:
                        bound = self.problem.bound(now.alpha[:, None])
                        if bound > self.bound:
                            self.bound, self.alpha = bound, now.alpha.copy()
                    idle = 0 if self.gap < best or value < lowest else idle + 1
                    best, lowest = min(best, self.gap), min(lowest, value)
                    if best <= tol or idle > _PATIENCE or (idle and best <= _SATISFIED):
                        return
        except LinAlgError:  # Rounding allows no further step; the gap shows whether the last point is good enough.
            return

    def _drop_rounding(self) -> None:
        """Set to 0 the coefficients that are 0 by their multipliers; an interior point leaves them slightly off 0."""
        pull = np.abs(self.problem.A.T @ self.alpha)
        z = np.append(np.where(pull < self.beta * (1 - _CERTAIN), 0.0, self.z[:-1]), self.z[-1])
        value = self.problem.value(z[:-1, None], (1 - self.B @ z)[:, None])
        if value <= self.value * (1 + _SATISFIED):
            self.z, self.value = z, value
