"""Primal SVM with squared hinge: Newton's method on the active rows."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

__all__ = ["NewtonSVM"]

Array = NDArray[np.float64]
_HALVINGS = 40
_RIDGE = 1e-12
"""Keeps the intercept determined where no row is active."""


class NewtonSVM:
    """Minimise ``||w||^2 / 2 + sum_n cost_n max(u_n, 0)^2`` with u = 1 - A w - y b.

    The objective is piecewise quadratic: once a full step leaves the active rows (u > 0) as they were,
    it is at the optimum, exact but for rounding.

    Parameters and attributes as of :class:`~rotastack.linear.interior.InteriorPoint`; the multipliers
    are worth a bound (`certifies`) at the end.

    References
    ----------
    Keerthi, S. S. and DeCoste, D. (2005). A modified finite Newton method for fast solution of large scale
    linear SVMs. Journal of Machine Learning Research 6.
    """

    def __init__(self, A: Array, y: Array, cost: Array):
        self.B, self.cost = np.column_stack([A, y]), cost
        self.z, self.u = np.zeros(self.B.shape[1]), np.ones(len(y))
        self._regular = np.append(np.ones(A.shape[1]), 0.0)
        self.certifies = False

    @property
    def w(self) -> Array:
        """Coefficients."""
        return self.z[:-1]

    @property
    def b(self) -> float:
        """Intercept."""
        return self.z[-1]

    @property
    def alpha(self) -> Array:
        """Multipliers of the margins."""
        return 2 * self.cost * np.maximum(self.u, 0)

    def iterate(self, max_iter: int) -> Iterator["NewtonSVM"]:
        """Yield itself after each iteration, until the active rows stay."""
        value = self._value(self.z, self.u)
        for _ in range(max_iter):
            active = self.u > 0
            slope, step = self._newton_step(active)
            along, length = self.B @ step, 1.0
            for _ in range(_HALVINGS):
                z, u = self.z + length * step, self.u - length * along
                new = self._value(z, u)
                if new <= value + 1e-4 * length * slope:
                    break
                length /= 2
            else:
                return
            self.z, self.u, value = z, u, new
            self.certifies = length == 1.0 and np.array_equal(u > 0, active)
            yield self
            if self.certifies:
                return

    def _value(self, z: Array, u: Array) -> float:
        over = np.maximum(u, 0)
        return float(z[:-1] @ z[:-1] / 2 + self.cost @ (over * over))

    def _newton_step(self, active: NDArray[np.bool_]) -> tuple[float, Array]:
        """Return the slope of the objective along the Newton step, and the step."""
        rows, weights = self.B[active], 2 * self.cost[active]
        gradient = self._regular * self.z - rows.T @ (weights * self.u[active])
        rows *= np.sqrt(weights)[:, None]
        H = rows.T @ rows
        H.flat[:: len(H) + 1] += self._regular
        H[-1, -1] += _RIDGE * (1 + H[-1, -1])
        step = -cho_solve(cho_factor(H, overwrite_a=True, check_finite=False), gradient, check_finite=False)
        return float(gradient @ step), step
