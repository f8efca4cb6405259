"""Lots and chunks of trees, as the kernel grows them: a chunk is what a thread, or a worker, grows at once."""

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.lots import SPLITTERS, grow_lots
from rotastack.trees.narrow import narrow
from rotastack.trees.nodes import decreases_of

if TYPE_CHECKING:
    from rotastack.trees.growing import TreeGroup

__all__ = ["CHUNK_ROWS", "chunk_edges", "grow_chunk", "lots_of", "n_candidates"]

CHUNK_ROWS = 1 << 13
"""Trees are grown in chunks of about so many rows in all."""


def n_candidates(max_features: str | int | float | None, width: int) -> int:
    """Return how many of `width` columns are searched for a split."""
    if max_features is None:
        return width
    if max_features == "sqrt":
        return max(1, int(np.sqrt(width)))
    if max_features == "log2":
        return max(1, int(np.log2(width)))
    if isinstance(max_features, Integral):
        if max_features > width:
            raise ValueError(f"max_features is {max_features}, but there are {width} columns")
        return int(max_features)
    return max(1, int(float(max_features) * width))


def lots_of(
    families: Sequence["TreeGroup"], widths: NDArray[np.int64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return lots (see the kernel) of at most `most` trees, and the family of each."""
    rows, owners = [], []
    first_view = first_tree = 0
    for f, family in enumerate(families):
        n_views = 1 if family.views is None else len(family.views)
        if family.n_trees < 1 or n_views < 1 or family.n_trees % n_views:
            raise ValueError(f"family {family.name}: {family.n_trees} trees cannot share {n_views} views evenly")
        each = family.n_trees // n_views
        pieces = -(-each // most)
        view, piece = np.divmod(np.arange(n_views * pieces), pieces)
        width = widths[first_view : first_view + n_views].tolist()
        wanted = {w: n_candidates(family.max_features, w) for w in set(width)}
        lots = np.zeros((n_views * pieces, 8), dtype=np.int64)
        lots[:, 2] = first_view + view
        lots[:, 3] = first_tree + each * view + most * piece
        lots[:, 4] = np.minimum(most, each - most * piece)
        lots[:, 5] = SPLITTERS[family.splitter]
        lots[:, 6] = wanted[width[0]] if len(wanted) == 1 else np.repeat([wanted[w] for w in width], pieces)
        lots[:, 7] = family.n_cuts
        rows.append(lots)
        owners.append(np.full(len(lots), f))
        first_view += n_views
        first_tree += family.n_trees
    return (rows[0], owners[0]) if len(rows) == 1 else (np.concatenate(rows), np.concatenate(owners))


def chunk_edges(lots: NDArray[np.int64], owners: NDArray[np.int64], most: int) -> list[int]:
    """Cut the lots into chunks of one family and about `most` trees each."""
    if len(lots) == 1:
        return [0, 1]
    edges = [0]
    n_trees = 0
    for k, (size, owner) in enumerate(zip(lots[:, 4].tolist(), owners.tolist(), strict=True)):
        if k > edges[-1] and (n_trees + size > most or owner != owners[k - 1]):
            edges.append(k)
            n_trees = 0
        n_trees += size
    return [*edges, len(lots)]


def grow_chunk(
    chunk: tuple[int, int],
    stop: NDArray[np.uint8],
    lots: NDArray[np.int64],
    describe_nodes: bool,
    keep: bool,
    want_oob: bool,
    oob_per_lot: bool,
    held_rows: int,
    *arguments: Any,
) -> tuple:
    """Grow the lots from ``chunk[0]`` to ``chunk[1] - 1``.

    Parameters
    ----------
    chunk : tuple of int
    stop : ndarray of shape (1,)
    lots : ndarray of shape (n_lots, 8)
    describe_nodes : bool
        Whether nodes keep impurity, weight and counts; otherwise trees have decreases of impurity by column in their place.
    keep : bool
    want_oob, oob_per_lot : bool
    held_rows : int
        Rows of which outputs are wanted where they have no weight; 0: none.
    arguments : tuple
        The rest of what :func:`rotastack.trees.kernel.lots.grow_lots` takes: 10 arguments before lots, others behind.

    Returns
    -------
    tuple
        The ten arrays that the kernel returns, sums and counts of rows out of bag in few bytes, as workers send them; the
        decreases or None; each lot's outputs (lot, row, output) for held rows.
    """
    mine = lots[slice(*chunk)]
    n_outputs = arguments[8]
    held = np.zeros((len(mine), held_rows, n_outputs) if held_rows else (0, 0, 0), np.float32)
    piece = grow_lots(*arguments[:10], mine, *arguments[10:], keep, want_oob, oob_per_lot, held_rows > 0, held, stop)
    piece = (*piece[:6], narrow(piece[6]), narrow(piece[7]), *piece[8:])
    if describe_nodes:
        return (*piece, None, held)
    nodes, impurity, weight, _, _, facts = piece[:6]
    starts = np.concatenate([[0], np.cumsum(facts[:, 0])])
    decreases = decreases_of(nodes, starts, impurity, weight, arguments[9])
    return (nodes, np.empty(0), np.empty(0), np.empty(0, np.int32), *piece[4:], decreases, held)
