"""Columns with missing values; `kernel/missing.pxd` describes how trees treat missing values."""

import numpy as np
from numpy.typing import NDArray


def missing_columns(X: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return 1 for each column of X with missing values, else 0; an empty array if no column has any."""
    if np.isfinite(X.sum(dtype=np.float64)):
        return np.empty(0, np.uint8)
    missing = np.any(np.isnan(X), axis=0)
    return missing.astype(np.uint8) if missing.any() else np.empty(0, np.uint8)


def column_means(X: NDArray[np.floating], missing: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the mean of the known values of each column with missing values, or 0 if it has no known value.

    The result is NaN for columns that `missing` does not mark.
    """
    means = np.full(X.shape[1], np.nan, np.float32)
    for j in np.flatnonzero(missing):
        known_values = X[~np.isnan(X[:, j]), j]
        means[j] = known_values.astype(np.float64).mean() if len(known_values) else 0.0
    return means
