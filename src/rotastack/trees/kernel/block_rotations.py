"""Views that rotate random blocks of the columns, one view for each of many trees."""

import numpy as np

from rotastack.trees.kernel.algebra import add_products, filled_up, make_unit, principal_axes
from rotastack.trees.kernel.compiling import compiled, entry_point
from rotastack.trees.kernel.randomness import draw_below, draw_bits, draw_unit
from rotastack.trees.kernel.view_draws import class_runs, deal_columns, draw_bag, sum_at

_63 = np.uint64(63)


@compiled
def _draw_of_classes(state, bag, runs, n_runs, ratio, kept, drawn):
    """Draw with replacement from rows of a random subset of the classes, not empty; return how many.

    It is `ratio` times the number of these rows. `kept` is a scratch array with an entry for each row in the
    bag.
    """
    n_kept = 0
    while n_kept == 0:
        for r in range(n_runs):
            if draw_bits(state) >> _63:
                for i in range(runs[r], runs[r + 1]):
                    kept[n_kept] = bag[i]
                    n_kept += 1
    n = max(1, np.int64(np.rint(ratio * n_kept)))
    for i in range(n):
        drawn[i] = kept[draw_below(state, n_kept)]
    return n


@entry_point
def principal_views(data, places, edges, ends, bag_size, bag_seeds, view_seeds, n_blocks, ratio):
    """Return views that rotate random blocks of the columns to principal axes, the longest first.

    The axes are found from a sample of the rows in the tree's bag.

    Parameters
    ----------
    data, places, edges, ends, bag_size, bag_seeds, view_seeds
        As for :func:`rotastack.trees.kernel.discriminants.discriminant_views`, as are the arrays returned.
    n_blocks : int
        Number of blocks; their sizes differ by one at most, the larger ones first.
    ratio : float
        Size of a block's sample, drawn with replacement, as a share of the distinct rows in the bag of the
        classes kept.
    """
    p, n = data.shape
    n_trees = bag_seeds.shape[0]
    firsts = np.zeros(n_blocks + 1, np.int64)
    n_numbers = 0
    for b in range(n_blocks):
        size = p // n_blocks + (b < p % n_blocks)
        firsts[b + 1] = firsts[b] + size
        n_numbers += size * size
    size = firsts[1]
    width = filled_up(size)
    state = np.empty(1, np.uint64)
    counts = np.empty(n, np.int32)
    bag = np.empty(n, np.int64)
    kept = np.empty(n, np.int64)
    drawn = np.empty(max(1, np.int64(np.rint(ratio * n)) + 1), np.int64)
    runs = np.empty(edges.shape[0], np.int64)
    values = np.zeros((width, drawn.shape[0]))
    products = np.empty((width, width))
    squares = np.empty(size)
    order = np.empty(p, np.int64)
    block_of = np.empty(p, np.int64)
    starts = np.full(n_trees, n_blocks)
    parts = np.empty((n_trees * n_blocks, 4), np.int64)
    columns = np.empty(n_trees * p, np.int32)
    matrices = np.empty(n_trees * n_numbers, np.float32)
    at = 0
    for tree in range(n_trees):
        state[0] = bag_seeds[tree]
        n_bag = draw_bag(state, places, ends, bag_size, counts, bag)
        n_runs = class_runs(bag, n_bag, edges, runs)
        state[0] = view_seeds[tree]
        mine = columns[tree * p : (tree + 1) * p]
        deal_columns(state, firsts, n_blocks, order, block_of, mine)
        for b in range(n_blocks):
            chosen = mine[firsts[b] : firsts[b + 1]]
            k = chosen.shape[0]
            n_drawn = _draw_of_classes(state, bag, runs, n_runs, ratio, kept, drawn)
            for j in range(k):
                x = data[chosen[j]]
                mean = sum_at(x, drawn, 0, n_drawn) / n_drawn
                for i in range(n_drawn):
                    values[j, i] = x[drawn[i]] - mean
            values[k:, :n_drawn] = 0.0
            products[:] = 0.0
            add_products(values, filled_up(k), n_drawn, products)
            principal_axes(products, k, squares, k)
            part = parts[tree * n_blocks + b]
            part[0], part[1], part[2], part[3] = tree * p + firsts[b], k, at, k
            for t in range(k):
                make_unit(products[t], k)
            for i in range(k):
                for t in range(k):
                    matrices[at] = products[t, i]
                    at += 1
    return starts, parts, columns, matrices


@compiled
def _draw_normal(state):
    """Return a draw from the standard normal distribution (Box and Muller)."""
    return np.sqrt(-2.0 * np.log(1.0 - draw_unit(state))) * np.cos(2.0 * np.pi * draw_unit(state))


@compiled
def _draw_rotation(state, k, direction, rotation):
    """Write a random k x k rotation matrix of the uniform (Haar) distribution; `direction` is scratch.

    It is a product of Householder reflections, as in the QR decomposition of a Gaussian matrix, built from
    the smallest: each maps the first axis of its subspace to a uniform direction.
    """
    for i in range(k):
        rotation[i, :k] = 0.0
        rotation[i, i] = 1.0
    for first in range(k - 2, -1, -1):
        rest = 0.0
        for i in range(first, k):
            direction[i] = _draw_normal(state)
            rest += direction[i] ** 2 if i > first else 0.0
        length = np.sqrt(direction[first] ** 2 + rest)
        if direction[first] > 0.0:
            direction[first] = -rest / (direction[first] + length)
        else:
            direction[first] -= length
        norm = direction[first] ** 2 + rest
        for j in range(first, k):
            along = 0.0
            for i in range(first, k):
                along += direction[i] * rotation[i, j]
            for i in range(first, k):
                rotation[i, j] -= 2.0 * along / norm * direction[i]
    if k % 2 == 0:  # an odd number of reflections
        for i in range(k):
            rotation[i, 0] = -rotation[i, 0]


@entry_point
def sparse_views(p, view_seeds, least, most):
    """Return views that turn random blocks of `least` to `most` of p columns by a Haar rotation each.

    The last block may be smaller.
    """
    n_trees = view_seeds.shape[0]
    at_most = -(-p // least)
    firsts = np.zeros(at_most + 1, np.int64)
    direction = np.empty(most)
    rotation = np.empty((most, most))
    state = np.empty(1, np.uint64)
    order = np.empty(p, np.int64)
    block_of = np.empty(p, np.int64)
    starts = np.empty(n_trees, np.int64)
    parts = np.empty((n_trees * at_most, 4), np.int64)
    columns = np.empty(n_trees * p, np.int32)
    matrices = np.empty(n_trees * p * most, np.float32)
    n_parts = 0
    at = 0
    for tree in range(n_trees):
        state[0] = view_seeds[tree]
        n_blocks = 0
        while firsts[n_blocks] < p:
            firsts[n_blocks + 1] = min(p, firsts[n_blocks] + least + draw_below(state, most - least + 1))
            n_blocks += 1
        deal_columns(state, firsts, n_blocks, order, block_of, columns[tree * p : (tree + 1) * p])
        starts[tree] = n_blocks
        for b in range(n_blocks):
            k = firsts[b + 1] - firsts[b]
            _draw_rotation(state, k, direction, rotation)
            part = parts[n_parts]
            part[0], part[1], part[2], part[3] = tree * p + firsts[b], k, at, k
            n_parts += 1
            for i in range(k):
                for t in range(k):
                    matrices[at] = rotation[i, t]
                    at += 1
    return starts, parts[:n_parts].copy(), columns, matrices[:at].copy()
