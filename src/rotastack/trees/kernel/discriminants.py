"""Views whose outputs are Fisher's linear discriminants, one view for each of many trees."""

import numpy as np

from rotastack.trees.kernel.algebra import (
    add_multiple,
    add_products,
    factorize,
    filled_up,
    make_unit,
    orthogonalize,
    principal_axes,
    solve_lower,
    solve_upper,
)
from rotastack.trees.kernel.compiling import compiled, entry_point
from rotastack.trees.kernel.view_draws import class_runs, deal_columns, draw_bag, draw_some, sum_at

N_BLOCKS = 2
FEW_COLUMNS = 4
"""With fewer columns than that each block has all of them."""

TILE = 256
NO_DIRECTION = 1e-13
"""A direction whose Fisher ratio is so small beside the largest is rounding, and left out."""


@compiled
def _scatter_within(data, columns, k, sample, runs, n_runs, means, tile, within):
    """Write class means (class, column), and scatter within classes to the lower triangle of `within`."""
    for j in range(k):
        for r in range(n_runs):
            begin, end = runs[r], runs[r + 1]
            means[r, j] = sum_at(data[columns[j]], sample, begin, end) / (end - begin)
    wide = filled_up(k)
    tile[k:wide] = 0.0
    within[:wide, :wide] = 0.0
    n = runs[n_runs]
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        for j in range(k):
            x = data[columns[j]]
            for r in range(n_runs):
                mean = means[r, j]
                for i in range(max(begin, runs[r]), min(end, runs[r + 1])):
                    tile[j, i - begin] = x[sample[i]] - mean
        add_products(tile, wide, end - begin, within)


@compiled
def _fisher_directions(k, runs, n_runs, means, within, shrinkage, n_top, between, squares):
    """Return (array, n): its first n rows are unit directions by decreasing Fisher ratio.

    `means` and `within` are overwritten; `between` and `squares` are scratch.
    """
    mean_variance = 0.0
    for j in range(k):
        mean_variance += within[j, j] / k
    if mean_variance == 0.0:
        mean_variance = 1.0
    for i in range(k):
        for j in range(i):
            within[i, j] *= 1.0 - shrinkage
        within[i, i] = (1.0 - shrinkage) * within[i, i] + shrinkage * mean_variance
    factorize(within, k, shrinkage * mean_variance * 1e-3)
    n = runs[n_runs]
    for j in range(k):
        overall = 0.0
        for r in range(n_runs):
            overall += means[r, j] * (runs[r + 1] - runs[r]) / n
        for r in range(n_runs):
            means[r, j] = (means[r, j] - overall) * np.sqrt(float(runs[r + 1] - runs[r]))
    whitened = means  # class by class
    for r in range(n_runs):
        solve_lower(within, k, whitened[r])
    n_top = max(1, min(n_top, k, n_runs - 1))
    axes = whitened
    if n_runs > k:
        axes = between
        for i in range(k):
            for j in range(i + 1):
                between[i, j] = 0.0
        for r in range(n_runs):
            for i in range(k):
                add_multiple(between[i], whitened[r, i], whitened[r], i + 1)
        principal_axes(between, k, squares, n_top)
    elif n_runs > 2:
        orthogonalize(whitened, n_runs, k, squares, n_top)
    while n_top > 1 and squares[n_top - 1] <= NO_DIRECTION * squares[0]:
        n_top -= 1
    for t in range(n_top):
        solve_upper(within, k, axes[t])
        if not make_unit(axes[t], k):  # means alike
            axes[t, 0] = 1.0
    return axes, n_top


@entry_point
def discriminant_views(
    data, places, edges, ends, bag_size, bag_seeds, view_seeds, max_columns, share, shrinkage, max_directions
):
    """Find Fisher's discriminants of random blocks of the columns, for each tree from the rows in its bag.

    Parameters
    ----------
    data : float32 (n_columns, n_rows)
    places : int64 (n_rows,)
    edges : int64 (n_classes + 1,)
    ends, bag_size
        How bags are drawn: see :class:`rotastack.trees.bags.Bags`.
    bag_seeds, view_seeds : uint64 (n_trees,)
    max_columns : int
        Most columns of a block; with more, a random choice of them.
    share : float
        Share of the distinct rows in the bag that the directions of a block are found from.
    shrinkage : float
        Weight of a multiple of the identity in the scatter within classes.
    max_directions : int

    Returns
    -------
    n_parts, parts, columns, matrices
        Number of parts of each view, and the tables of :mod:`rotastack.trees.kernel.views`.
    """
    p, n = data.shape
    n_classes = edges.shape[0] - 1
    n_trees = bag_seeds.shape[0]
    size = p if p < FEW_COLUMNS else min(-(-p // N_BLOCKS), max_columns)
    firsts = np.empty(N_BLOCKS + 1, np.int64)
    for b in range(N_BLOCKS + 1):
        firsts[b] = b * size if p < FEW_COLUMNS else min(b * size, p)
    width = filled_up(size)
    widest = max(1, min(n_classes - 1, size, max_directions))
    state = np.empty(1, np.uint64)
    counts = np.empty(n, np.int32)
    bag = np.empty(n, np.int64)
    sample = np.empty(n, np.int64)
    runs = np.empty(n_classes + 1, np.int64)
    means = np.empty((n_classes, size))
    tile = np.empty((width, TILE))
    within = np.empty((width, width))
    between = np.empty((size, size))
    squares = np.empty(size)
    order = np.empty(p, np.int64)
    block_of = np.empty(p, np.int64)
    starts = np.full(n_trees, N_BLOCKS)
    parts = np.empty((n_trees * N_BLOCKS, 4), np.int64)
    columns = np.empty(n_trees * firsts[N_BLOCKS], np.int32)
    matrices = np.empty(columns.shape[0] * widest, np.float32)
    n_numbers = 0
    for tree in range(n_trees):
        state[0] = bag_seeds[tree]
        n_bag = draw_bag(state, places, ends, bag_size, counts, bag)
        state[0] = view_seeds[tree]
        mine = columns[tree * firsts[N_BLOCKS] : (tree + 1) * firsts[N_BLOCKS]]
        if p < FEW_COLUMNS:
            for i in range(mine.shape[0]):
                mine[i] = i % p
        else:
            deal_columns(state, firsts, N_BLOCKS, order, block_of, mine)
        for b in range(N_BLOCKS):
            chosen = mine[firsts[b] : firsts[b + 1]]
            k = chosen.shape[0]
            n_wanted = min(n_bag, max(2, np.int64(np.rint(share * n_bag))))
            draw_some(state, bag, n_bag, n_wanted, sample)
            n_runs = class_runs(sample, n_wanted, edges, runs)
            if n_runs == 1:
                n_wanted = n_bag
                draw_some(state, bag, n_bag, n_wanted, sample)
                n_runs = class_runs(sample, n_wanted, edges, runs)
            _scatter_within(data, chosen, k, sample, runs, n_runs, means, tile, within)
            axes, n_out = _fisher_directions(
                k, runs, n_runs, means, within, shrinkage, max_directions, between, squares
            )
            part = parts[tree * N_BLOCKS + b]
            part[0], part[1] = tree * firsts[N_BLOCKS] + firsts[b], k
            part[2], part[3] = n_numbers, n_out
            for i in range(k):
                for t in range(n_out):
                    matrices[n_numbers] = axes[t, i]
                    n_numbers += 1
    return starts, parts, columns, matrices[:n_numbers].copy()
