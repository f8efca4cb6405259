"""Powers of the hinge, cost x max(u, 0)^p with u = 1 - margin: slope, conjugate and proximal map."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["hinge_conjugate", "hinge_slope", "prox_hinge"]

_NEWTON_STEPS = 50


def hinge_slope(shortfall: NDArray[np.float64], cost: NDArray[np.float64], power: float):
    """Return the derivative of ``cost * max(u, 0)^p`` at u; for p = 1 the right derivative at u > 0."""
    if power == 1:
        return np.where(shortfall > 0, cost, 0.0)
    return cost * power * np.maximum(shortfall, 0) ** (power - 1)


def hinge_conjugate(slope: NDArray[np.float64], cost: NDArray[np.float64], power: float):
    """Return max over u of ``slope * u - cost * max(u, 0)^p`` for slopes >= 0 (p = 1: slopes <= cost)."""
    if power == 1:
        return np.zeros(np.broadcast(slope, cost).shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = (power - 1) * cost * (slope / (cost * power)) ** (power / (power - 1))
    return np.where(cost > 0, value, np.where(slope > 0, np.inf, 0.0))


def prox_hinge(target: NDArray[np.float64], step: NDArray[np.float64] | float, power: float):
    """Return argmin over u of ``step * max(u, 0)^p + (u - target)^2 / 2``, element by element.

    Equations 14 (p = 1) and 15 (p = 2) of the ExRM paper. For other p the derivative
    ``u - target + step p u^(p-1)`` grows with u; Newton's method finds its zero from the side from which
    it cannot overshoot.
    """
    if power == 1:
        return np.where(target > 0, np.maximum(target - step, 0), target)
    if power == 2:
        return np.where(target > 0, target / (1 + 2 * step), target)
    u = target.copy()
    pulled = target > 0
    u[pulled] = _positive_root(target[pulled], np.broadcast_to(step, target.shape)[pulled] * power, power - 1)
    return u


def _positive_root(t: NDArray[np.float64], slope: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    """Return u > 0 with ``u + slope u^q = t``."""
    half = t if q > 1 else t / 2  # the sum is convex (start above) or concave (start below)
    with np.errstate(divide="ignore"):
        u = np.minimum(half, (half / slope) ** (1 / q))
    for _ in range(_NEWTON_STEPS):
        power = slope * u**q
        with np.errstate(divide="ignore", invalid="ignore"):
            new = u * (t + (q - 1) * power) / (u + q * power)
        new = np.where(u > 0, new, 0.0)
        if np.all(np.abs(new - u) <= 1e-15 * u):
            break
        u = new
    return u
