"""Proximal maps of the loss and of the penalty of the exclusivity regularised machine (ExRM paper, equations 8 to 15)."""

import numpy as np
from numpy.typing import NDArray

_NEWTON_STEPS = 50
_EPSILON = 1e-9
"""Epsilon as a share of the row's sum; it lets entries near 0 grow again."""


def prox_hinge(target: NDArray[np.float64], step: NDArray[np.float64] | float, power: float):
    """Return argmin over u of ``step * max(u, 0)^p + (u - target)^2 / 2``, element by element (14, 15 for p = 1, 2)."""
    if power == 1:
        return np.where(target > 0, np.maximum(target - step, 0), target)
    if power == 2:
        return np.where(target > 0, target / (1 + 2 * step), target)
    u, pulled = target.copy(), target > 0
    u[pulled] = _positive_root(target[pulled], np.broadcast_to(step, target.shape)[pulled] * power, power - 1)
    return u


def _positive_root(t: NDArray[np.float64], slope: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    """Return u > 0 with ``u + slope u^q = t``, by Newton's method for log u: the logarithm of the left side is convex."""
    with np.errstate(divide="ignore"):
        log_t, log_slope = np.log(t), np.log(slope)
    log_u = np.minimum(log_t, (log_t - log_slope) / q)  # each term alone would be t
    for _ in range(_NEWTON_STEPS):
        first, second = np.exp(log_u), np.exp(log_slope + q * log_u)
        change = (np.log(first + second) - log_t) * (first + second) / (first + q * second)
        log_u -= change
        if np.abs(change).max(initial=0) <= 1e-14:
            break
    return np.exp(log_u)


def prox_squared_l1(V: NDArray[np.float64], step: float, beta: float = 0.0, copies: int = 1) -> NDArray[np.float64]:
    """Return argmin over W of ``step * sum_i (s_i^2 / 2 + beta s_i) + ||W - V||^2 / 2`` with ``s_i = sum_c |W_ic|`` (8).

    Every column of V (n_features, n_columns) stands for `copies` equal columns. One threshold, ``step (s + beta)``,
    shrinks each row. If the k largest entries, with sum S_k, are kept, the threshold is
    ``step (S_k + beta) / (1 + k step)``. k is the largest number for which the k-th entry exceeds this threshold.
    """
    size = np.abs(V)
    if V.shape[1] == 1:
        kept = np.maximum(size - step * beta, 0) / (1 + copies * step)
        return np.copysign(kept, V) + 0.0  # Adding 0 turns -0 into 0.
    largest = -np.sort(-size, axis=1)
    k = np.arange(1, V.shape[1] + 1)
    thresholds = step * (copies * np.cumsum(largest, axis=1) + beta) / (1 + copies * k * step)
    n_kept = np.maximum((largest > thresholds).sum(axis=1), 1)
    threshold = np.take_along_axis(thresholds, n_kept[:, None] - 1, axis=1)
    return np.copysign(np.maximum(size - threshold, 0), V) + 0.0


def reweighted_squared_l1(
    V: NDArray[np.float64],
    step: float,
    start: NDArray[np.float64],
    n_iter: int = 1000,
    beta: float = 0.0,
    copies: int = 1,
) -> NDArray[np.float64]:
    """Return the minimiser of :func:`prox_squared_l1` by the paper's algorithm 1: equations 10 and 11 in turn."""
    W = start
    for _ in range(n_iter):
        size = np.abs(W)
        s = copies * size.sum(axis=1, keepdims=True)
        alive = size + _EPSILON * s + np.finfo(np.float64).tiny  # |W| + epsilon of equation 10
        new = V * (alive / (step * (s + beta) + alive))
        change = np.abs(new - W).max(initial=0.0)
        W = new
        if change <= 1e-12 * np.abs(W).max(initial=0.0):
            break
    return W
