"""Columns with missing values, and nodes of trees: their columns, missing values, decreases of impurity and arrays.

`kernel/structures.pxd` describes nodes, and `kernel/missing.pxd` how trees treat missing values.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.batches import MISSING_RIGHT


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


def split_columns(nodes: NDArray) -> NDArray[np.int32]:
    """Return the column of the tree's view that each node splits on; -1 for leaves."""
    column = nodes["column"]
    return np.where(column < 0, column, column & (MISSING_RIGHT - 1))


def missing_go_left(nodes: NDArray) -> NDArray[np.bool_]:
    """Return a mask of the nodes that send missing values to their left child; False for leaves."""
    column = nodes["column"]
    return (column >= 0) & (column & MISSING_RIGHT == 0)


def decreases_of(
    nodes: NDArray, starts: NDArray[np.int64], impurity: NDArray[np.float64], weight: NDArray[np.float64], width: int
) -> NDArray[np.float64]:
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
    if len(arrays) == 1:
        return arrays[0]
    width = max(each.shape[1] for each in arrays)
    return np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in arrays])


class TreeArrays(NamedTuple):
    """The nodes of consecutive trees; :class:`rotastack.trees.GrownTrees` describes the arrays.

    Either `decreases` is None or `impurity`, `weight` and `counts` are empty.
    """

    nodes: NDArray
    impurity: NDArray[np.float64]
    weight: NDArray[np.float64]
    counts: NDArray[np.int32]
    values: NDArray[np.float64]
    sizes: NDArray[np.int64]
    decreases: NDArray[np.float64] | None = None


def sklearn_arrays(
    nodes: NDArray,
    impurity: NDArray[np.float64],
    weight: NDArray[np.float64],
    counts: NDArray[np.int32],
    values: NDArray[np.float64],
) -> dict[str, NDArray]:
    """Return a tree in new arrays, those of scikit-learn's ``tree_``; the output of an inner node is the weighted mean of the outputs of its leaves."""
    leaf = nodes["column"] < 0
    n_outputs = values.shape[1]
    table = np.concatenate([values, np.eye(n_outputs)[::-1]])
    value = np.zeros((len(nodes), n_outputs))
    value[leaf] = table[nodes["child"][leaf]]
    for node in np.flatnonzero(~leaf)[::-1]:  # a child has a larger number than its parent
        child = nodes["child"][node]
        share = weight[child : child + 2] / weight[child : child + 2].sum()
        value[node] = share @ value[child : child + 2]
    return {
        "children_left": np.where(leaf, -1, nodes["child"]).astype(np.int64),
        "children_right": np.where(leaf, -1, nodes["child"] + 1).astype(np.int64),
        "feature": np.where(leaf, -2, split_columns(nodes)).astype(np.int64),
        "threshold": np.where(leaf, -2.0, nodes["cut"]).astype(np.float64),
        "impurity": impurity.copy(),
        "n_node_samples": counts.astype(np.int64),
        "weighted_n_node_samples": weight.copy(),
        "value": value,
        "missing_go_to_left": missing_go_left(nodes).astype(np.uint8),
    }
