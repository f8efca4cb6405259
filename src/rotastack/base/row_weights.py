"""Weights of rows: those that are given times those of the classes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_sample_weight

from rotastack.base.scikit import check_sample_weight

__all__ = ["of_all_rows", "per_row", "row_weights", "some", "uneven"]


def row_weights(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: dict | str | None = None
) -> NDArray[np.float64] | None:
    """Return the weight of each row, checked; None where there are none.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)
    sample_weight : array-like of shape (n_rows,), optional
        At least 0.
    class_weight : dict, "balanced" or None
        As in scikit-learn: "balanced" is in inverse proportion to the number of rows of a class.

    Raises
    ------
    ValueError
        Weights that are below 0, not finite, or 0 for every row.
    """
    weights = None if class_weight is None else compute_sample_weight(class_weight, y)
    if sample_weight is not None:
        own = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = own if weights is None else own * weights
    if weights is None:
        return None
    if not np.isfinite(weights).all() or weights.min() < 0:
        raise ValueError("row weights (sample_weight times class_weight) must be finite and at least 0")
    if not weights.any():
        raise ValueError("row weights (sample_weight times class_weight) are 0 for every row")
    return weights


def per_row(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return the weights over their mean over rows that have one; None where all rows weigh alike."""
    if weights is None:
        return None
    weights = weights / weights.max()  # equal ones are 1 now, whatever they were
    there = weights > 0
    return None if weights.min() == 1 else weights * (there.sum() / weights.sum())


def uneven(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return the weights; None where all rows weigh alike, which is as good as no weights."""
    return None if weights is None or np.ptp(weights) == 0 else weights


def of_all_rows(values: NDArray, there: NDArray[np.bool_], missing: float = np.nan) -> NDArray:
    """Return what is known of the rows that are `there` for all rows; `missing` for the others."""
    everyone = np.full((len(there), *values.shape[1:]), missing, values.dtype)
    everyone[there] = values
    return everyone


def some(weights: NDArray[np.float64] | None, rows: NDArray) -> NDArray[np.float64] | None:
    """Return the weights of some rows."""
    return None if weights is None else weights[rows]
