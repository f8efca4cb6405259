"""Columns of zeros and few ones, such as dummy columns; `kernel/sparse.pxd` describes their splits."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["few_ones"]


def few_ones(X: NDArray[np.float32], criterion: str) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return (ones, first_one), which list the ones of the 0/1 columns of X with ones in at most half of the rows.

    The rows in which column j is 1 are ``ones[first_one[j]:first_one[j + 1]]``. Both arrays are empty if there is no
    such column, or if the criterion does not use the lists.
    """
    none = np.empty(0, np.uint32), np.empty(0, np.int64)
    if criterion not in ("gini", "squared_error") or not len(X):
        return none
    columns = np.flatnonzero((X[0] == 0) | (X[0] == 1))
    if not len(columns):
        return none
    candidates = X[:, columns].T
    is_one = candidates == 1
    few = (is_one | (candidates == 0)).all(axis=1) & (2 * is_one.sum(axis=1) <= len(X))
    counts = np.zeros(X.shape[1], np.int64)
    counts[columns] = is_one.sum(axis=1) * few
    ones = np.nonzero(is_one & few[:, None])[1].astype(np.uint32)
    return (ones, np.concatenate([[0], np.cumsum(counts)])) if len(ones) else none
