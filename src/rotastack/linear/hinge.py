"""Conjugate and proximal map of powers of the hinge, cost x max(u, 0)^p with u = 1 - margin."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["hinge_conjugate", "prox_hinge"]

_NEWTON_STEPS = 50


def hinge_conjugate(slope: NDArray[np.float64], cost: NDArray[np.float64], power: float):
    """Return max over u of ``slope * u - cost * max(u, 0)^p`` for slopes >= 0 (and slopes <= cost if p = 1)."""
    if power == 1:
        return np.zeros(np.broadcast(slope, cost).shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = (power - 1) * cost * (slope / (cost * power)) ** (power / (power - 1))
    return np.where(cost > 0, value, np.where(slope > 0, np.inf, 0.0))


def prox_hinge(target: NDArray[np.float64], step: NDArray[np.float64] | float, power: float):
    """Return argmin over u of ``step * max(u, 0)^p + (u - target)^2 / 2``, element by element.

    These are equations 14 (p = 1) and 15 (p = 2) of the ExRM paper. For other p the derivative
    ``u - target + step p u^(p-1)`` grows with u. Newton's method finds its zero, from the side on which no step
    overshoots.
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
    """Return u > 0 with ``u + slope u^q = t``, for q < 1 through v = slope u^q, which makes the equation convex."""
    with np.errstate(all="ignore"):
        if q > 1:
            u = np.minimum(t, (t / slope) ** (1 / q))
            return _settled(u, lambda u: u * (t + (q - 1) * slope * u**q) / (u + q * slope * u**q))
        r = 1 / q

        def better(v):
            u = (v / slope) ** r
            return v * (t + (r - 1) * u) / (v + r * u)

        v = _settled(np.minimum(t, slope * t**q), better)
        return np.where(slope > 0, np.where(v < t / 2, t - v, (v / slope) ** r), t)


def _settled(x, better):
    """Return x after Newton steps until no element changes."""
    for _ in range(_NEWTON_STEPS):
        new = np.where(x > 0, better(x), 0.0)
        if np.all(np.abs(new - x) <= 1e-15 * x):
            return new
        x = new
    return x
