"""Newton's method for the primal SVM with the squared hinge, or the hinge by a sequence of smooth problems."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

__all__ = ["HingeNewton", "SquaredHingeNewton"]

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
