"""Exact solver of one primal SVM, which equals the whole ensemble if all members have the same rows."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr

from rotastack.linear.interior import InteriorPoint
from rotastack.linear.problem import Problem, Solution, relative_gap

__all__ = ["HingeNewton", "SquaredHingeNewton", "solve_primal"]

Array = NDArray[np.float64]
_HALVINGS = 40
_ROUNDING = 1e-14


class _PiecewiseNewton:
    """Solver of: minimise ``||w||^2 / 2 + sum_n phi_n(u_n)``, u = 1 - A w - y b, where phi_n' is a ramp.

    The slope of phi_n, ``alpha_n(u) = clip(start_n + rise_n u, 0, cap_n)``, is constant outside an interval,
    the ramp. So the objective is piecewise quadratic, and its Hessian depends only on the rows on their ramp.
    A full step that does not change this set of rows has reached the optimum, exact but for rounding.

    Parameters
    ----------
    B : ndarray of shape (n_rows, n_features + 1)
        [A, y].
    cost : ndarray of shape (n_rows,)
    z : ndarray of shape (n_features + 1,)
        (w, b) to start from.

    Attributes
    ----------
    w, b, u
        Coefficients, intercept, and 1 - A w - y b.
    alpha : ndarray of shape (n_rows,)
        Multipliers of the margins.
    certifies : bool
        Whether alpha gives a bound.
    """

    def __init__(self, B: Array, cost: Array, z: Array):
        self.B, self.cost, self.z = B, cost, z
        self.u = 1 - B @ z
        self.certifies = False

    @property
    def w(self) -> Array:
        return self.z[:-1]

    @property
    def b(self) -> float:
        return self.z[-1]

    def _slopes(self, u: Array) -> Array:
        return np.minimum(np.maximum(self.start + self.rise * u, 0), self.cap)

    def _value(self, z: Array, u: Array, alpha: Array) -> float:
        offset = alpha - self.start
        return float(z[:-1] @ z[:-1] / 2 + alpha @ u - offset @ (offset / self.rise) / 2)

    def _steps(self, start: Array | float, rise: Array, cap: Array | float, tol: float) -> Iterator[bool]:
        """Take Newton steps, and after each step yield whether the step was the last."""
        self.start, self.rise, self.cap = start, rise, cap
        self.alpha = self._slopes(self.u)
        value = self._value(self.z, self.u, self.alpha)
        while True:
            ramp = (self.alpha > 0) & (self.alpha < cap)
            gradient = -(self.alpha @ self.B)
            gradient[:-1] += self.z[:-1]
            if np.abs(gradient).max() <= tol:
                yield True
                return
            step = self._newton_step(ramp, gradient)
            along, slope, length = self.B @ step, float(gradient @ step), 1.0
            for _ in range(_HALVINGS):
                z, u = self.z + length * step, self.u - length * along
                alpha = self._slopes(u)
                new = self._value(z, u, alpha)
                if new <= value + 1e-4 * length * slope + _ROUNDING * value:
                    break
                length /= 2
            else:  # Rounding hides any further decrease.
                yield True
                return
            self.z, self.u, self.alpha, value = z, u, alpha, new
            last = length == 1.0 and np.array_equal((alpha > 0) & (alpha < cap), ramp)
            yield last
            if last:
                return

    def _newton_step(self, ramp: NDArray[np.bool_], gradient: Array) -> Array:
        rows, rise = self.B[ramp], self.rise[ramp]
        if len(rise) and rise[0] == rise.min() == rise.max():
            H = rows.T @ rows
            H *= rise[0]
        else:
            rows *= np.sqrt(rise)[:, None]
            H = rows.T @ rows
        H.flat[: -1 : len(H) + 1] += 1
        # Without a row on its ramp the intercept has no curvature; then it gets the curvature of all rows.
        H[-1, -1] = H[-1, -1] * (1 + 1e-12) if len(rise) else self.rise.sum()
        return -cho_solve(cho_factor(H, overwrite_a=True, check_finite=False), gradient, check_finite=False)


class SquaredHingeNewton(_PiecewiseNewton):
    """Solver of: minimise ``||w||^2 / 2 + sum_n cost_n max(u_n, 0)^2``, by at most 20 Newton steps.

    With as many columns as rows, Newton's method can need hundreds of steps; then the solver gives up.

    References
    ----------
    Keerthi, S. S. and DeCoste, D. (2005). A modified finite Newton method for fast solution of large scale
    linear SVMs. Journal of Machine Learning Research 6.
    """

    STEPS = 20

    def iterate(self, max_iter: int) -> Iterator["SquaredHingeNewton"]:
        """Yield itself after each step, until the set of rows inside the margin does not change."""
        most = min(max_iter, self.STEPS)
        for k, last in zip(range(1, most + 1), self._steps(0.0, 2 * self.cost, np.inf, 0.0), strict=False):
            self.certifies = last or k == most
            yield self


class HingeNewton(_PiecewiseNewton):
    """Solver of: minimise ``||w||^2 / 2 + sum_n cost_n max(u_n, 0)``, by the method of multipliers.

    Each round replaces the slope of the hinge by the ramp ``clip(alpha + rise u, 0, cost)`` around the last
    multipliers. The ramp gets steeper from round to round. With small costs most rows stay at one end of the
    ramp, and the solver needs few Newton steps and small Hessians.

    References
    ----------
    Rockafellar, R. T. (1976). Augmented Lagrangians and applications of the proximal point algorithm in convex
    programming. Mathematics of Operations Research 1.
    """

    STEEPNESS, GROWTH, STEPS = 10.0, 3.0, 30

    def iterate(self, max_iter: int) -> Iterator["HingeNewton"]:
        """Yield itself after each round."""
        self.certifies = True
        alpha, steepness = self.cost / 2, self.STEEPNESS
        tol = 1e-3 * float((self.cost @ np.abs(self.B)).max())
        for _ in range(max_iter):
            for _ in zip(self._steps(alpha, steepness * self.cost, self.cost, tol), range(self.STEPS), strict=False):
                pass
            yield self
            alpha, steepness, tol = self.alpha, steepness * self.GROWTH, tol / 10


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
