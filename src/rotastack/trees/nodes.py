"""Columns, missing values and decreases of impurity of nodes, which `kernel/structures.pxd` describes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.batches import MISSING_RIGHT

__all__ = ["decreases_of", "missing_go_left", "side_by_side", "split_columns"]


def split_columns(nodes: NDArray) -> NDArray[np.int32]:
    """Return the column of the tree's view that each node splits on; -1 for leaves."""
    column = nodes["column"]
    return np.where(column < 0, column, column & (MISSING_RIGHT - 1))


def missing_go_left(nodes: NDArray) -> NDArray[np.bool_]:
    """Return a mask of the nodes that send missing values to their left child; False for leaves."""
    column = nodes["column"]
    return (column >= 0) & (column & MISSING_RIGHT == 0)


def decreases_of(
    nodes: NDArray, starts: NDArray[np.int64], impurity: NDArray[np.float64], weight: NDArray[np.float64], width: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the decrease of impurity by column of the tree's view, (tree, `width`)."""
    inner = np.flatnonzero(nodes["column"] >= 0)
    tree = np.searchsorted(starts, inner, side="right") - 1
    left = starts[tree] + nodes["child"][inner]
    loss = weight * impurity
    decrease = np.maximum(loss[inner] - loss[left] - loss[left + 1], 0.0)
    where = tree * width + split_columns(nodes)[inner]
    n_trees = len(starts) - 1
    sums = np.bincount(where, weights=decrease, minlength=n_trees * width)
    return sums.astype(np.float64).reshape(n_trees, width)


def side_by_side(decreases: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    """Return the joined decreases (tree, column) of forests, padded to equal widths; None if any forest has none."""
    arrays = [each for each in decreases if each is not None]
    if len(arrays) < len(decreases):
        return None
    width = max(each.shape[1] for each in arrays)
    return np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in arrays])
