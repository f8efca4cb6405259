"""Batches and chunks of trees: a chunk is the batches that one thread grows in one call of the kernel."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.bags import Bags
from rotastack.trees.kernel.batches import grow_batches, times_log2
from rotastack.trees.linear_views import ViewTables
from rotastack.trees.nodes import TreeArrays, decreases_of, missing_columns
from rotastack.trees.threads import run_threads

CHUNK_ROWS = 1 << 13
"""Approximate number of training rows of all trees of a chunk together."""

TABLE_LIMIT = 1 << 22
"""The largest argument for which x log2 x is tabulated."""


class TrainingTable(NamedTuple):
    """The training rows of a call of the kernel."""

    data: NDArray[np.float32]  # (n_sets, n_columns, n_rows): copies of the data
    missing: NDArray[np.uint8]  # (n_columns,): 1 for columns with missing values; empty if no column has any
    ones: NDArray[np.uint32]  # see `few_ones`, as is `first_one`; empty with several copies of the data
    first_one: NDArray[np.int64]
    weights: NDArray[np.float64]  # (n_masks, n_rows): rows of weight 0 are left out; a bootstrap weighs rows by draws
    classes: NDArray[np.int32]  # (n_rows,)
    targets: NDArray[np.float64]  # (n_rows,): class numbers as floats, or the targets of a regression
    log_table: NDArray[np.float64]  # x log2 x for x = 0, 1, ...; empty if it is not needed or would be too long
    n_outputs: int  # number of classes, or 1 for a regression

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
        return cls(
            by_column(X),
            missing_columns(X.reshape(-1, X.shape[2])),
            *few_ones(X[0] if len(X) == 1 else X[0, :0], criterion),
            weights,
            classes.astype(np.int32),
            targets.astype(np.float64),
            _log_table(criterion, np.ceil(weights) if bags.drawn else weights, bags.counts),
            n_outputs,
        )


class TreeBags(NamedTuple):
    """The seeds, draws and counts of the bags of all trees of a call."""

    seeds: NDArray[np.uint64]  # (n_trees,)
    bootstrap: bool
    ends: NDArray[np.float64]  # `ends` and `size` of :class:`rotastack.trees.bags.Bags`
    size: int
    counts: NDArray[np.int32]  # (n_trees, n_rows): given counts; empty if the kernel draws the bags, or there are none

    @classmethod
    def of(cls, seeds: NDArray[np.uint64], bags: Bags, bootstrap: bool, n_rows: int) -> "TreeBags":
        """Return the bags of the trees of these seeds; without a bootstrap a tree has all rows."""
        counts = bags.known_counts(seeds, n_rows) if bootstrap else np.empty((0, 0), np.int32)
        return cls(seeds, bootstrap, bags.ends, bags.size, counts)

    @property
    def drawn(self) -> bool:
        """Whether the kernel draws the bags."""
        return self.bootstrap and not len(self.counts)


class GrowthTask(NamedTuple):
    """The data and options that all chunks of a call share."""

    table: TrainingTable
    batches: NDArray  # all batches of the call; a chunk is a range of these
    bags: TreeBags
    views: ViewTables
    options: Any  # :class:`rotastack.trees.growing.TreeOptions`
    keep: bool = True  # return the trees
    oob_per_batch: bool = False  # these sums start anew for each batch
    want_held: bool = False  # return the outputs of each batch for rows of weight 0

    def chunks(self, owners: NDArray[np.int64], most: int) -> Iterator[tuple[tuple[int, int], "GrownChunk"]]:
        """Grow all batches; yield the ranges of batches of at most `most` trees of one owner, with what was grown."""
        edges = list(pairwise(chunk_edges(self.batches, owners, most)))
        return zip(edges, run_threads(self.grow, edges, self.options.n_jobs), strict=True)

    def grow(self, chunk: tuple[int, int], stop: NDArray[np.uint8]) -> "GrownChunk":
        """Grow the batches ``chunk[0]`` to ``chunk[1] - 1``; raise KeyboardInterrupt soon after ``stop[0]`` becomes 1."""
        batches = self.batches[slice(*chunk)]
        shape = (len(batches), self.table.data.shape[2], self.table.n_outputs)
        held = np.zeros(shape, np.float32) if self.want_held else None
        arrays, sums, counts, batch_errors, tree_errors = grow_batches(
            self.table,
            batches,
            self.bags,
            self.views,
            self.options,
            keep=self.keep,
            want_oob=self.options.want_oob,
            oob_per_batch=self.oob_per_batch,
            held=held,
            stop=stop,
        )
        trees = TreeArrays(*arrays)
        if not self.options.describe_nodes:
            starts = np.concatenate([[0], np.cumsum(trees.sizes[:, 0])])
            decreases = decreases_of(trees.nodes, starts, trees.impurity, trees.weight, self.views.max_width)
            trees = trees._replace(
                impurity=np.empty(0), weight=np.empty(0), counts=np.empty(0, np.int32), decreases=decreases
            )
        return GrownChunk(trees, sums, counts, batch_errors, tree_errors, held)


class GrownChunk(NamedTuple):
    """The trees of a chunk, their outputs and their out-of-bag errors."""

    trees: TreeArrays
    oob_sums: NDArray[np.float64]  # (n_rows, n_outputs): sums for out-of-bag rows, and
    oob_counts: NDArray[np.int32]  # (n_rows,): number of summed trees
    batch_errors: NDArray[np.float64]  # (n_batches,): out-of-bag errors
    tree_errors: NDArray[np.float64]  # (n_trees,)
    held_out: NDArray[np.float32] | None  # (n_batches, n_rows, n_outputs): outputs for rows of weight 0


def chunk_edges(batches: NDArray, owners: NDArray[np.int64], most: int) -> list[int]:
    """Return the edges of chunks: ranges of batches of one group, with at most `most` trees or a single batch."""
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
