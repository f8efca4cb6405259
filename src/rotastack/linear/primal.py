"""Exact solver of one primal SVM, which equals the whole ensemble if all members have the same rows."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, qr
from scipy.optimize import OptimizeResult, minimize

from rotastack.linear.interior import InteriorPoint
from rotastack.linear.problem import Problem, Solution

Array = NDArray[np.float64]
_PATIENCE = 100
_SATISFIED = 1e-9
"""Below this gap, iterations also end when the gap no longer falls, because of rounding."""
_CERTAIN = 1e-3
"""A coefficient is certainly 0 if the pull on it is below beta by at least this share of beta."""
_NEWTON_STEPS = 30


def solve_primal(problem: Problem, tol: float = 1e-14, max_iter: int = 200) -> Solution:
    """Return the best iterate of a problem with one column, and the best bound; the path holds the least objective so far.

    With w in every column the objective is copies^2 times the objective of the primal SVM with ``cost / copies``
    and ``beta / copies``. Without beta, scipy's Newton method in a trust region solves the squared hinge. An interior
    point method, 1.1 to 9 times as slow there, solves the other problems, and those where Newton's method does not
    close the gap. The solvers end at a relative duality gap of `tol`, or when rounding ends them.
    """
    n, m = problem.X.shape
    centre = problem.X.mean(axis=0)
    X, basis = problem.X - centre, None
    if m > n and problem.beta == 0:  # w is a combination of the rows
        basis, triangle = qr(X.T, mode="economic")
        X = triangle.T
    C = problem.copies
    search = _Search(Problem(X, problem.y, problem.cost / C, problem.power, problem.beta / C), tol)
    best = search.best
    with np.errstate(all="ignore"):
        if problem.power == 2 and problem.beta == 0:
            search.newton(min(max_iter, _NEWTON_STEPS))
        if best.gap > max(tol, _SATISFIED) or not best.path:
            search.interior(max_iter - len(best.path))
    best.path = best.path or [best.objective]
    if problem.beta > 0:
        search.drop_rounding()
    if basis is not None:
        best.W = (basis @ best.W[:, 0])[:, None]
    best.b = best.b - centre @ best.W[:, 0]
    best.n_iter = len(best.path)
    best.scale(C**2)
    return best


class _Search:
    """A search that starts from w = 0 and keeps the best point and the best bound so far."""

    def __init__(self, problem: Problem, tol: float):
        self.problem, self.tol, self.cost = problem, tol, np.ascontiguousarray(problem.cost[:, 0])
        self.best = Solution(np.zeros((problem.X.shape[1], 1)), np.zeros(1), float(self.cost.sum()), 0.0)
        self.alpha: Array = np.zeros(len(self.cost))
        self.idle = 0

    def newton(self, max_iter: int) -> None:
        """Run Newton's method for the squared hinge."""
        scale = np.sqrt(2 * self.cost)
        B = np.column_stack([self.problem.A, self.problem.y]) * scale[:, None]

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
            if self._ends(z[:-1], z[-1], short / scale, scale * np.maximum(short, 0)):
                raise StopIteration

        options = {
            "gtol": 1e-12 * float((scale @ np.abs(B)).max()),
            "maxiter": max_iter,
            "initial_trust_radius": 1e3,
            "max_trust_radius": 1e12,
        }
        start = np.zeros(B.shape[1])
        minimize(objective, start, method="trust-exact", jac=True, hess=hessian, callback=after_step, options=options)

    def interior(self, max_iter: int) -> None:
        """Run the interior point method."""
        point = InteriorPoint(self.problem)
        try:
            for _ in range(max_iter):
                point.advance()
                if self._ends(point.w, point.b, point.u, point.alpha):
                    return
        except LinAlgError:  # Rounding allows no further step; the gap shows whether the last point is good enough.
            return

    def _ends(self, w: Array, b: float, u: Array, alpha: Array) -> bool:
        """Keep the point and the bound if they are the best, and return whether the gap is small or no longer falls."""
        best = self.best
        before = best.gap, best.objective
        value = self.problem.value(w[:, None], u[:, None])
        if not np.isfinite(value):
            return True
        if value < best.objective:
            best.W, best.b, best.objective = w[:, None].copy(), np.array([b]), value
        best.path.append(best.objective)
        bound = self.problem.bound(alpha[:, None])
        if bound > best.bound:
            best.bound, self.alpha = bound, alpha.copy()
        self.idle = 0 if (best.gap, best.objective) != before else self.idle + 1
        return best.gap <= self.tol or self.idle > _PATIENCE or (self.idle > 0 and best.gap <= _SATISFIED)

    def drop_rounding(self) -> None:
        """Set to 0 the coefficients that are 0 by their multipliers; an interior point leaves them slightly off 0."""
        pull = np.abs(self.problem.A.T @ self.alpha)
        W = np.where(pull[:, None] < self.problem.beta * (1 - _CERTAIN), 0.0, self.best.W)
        value = self.problem.value(W, self.problem.shortfall(W, self.best.b))
        if value <= self.best.objective * (1 + _SATISFIED):
            self.best.W, self.best.objective, self.best.path[-1] = W, value, value
