"""Weights of rows: sample weights times the weights of classes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_sample_weight

from rotastack.base.scikit import check_sample_weight


def row_weights(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: dict | str | None = None
) -> NDArray[np.float64] | None:
    """Return the checked weight of each row, ``sample_weight`` times the weight of its class; None without both.

    Weights that are below 0, not finite, or 0 for every row are a ValueError. `class_weight` is as in scikit-learn.
    """
    weights = None if class_weight is None else compute_sample_weight(class_weight, y)
    if sample_weight is not None:
        checked = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = checked if weights is None else checked * weights
    if weights is None:
        return None
    if not np.isfinite(weights).all() or weights.min() < 0:
        raise ValueError("row weights (sample_weight times class_weight) must be finite and at least 0")
    if not weights.any():
        raise ValueError("row weights (sample_weight times class_weight) are all 0; at least one must be above 0")
    return weights


def relative_weights(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return the weights divided by the mean of those above 0; None if all weights are equal."""
    if weights is None:
        return None
    weights = weights / weights.max()  # equal weights are exactly 1 now
    positive = weights > 0
    return None if weights.min() == 1 else weights * (positive.sum() / weights.sum())


def of_all_rows(values: NDArray, there: NDArray[np.bool_], missing: float = np.nan) -> NDArray:
    """Return values for all rows: `values` for the rows in the mask `there`, `missing` for the others."""
    filled = np.full((len(there), *values.shape[1:]), missing, values.dtype)
    filled[there] = values
    return filled


def weights_of(weights: NDArray[np.float64] | None, rows: NDArray) -> NDArray[np.float64] | None:
    """Return ``weights[rows]``; None without weights."""
    return None if weights is None else weights[rows]
