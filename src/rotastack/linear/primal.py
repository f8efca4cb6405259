"""Exact solver of one primal SVM, which equals the whole ensemble if all members have the same rows."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, qr
from scipy.optimize import OptimizeResult, minimize

from rotastack.linear.interior import InteriorPoint
from rotastack.linear.problem import Problem, Solution, relative_gap

__all__ = ["solve_primal"]

Array = NDArray[np.float64]
_PATIENCE = 100
_SATISFIED = 1e-9
"""Below this gap, iterations also end when the gap no longer falls, because of rounding."""
_CERTAIN = 1e-3
"""A coefficient is certainly 0 if the pull on it is below beta by at least this share of beta."""
_NEWTON_STEPS = 30


def solve_primal(problem: Problem, tol: float = 1e-14, max_iter: int = 200) -> Solution:
    """Return the solution of a problem whose members are all equal.

    With w in every column the objective is copies^2 times the objective of the primal SVM with ``cost / copies``
    and ``beta / copies``. Without beta, scipy's Newton method in a trust region solves the squared hinge. An interior
    point method solves the other problems, and those where Newton's method does not close the gap.

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
        The best iterate, with the best bound. Its path holds the least objective after each iteration.
    """
    n, m = problem.X.shape
    centre = problem.X.mean(axis=0)
    X, basis = problem.X - centre, None
    if m > n and problem.beta == 0:  # w is a combination of the rows
        basis, triangle = qr(X.T, mode="economic")
        X = triangle.T
    search = _Search(Problem(X, problem.y, problem.cost / problem.copies, problem.power, problem.beta / problem.copies))
    search.run(tol, max_iter)
    w = search.w if basis is None else basis @ search.w
    path = [*search.path[:-1], search.value]
    solution = Solution(w[:, None], np.array([search.b - centre @ w]), search.value, search.bound, path, len(path))
    solution.scale(problem.copies**2)
    return solution


class _Search:
    """A search that keeps the best point and the best bound so far, and starts from w = 0."""

    def __init__(self, problem: Problem):
        self.problem, self.A, self.y, self.beta = problem, problem.A, problem.y, problem.beta
        self.cost = np.ascontiguousarray(problem.cost[:, 0])
        self.w, self.b, self.value, self.bound = np.zeros(self.A.shape[1]), 0.0, float(self.cost.sum()), 0.0
        self.alpha: Array = np.zeros(len(self.cost))
        self.path: list[float] = []
        self.idle = 0

    @property
    def gap(self) -> float:
        return relative_gap(self.value, self.bound)

    def run(self, tol: float, max_iter: int) -> None:
        """Run Newton's method for the squared hinge, then the interior point method unless the gap is small."""
        with np.errstate(all="ignore"):
            if self.problem.power == 2 and self.beta == 0:
                self._newton(tol, min(max_iter, _NEWTON_STEPS))
            if self.gap > max(tol, _SATISFIED) or not self.path:
                self._interior(tol, max_iter - len(self.path))
        if self.beta > 0:
            self._drop_rounding()

    def _newton(self, tol: float, max_iter: int) -> None:
        scale = np.sqrt(2 * self.cost)
        B = np.column_stack([self.A, self.y]) * scale[:, None]

        def objective(z: Array) -> tuple[float, Array]:
            short = np.maximum(scale - B @ z, 0)
            w = np.append(z[:-1], 0.0)
            return (w @ w + short @ short) / 2, w - short @ B

        def hessian(z: Array) -> Array:
            rows = B[B @ z < scale]
            H = rows.T @ rows
            H.flat[: -1 : len(H) + 1] += 1
            # Without a row inside its margin the intercept has no curvature; then it gets the curvature of all rows.
            H[-1, -1] = H[-1, -1] * (1 + 1e-12) if len(rows) else scale @ scale
            return H

        def after_step(intermediate_result: OptimizeResult) -> None:
            z = intermediate_result.x
            short = scale - B @ z
            if self._ends(z[:-1], z[-1], short / scale, scale * np.maximum(short, 0), tol):
                raise StopIteration

        options = {
            "gtol": 1e-12 * float((scale @ np.abs(B)).max()), "maxiter": max_iter,
            "initial_trust_radius": 1e3, "max_trust_radius": 1e12,
        }  # fmt: skip
        start = np.zeros(B.shape[1])
        minimize(objective, start, method="trust-exact", jac=True, hess=hessian, callback=after_step, options=options)

    def _interior(self, tol: float, max_iter: int) -> None:
        point = InteriorPoint(self.A, self.y, self.cost, self.problem.power, self.beta)
        try:
            for _ in range(max_iter):
                point.advance()
                if self._ends(point.w, point.b, point.u, point.alpha, tol):
                    return
        except LinAlgError:  # Rounding allows no further step; the gap shows whether the last point is good enough.
            return

    def _ends(self, w: Array, b: float, u: Array, alpha: Array, tol: float) -> bool:
        """Keep the point and the bound if they are the best, and return whether the gap is small or no longer falls."""
        before = self.gap, self.value
        value = self.problem.value(w[:, None], u[:, None])
        if not np.isfinite(value):
            return True
        if value < self.value:
            self.w, self.b, self.value = w.copy(), float(b), value
        self.path.append(self.value)
        bound = self.problem.bound(alpha[:, None])
        if bound > self.bound:
            self.bound, self.alpha = bound, alpha.copy()
        self.idle = 0 if (self.gap, self.value) != before else self.idle + 1
        return self.gap <= tol or self.idle > _PATIENCE or (self.idle > 0 and self.gap <= _SATISFIED)

    def _drop_rounding(self) -> None:
        """Set to 0 the coefficients that are 0 by their multipliers; an interior point leaves them slightly off 0."""
        pull = np.abs(self.A.T @ self.alpha)
        w = np.where(pull < self.beta * (1 - _CERTAIN), 0.0, self.w)
        value = self.problem.value(w[:, None], (1 - self.A @ w - self.y * self.b)[:, None])
        if value <= self.value * (1 + _SATISFIED):
            self.w, self.value = w, value
