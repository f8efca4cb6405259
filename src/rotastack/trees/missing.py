"""Which columns have missing values: see `kernel/missing.pxd`."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["missing_columns"]


def missing_columns(X: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return which columns of (row, column) have missing values, or nothing if none has."""
    if np.isfinite(X.sum(dtype=np.float64)):
        return np.empty(0, np.uint8)
    missing = np.any(np.isnan(X), axis=0)
    return missing.astype(np.uint8) if missing.any() else np.empty(0, np.uint8)


def column_means(X: NDArray[np.floating], missing: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return what stands in for the missing values of each column: the mean of the known ones, 0 if there are none.

    NaN for a column in which none is `missing`.
    """
    means = np.full(X.shape[1], np.nan, np.float32)
    for j in np.flatnonzero(missing):
        known = X[~np.isnan(X[:, j]), j]
        means[j] = known.astype(np.float64).mean() if len(known) else 0.0
    return means
