"""Folds of the selection rows, for pruners that choose a parameter by cross-validation."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["interleaved_folds"]


def interleaved_folds(n_rows: int, n_folds: int = 5) -> list[NDArray[np.bool_]]:
    """Return a mask of the rows of each fold: every `n_folds`-th row, so no seed is needed.

    With fewer rows than `n_folds` each row is a fold. A single row gives no folds.
    """
    count = min(n_folds, n_rows)
    return [np.arange(n_rows) % count == fold for fold in range(count)] if count > 1 else []
