"""Folds of the selection rows, for parameters that are chosen by cross-validation."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["interleaved_folds"]


def interleaved_folds(n_rows: int, n_folds: int = 5) -> list[NDArray[np.bool_]]:
    """Return masks of the rows in each fold: every fifth row, so that nothing is drawn.

    Fewer folds if there are fewer rows; none for a single row.
    """
    count = min(n_folds, n_rows)
    return [np.arange(n_rows) % count == fold for fold in range(count)] if count > 1 else []
