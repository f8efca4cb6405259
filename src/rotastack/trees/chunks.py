"""Batches and chunks of trees: a chunk is the batches that one thread or worker grows in one call of the kernel."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.batches import grow_batches, times_log2
from rotastack.trees.linear_views import ViewTables
from rotastack.trees.missing import missing_columns
from rotastack.trees.narrow import narrow
from rotastack.trees.nodes import TreeArrays, decreases_of

__all__ = [
    "CHUNK_ROWS",
    "GrownChunk",
    "GrowthTask",
    "KernelOptions",
    "TrainingTable",
    "TreeBags",
    "by_column",
    "chunk_edges",
    "few_ones",
    "grow_chunk",
]

CHUNK_ROWS = 1 << 13
"""Approximate number of training rows of all trees of a chunk together."""

TABLE_LIMIT = 1 << 22
"""The largest argument for which x log2 x is tabulated."""


class TrainingTable(NamedTuple):
    """The training rows of a call of the kernel.

    Attributes
    ----------
    data : ndarray of float32 of shape (n_sets, n_columns, n_rows)
        Copies of the data, column by column.
    missing : ndarray of uint8 of shape (n_columns,) or (0,)
        1 for each column with missing values (NaN); empty if no column has any.
    ones : ndarray of uint32
    first_one : ndarray of int64
        Columns of few ones, see :func:`rotastack.trees.chunks.few_ones`; empty with several copies of the data.
    weights : ndarray of float64 of shape (n_masks, n_rows)
        Weight of each row. The trees leave out rows of weight 0. In a tree with a bootstrap, the weight of a row is its
        number of draws.
    classes : ndarray of int32 of shape (n_rows,)
    targets : ndarray of float64 of shape (n_rows,)
        The class numbers as floats, or the targets of a regression.
    log_table : ndarray of float64
        x log2 x for x = 0, 1, ...; empty if the criterion needs no logarithms, weights are no integers, or the table
        would be too long.
    n_outputs : int
        Number of classes, or 1 for a regression.
    """

    data: NDArray[np.float32]
    missing: NDArray[np.uint8]
    ones: NDArray[np.uint32]
    first_one: NDArray[np.int64]
    weights: NDArray[np.float64]
    classes: NDArray[np.int32]
    targets: NDArray[np.float64]
    log_table: NDArray[np.float64]
    n_outputs: int

    @classmethod
    def of(
        cls,
        X: NDArray[np.float32],
        classes: NDArray[np.integer],
        targets: NDArray,
        weights: NDArray[np.float64],
        n_outputs: int,
        criterion: str,
        bags: "TreeBags",
    ) -> "TrainingTable":
        """Return the training table of `X`, the copies of the data in shape (n_sets, n_rows, n_columns)."""
        drawing = bags.bootstrap and not len(bags.counts)
        return cls(
            by_column(X),
            missing_columns(X.reshape(-1, X.shape[2])),
            *few_ones(X[0] if len(X) == 1 else X[0, :0], criterion),
            weights,
            classes.astype(np.int32),
            targets.astype(np.float64),
            _log_table(criterion, np.ceil(weights) if drawing else weights, bags.counts),
            n_outputs,
        )


class TreeBags(NamedTuple):
    """The seeds, draws and counts of the bags of all trees of a call.

    Attributes
    ----------
    seeds : ndarray of uint64 of shape (n_trees,)
    bootstrap : bool
    ends : ndarray of float64 of shape (n_weighted_rows,) or (0,)
    size : int
        The fields of :class:`rotastack.trees.bags.Bags`, for a bootstrap.
    counts : ndarray of int32 of shape (n_trees, n_rows) or (0, 0)
        Given number of times that each tree sees each row; empty if the bags are drawn.
    """

    seeds: NDArray[np.uint64]
    bootstrap: bool
    ends: NDArray[np.float64]
    size: int
    counts: NDArray[np.int32] = np.empty((0, 0), np.int32)


class KernelOptions(NamedTuple):
    """The options of trees as numbers for the kernel; a limit that is not set is 0 or the largest integer.

    `quantile` is the normal quantile at 1 - `confidence`. `raising` allows C4.5 to raise subtrees. With
    `constant_leaf`, a node becomes a leaf if all columns drawn for its split are constant; otherwise more columns are
    drawn.
    """

    criterion: int
    max_depth: int
    min_split: int
    min_leaf: int
    min_share: float
    max_leaves: int
    min_decrease: float
    ccp_alpha: float
    confidence: float
    quantile: float
    raising: bool
    constant_leaf: bool


class GrowthTask(NamedTuple):
    """The data and options that all chunks of a call share.

    Attributes
    ----------
    table : TrainingTable
    batches : structured ndarray of shape (n_batches,)
        All batches of the call; a chunk is a range of these batches.
    bags : TreeBags
    views : ViewTables
    options : KernelOptions
    describe_nodes : bool
        Whether trees keep impurity, weight and number of rows of each node; else only decreases of impurity by column.
    keep : bool
        Whether chunks return the trees.
    want_oob, oob_per_batch : bool
        Whether to sum outputs for out-of-bag rows; whether the sums start anew for each batch.
    want_held : bool
        Whether chunks return the outputs of each batch for rows of weight 0.
    """

    table: TrainingTable
    batches: NDArray
    bags: TreeBags
    views: ViewTables
    options: KernelOptions
    describe_nodes: bool = True
    keep: bool = True
    want_oob: bool = False
    oob_per_batch: bool = False
    want_held: bool = False


class GrownChunk(NamedTuple):
    """The trees of a chunk, their outputs and their out-of-bag errors.

    Attributes
    ----------
    trees : TreeArrays
    oob_sums : ndarray of shape (n_rows, n_outputs)
    oob_counts : ndarray of shape (n_rows,)
        Sums of the outputs for each out-of-bag row and the number of summed trees, each in its narrowest type.
    batch_errors : ndarray of shape (n_batches,)
    tree_errors : ndarray of shape (n_trees,)
        Out-of-bag errors of batches and of trees.
    held_out : ndarray of float32 of shape (n_batches, n_rows, n_outputs), or None
        Outputs for rows of weight 0.
    """

    trees: TreeArrays
    oob_sums: NDArray
    oob_counts: NDArray
    batch_errors: NDArray[np.float64]
    tree_errors: NDArray[np.float64]
    held_out: NDArray[np.float32] | None


def chunk_edges(batches: NDArray, owners: NDArray[np.int64], most: int) -> list[int]:
    """Return the edges of chunks: ranges of batches of one family, with at most `most` trees or a single batch."""
    if len(batches) == 1:
        return [0, 1]
    edges = [0]
    n_trees = 0
    for k, (size, owner) in enumerate(zip(batches["n_trees"].tolist(), owners.tolist(), strict=True)):
        if k > edges[-1] and (n_trees + size > most or owner != owners[k - 1]):
            edges.append(k)
            n_trees = 0
        n_trees += size
    return [*edges, len(batches)]


def grow_chunk(chunk: tuple[int, int], stop: NDArray[np.uint8], task: GrowthTask) -> GrownChunk:
    """Grow the batches ``chunk[0]`` to ``chunk[1] - 1``; raise KeyboardInterrupt soon after ``stop[0]`` becomes 1."""
    batches = task.batches[slice(*chunk)]
    shape = (len(batches), task.table.data.shape[2], task.table.n_outputs)
    held = np.zeros(shape, np.float32) if task.want_held else None
    grown = grow_batches(
        task.table, batches, task.bags, task.views, task.options,
        keep=task.keep, want_oob=task.want_oob, oob_per_batch=task.oob_per_batch, held=held, stop=stop,
    )  # fmt: skip
    trees = TreeArrays(*grown[:6])
    if not task.describe_nodes:
        starts = np.concatenate([[0], np.cumsum(trees.facts[:, 0])])
        decreases = decreases_of(trees.nodes, starts, trees.impurity, trees.weight, task.views.max_width)
        trees = trees._replace(
            impurity=np.empty(0), weight=np.empty(0), counts=np.empty(0, np.int32), decreases=decreases
        )
    return GrownChunk(
        trees, narrow(grown.oob_sums), narrow(grown.oob_counts), grown.batch_errors, grown.tree_errors, held
    )


def by_column(X: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a copy of an array (set, row, column) as (set, column, row)."""
    return np.array(np.swapaxes(X, 1, 2), dtype=np.float32, order="C")


def _log_table(criterion: str, weights: NDArray[np.float64], counts: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return x log2 x for 0, 1, ... up to the largest sum of a tree's integer weights; else an empty array."""
    if criterion in ("gini", "squared_error") or (weights % 1).any():
        return np.empty(0)
    draws = max(weights.shape[1], int(counts.sum(axis=1).max(initial=0)))
    top = draws * float(weights.max(initial=0))
    if top > TABLE_LIMIT:
        return np.empty(0)
    return times_log2(int(top) + 1)


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
