"""What the nodes of grown trees say: see `kernel/structures.pxd`."""

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.lots import MISSING_RIGHT

__all__ = ["missing_go_left", "split_columns"]


def split_columns(nodes: NDArray) -> NDArray[np.int32]:
    """Return the column of the tree's view that each node splits on; -1 for leaves."""
    column = nodes["column"]
    return np.where(column < 0, column, column & (MISSING_RIGHT - 1))


def missing_go_left(nodes: NDArray) -> NDArray[np.bool_]:
    """Return which nodes send missing values to their left child; no leaf does."""
    column = nodes["column"]
    return (column >= 0) & (column & MISSING_RIGHT == 0)
