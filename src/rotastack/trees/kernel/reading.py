"""Predict by grown trees."""

import numpy as np

from rotastack.trees.kernel.compiling import compiled, entry_point
from rotastack.trees.kernel.views import locate, project

TILE_VALUES = 1 << 15
"""Rows are read in tiles of about so many values, which stay in a core's cache."""


@compiled
def send_down(tree, data, stored, source, rows, n, active, leaves):
    """Write the leaf of each of ``rows[:n]`` to `leaves`; data and stored columns are (column, row).

    All rows go down one level at a time, and those in a leaf drop out of `active`: the steps of
    different rows are independent, and there is no branch to mispredict.
    """
    for i in range(n):
        active[i] = i
        leaves[i] = 0
    n_active = n if tree[0].column >= 0 else 0
    while n_active > 0:
        kept = 0
        for k in range(n_active):
            i = active[k]
            node = tree[leaves[i]]
            where = source[np.uint32(node.column)]
            row = rows[i]
            value = data[np.uint32(where), row] if where >= 0 else stored[np.uint32(-1 - where), row]
            following = np.uint32(node.child) + np.uint32(value > node.cut)
            leaves[i] = following
            active[kept] = i
            kept += tree[following].column >= 0
        n_active = kept


@compiled
def add_leaf(leaf, values, sums, row):
    """Add the output of a leaf, encoded by its `child`, to a row of `sums`; return the most probable class."""
    if leaf < 0:
        sums[row, np.uint64(-1 - leaf)] += 1.0
        return np.int64(-1 - leaf)
    best = 0
    for c in range(values.shape[1]):
        sums[row, c] += values[leaf, c]
        if values[leaf, c] > values[leaf, best]:
            best = c
    return np.int64(best)


@entry_point
def read_trees(
    X, first, last, nodes, tree_start, tree_view, tree_group, view_start, view_parts, columns, matrices,
    max_width, values, sums, leaves,
):  # fmt: skip
    """Predict rows ``first`` to ``last - 1`` of `X`, float32 (n_rows, n_columns).

    Adds the outputs of the trees of each group to `sums`, float64 (n_groups, n_rows, n_outputs), and writes
    the leaves of the rows to `leaves`, int32 (n_rows, n_trees); an array of length 0 is not written.
    """
    n_columns = X.shape[1]
    height = max(32, min(TILE_VALUES // max(n_columns, 1), last - first))
    tile = np.empty((n_columns, height), np.float32)
    stored = np.empty((max_width, height), np.float32)
    source = np.empty(max_width, np.int32)
    rows = np.arange(height).astype(np.uint32)
    active = np.empty(height, np.uint32)
    found = np.empty(height, np.uint32)
    for begin in range(first, last, height):
        n = min(height, last - begin)
        for i in range(n):
            for j in range(n_columns):
                tile[j, i] = X[begin + i, j]
        view = -1
        for t in range(tree_view.shape[0]):
            if tree_view[t] != view:
                view = tree_view[t]
                parts = view_parts[view_start[view] : view_start[view + 1]]
                locate(parts, columns, source)
                project(parts, columns, matrices, tile, n, stored)
            tree = nodes[tree_start[t] : tree_start[t + 1]]
            send_down(tree, tile, stored, source, rows, n, active, found)
            if sums.shape[0] > 0:
                group = sums[tree_group[t]]
                for i in range(n):
                    add_leaf(tree[found[i]].child, values, group, begin + i)
            if leaves.shape[0] > 0:
                for i in range(n):
                    leaves[begin + i, t] = found[i]
