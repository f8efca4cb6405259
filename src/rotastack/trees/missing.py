"""Which columns have missing values: see `kernel/missing.pxd`."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["missing_columns"]


def missing_columns(X: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return which columns of (row, column) have missing values, or nothing if none has."""
    if np.isfinite(X.sum(dtype=np.float64)):
        return np.empty(0, np.uint8)
    missing = np.isnan(X).any(axis=0)
    return missing.astype(np.uint8) if missing.any() else np.empty(0, np.uint8)
