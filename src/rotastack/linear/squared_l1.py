"""Proximal map of half the squared l1 norm, the penalty of the exclusivity regularised machine."""

import numpy as np
from numpy.typing import NDArray

_EPSILON = 1e-9
"""Epsilon as a share of the row's sum; it lets entries near 0 grow again."""

__all__ = ["prox_squared_l1", "reweighted_squared_l1"]


def prox_squared_l1(V: NDArray[np.float64], step: float, beta: float = 0.0, copies: int = 1) -> NDArray[np.float64]:
    """Return argmin over W of ``step * sum_i (s_i^2 / 2 + beta s_i) + ||W - V||^2 / 2``.

    ``s_i = sum_c |W_ic|`` is the l1 norm of a row.

    One threshold, ``step (s + beta)``, shrinks each row. If the k largest entries, with sum S_k, are kept, the
    threshold is ``step (S_k + beta) / (1 + k step)``. k is the largest number for which the k-th entry exceeds
    this threshold, so one sort finds the minimiser without iteration.

    Parameters
    ----------
    V : ndarray of shape (n_features, n_members)
    step : float
        1 / mu in equation 8.
    beta : float
        Weight of the sparsity term, W~ = [W, beta 1] in the paper's section 5.
    copies : int
        Number of equal columns that each column stands for, in s_i and in the distance.

    Returns
    -------
    ndarray of shape (n_features, n_members)

    References
    ----------
    Guo, X., Wang, X., Ling, H. Exclusivity regularized machine: a new ensemble SVM classifier, equation 8.

    Examples
    --------
    >>> import numpy as np
    >>> prox_squared_l1(np.array([[3.0, -1.0, 0.2]]), 1.0)
    array([[1.5, 0. , 0. ]])
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
    tol: float = 1e-12,
    beta: float = 0.0,
    copies: int = 1,
) -> NDArray[np.float64]:
    """Return the minimiser of :func:`prox_squared_l1` by the paper's algorithm 1: equations 10 and 11 in turn.

    Parameters
    ----------
    V, step, beta, copies
        As for :func:`prox_squared_l1`.
    start : ndarray of shape (n_features, n_members)
    n_iter : int
        Largest number of iterations.
    tol : float
        The iterations end when no entry changes by more than `tol` times the largest entry.

    Returns
    -------
    ndarray of shape (n_features, n_members)
    """
    W = start
    for _ in range(n_iter):
        size = np.abs(W)
        s = copies * size.sum(axis=1, keepdims=True)
        alive = size + _EPSILON * s + np.finfo(np.float64).tiny  # |W| + epsilon of equation 10
        new = V * (alive / (step * (s + beta) + alive))
        change = np.abs(new - W).max(initial=0.0)
        W = new
        if change <= tol * np.abs(W).max(initial=0.0):
            break
    return W
