"""Grow lots, a lot being trees in a row that share data, view and options."""

import numpy as np

from rotastack.trees.kernel.c45 import APART, grow_c45_tree
from rotastack.trees.kernel.compact import MOST_ROWS, presort_compact
from rotastack.trees.kernel.compiling import compiled, entry_point
from rotastack.trees.kernel.criteria import C45, SQUARED_ERROR
from rotastack.trees.kernel.growing import NODE, grow_tree, presort
from rotastack.trees.kernel.pruning import prune
from rotastack.trees.kernel.randomness import draw_bootstrap
from rotastack.trees.kernel.reading import add_leaf, send_down
from rotastack.trees.kernel.sorting import STARTS
from rotastack.trees.kernel.splitting import BEST
from rotastack.trees.kernel.unit_entropy import unit_tables
from rotastack.trees.kernel.views import locate, project
from rotastack.trees.kernel.writing import count_values, depth_of, longer, more_rows, write_tree

PRESORT_SHARE = 2
"""Columns are presorted if a node looks at more than one in so many of them ..."""

PRESORT_BYTES = 1 << 28
"""... and their keys take no more memory than this."""


@compiled
def _weigh(all_rows, n_all, bag, base_weight, target, pairs, rows):
    """Write weights, weighted targets and the rows in the bag; return how many rows, and how many weigh 1."""
    n_bag = 0
    n_ones = 0
    for i in range(n_all):
        row = all_rows[i]
        weight = bag[row] * base_weight[row]
        pairs[row, 0] = weight
        pairs[row, 1] = weight * target[row]
        rows[n_bag] = row
        n_bag += weight > 0.0
        n_ones += weight == 1.0
    return n_bag, n_ones


@entry_point
def grow_lots(
    data, ones, first_one, base_weight, y, target, table, n_outputs, max_width,
    lots, seeds, bootstrap, ends, bag_size, counts_given,
    view_start, view_parts, columns, matrices,
    criterion, max_depth, min_split, min_leaf, min_share, max_leaves, min_decrease, ccp_alpha,
    confidence, quantile, raising,
    keep, want_oob, oob_per_lot, want_held, held,
):  # fmt: skip
    """Grow the trees of `lots`, one after the other.

    Parameters
    ----------
    data : float32 (n_sets, n_columns, n_rows)
        Copies of the data, column by column.
    ones : uint32; first_one : int64
        Columns of few ones, see :mod:`rotastack.trees.kernel.sparse`; empty where there are several copies.
    base_weight : float64 (n_masks, n_rows)
        Weight of each row; rows of weight 0 take no part. A bootstrap draws by `ends`, and a row then weighs as
        often as it is drawn.
    y : int32 (n_rows,); target : float64 (n_rows,)
        Class numbers; the same as floats, or the targets of a regression.
    table : float64
        x log2 x of 0, 1, ...; empty if weights are not whole.
    n_outputs : int
        Classes, or 1 for a regression.
    lots : int64 (n_lots, 8)
        data set, mask, view, first tree, number of trees, splitter, columns to look at, cuts.
    seeds : uint64 (n_trees,)
    ends : float64 (n_rows of a weight,) or (0,); bag_size : int
        How a bootstrap draws: see :class:`rotastack.trees.bags.Bags`.
    counts_given : int32 (n_trees, n_rows) or (0, 0)
        Bootstrap counts to use instead of drawing them.
    view_start, view_parts, columns, matrices
        Views: see :mod:`rotastack.trees.kernel.views`.
    confidence, quantile, raising
        Of C4.5 only: see :mod:`rotastack.trees.kernel.error_pruning`; no pruning with confidence 0.
    keep : bool
        Return the trees; else only their outputs, errors and sizes.
    want_oob, oob_per_lot : bool
        Sum up the outputs of trees for their out-of-bag rows; over all lots, or from zero for each.
    want_held : bool
        Write each lot's output for the rows of weight 0, the mean over its trees, to
        `held`, float32 (n_lots, n_rows, n_outputs).

    Returns
    -------
    nodes, impurity, weight, count, values, tree_facts, oob_sums, oob_seen, lot_error, tree_loss
        `tree_facts`, int64 (n_trees, 4), holds nodes, leaves, depth and out-of-bag rows;
        `tree_loss` the share of these that is wrong, or their mean squared error, by weight, NaN without any;
        `lot_error` the out-of-bag error of each lot.
    """
    n = data.shape[2]
    n_lots = lots.shape[0]
    n_trees = 0
    first_tree = lots[0, 3]
    max_stored = 1
    for lot in range(n_lots):
        n_trees += lots[lot, 4]
        view = lots[lot, 2]
        stored_here = 0
        for k in range(view_start[view], view_start[view + 1]):
            if view_parts[k, 2] >= 0:
                stored_here += view_parts[k, 3]
        max_stored = max(max_stored, stored_here)

    source = np.empty(max_width, np.int32)
    stored = np.empty((max_stored, n), np.float32)
    order = np.empty(max_width, np.int32)
    ratio_gains = np.empty(max_width)
    ratios = np.empty(max_width)
    cuts = np.empty(max_width, np.float32)
    all_rows = np.empty(n, np.uint32)
    held_rows = np.empty(n, np.uint32)
    active = np.empty(n, np.uint32)
    found = np.empty(n, np.uint32)
    rows = np.empty(n, np.uint32)
    spare = np.empty(n, np.uint32)
    side = np.empty(n, np.uint8)
    keys = np.empty(n + 8, np.uint64)
    other = np.empty(n + 8, np.uint64)
    values = np.empty(n, np.float32)
    bits = values.view(np.int32)
    starts = np.empty(STARTS, np.int32)
    orders = np.empty(1, np.uint64)
    ranked = np.empty(1, np.float32)
    few_rows = n <= MOST_ROWS and n_outputs <= 256 and table.shape[0] > n
    units = unit_tables(y, n_outputs, table, n if few_rows else 0)
    small_orders = np.empty(1, np.uint32)
    small_other = np.empty(n if few_rows else 0, np.uint32)
    apart = np.empty(1, np.uint16)
    pairs = np.empty((n, 2))
    bag = np.empty(n, np.int32)
    drawn_alike = np.ones(n)
    totals = np.empty((2, n_outputs))
    left = np.empty(n_outputs)
    size = 2 * n + 1
    nodes = np.empty(size, NODE)
    impurity = np.empty(size)
    node_weight = np.empty(size)
    node_first = np.empty(size, np.int32)
    node_last = np.empty(size, np.int32)
    depth = np.empty(size, np.int32)
    gains = np.empty(size)
    open_nodes = np.empty(size, np.int32)
    state = np.empty(1, np.uint64)

    out_nodes = np.empty(size, NODE)
    out_impurity = np.empty(size)
    out_weight = np.empty(size)
    out_count = np.empty(size, np.int32)
    out_values = np.empty((64, n_outputs))
    n_values = np.zeros(1, np.int64)
    begin = 0
    tree_facts = np.zeros((n_trees, 4), np.int64)
    tree_loss = np.zeros(n_trees)
    oob_sums = np.zeros((n if want_oob else 0, n_outputs))
    oob_seen = np.zeros(n if want_oob else 0, np.int32)
    lot_error = np.full(n_lots, np.nan)
    held_sums = np.zeros((n if want_held else 0, n_outputs))

    stands = np.empty(n, np.int32)
    told_apart = -1
    n_all = 0
    n_held = 0
    located = -1
    projected = -1
    for lot in range(n_lots):
        set_, mask, view = lots[lot, 0], lots[lot, 1], lots[lot, 2]
        splitter, max_features, n_cuts = lots[lot, 5], lots[lot, 6], lots[lot, 7]
        here = data[set_]
        parts = view_parts[view_start[view] : view_start[view + 1]]
        if view != located:
            n_columns, n_stored = locate(parts, columns, source)
            located = view
            projected = -1
        if n_stored > 0 and set_ != projected:
            project(parts, columns, matrices, here, n, stored)
            projected = set_
        if mask != told_apart:
            told_apart = mask
            n_all = 0
            n_held = 0
            for row in range(n):
                all_rows[n_all] = row
                held_rows[n_held] = row
                takes_part = base_weight[mask, row] > 0.0
                n_all += takes_part
                n_held += 1 - takes_part
        if oob_per_lot:
            oob_sums[:] = 0.0
            oob_seen[:] = 0
        if want_held:
            held_sums[:] = 0.0

        for tree in range(lots[lot, 3], lots[lot, 3] + lots[lot, 4]):
            state[0] = seeds[tree]
            own_weight = base_weight[mask]
            if counts_given.shape[0] > 0:
                for row in range(n):
                    bag[row] = counts_given[tree, row]
            elif bootstrap:
                bag[:] = 0
                draw_bootstrap(state, all_rows, n_all, ends, bag_size, bag)
                own_weight = drawn_alike
            else:
                bag[:] = 1
            n_bag, n_ones = _weigh(all_rows, n_all, bag, own_weight, target, pairs, rows)
            if n_bag == 0:  # counts that leave out every row
                bag[:] = 1
                n_bag, n_ones = _weigh(all_rows, n_all, bag, own_weight, target, pairs, rows)
            presorted = criterion == C45 or (
                splitter == BEST
                and max_features * PRESORT_SHARE > n_columns
                and n_columns * n_bag * 8 <= PRESORT_BYTES
            )
            compact = presorted and few_rows and n_ones == n_bag
            if criterion == C45:
                ranked = longer(ranked, 0, n_columns * n_bag)
            if compact:
                small_orders = longer(small_orders, 0, n_columns * n_bag)
                apart = longer(apart, 0, n_columns * n_bag)
                presort_compact(
                    here, stored, source, n_columns, rows, n_bag, APART if criterion == C45 else 0.0,
                    keys, other, values, bits, starts, small_orders, apart, ranked,
                )  # fmt: skip
            elif presorted:
                orders = longer(orders, 0, n_columns * n_bag)
                presort(
                    here,
                    stored,
                    source,
                    n_columns,
                    rows,
                    n_bag,
                    keys,
                    other,
                    values,
                    bits,
                    starts,
                    orders,
                    ranked,
                )
            if criterion == C45:
                n_nodes = grow_c45_tree(
                    here, stored, source, n_columns, rows, n_bag, y, target, pairs, criterion, table,
                    max_depth, min_leaf, confidence, quantile, raising,
                    nodes, impurity, node_weight, node_first, node_last, depth, gains, open_nodes,
                    totals, left, order, ratio_gains, ratios, spare, found, side, other, orders, ranked,
                    compact, small_orders, apart, small_other, units,
                )  # fmt: skip
            else:
                n_nodes = grow_tree(
                    here, stored, source, n_columns, rows, n_bag,
                    y, target, pairs, criterion, table,
                    splitter, max_features, n_cuts, max_depth, min_split, min_leaf, min_share, max_leaves, min_decrease,
                    presorted, state,
                    nodes, impurity, node_weight, node_first, node_last, depth, gains, open_nodes,
                    totals, left, order, spare, side, keys, other, values, bits, starts, orders,
                    ratio_gains, ratios, cuts, compact, small_orders, apart, small_other, units,
                    ones, first_one, stands,
                )  # fmt: skip
            if ccp_alpha > 0.0:
                prune(nodes, n_nodes, impurity, node_weight, ccp_alpha, gains)
            if not keep:
                begin = 0
                n_values[0] = 0
            out_nodes = longer(out_nodes, begin, begin + n_nodes)
            out_impurity = longer(out_impurity, begin, begin + n_nodes)
            out_weight = longer(out_weight, begin, begin + n_nodes)
            out_count = longer(out_count, begin, begin + n_nodes)
            out_values = more_rows(
                out_values, n_values[0], n_values[0] + count_values(nodes, n_nodes, impurity, criterion)
            )
            n_nodes, n_leaves = write_tree(
                nodes, n_nodes, impurity, node_weight, node_first, node_last, rows, y, target, pairs,
                criterion, depth, out_nodes, out_impurity, out_weight, out_count, begin,
                out_values, n_values, open_nodes,
            )  # fmt: skip
            facts = tree_facts[tree - first_tree]
            facts[0] = n_nodes
            facts[1] = n_leaves
            facts[2] = depth_of(out_nodes, begin, n_nodes, depth)
            grown = out_nodes[begin : begin + n_nodes]
            if want_oob:
                n_out = 0
                weight_out = 0.0
                for i in range(n_all):
                    spare[n_out] = all_rows[i]
                    n_out += pairs[all_rows[i], 0] == 0.0
                send_down(grown, here, stored, source, spare, n_out, active, found)
                for i in range(n_out):
                    row = spare[i]
                    leaf_output = add_leaf(grown[found[i]].child, out_values, oob_sums, row)
                    oob_seen[row] += 1
                    weight = base_weight[mask, row]
                    weight_out += weight
                    if criterion == SQUARED_ERROR:
                        loss = (out_values[grown[found[i]].child, 0] - target[row]) ** 2
                    else:
                        loss = np.float64(leaf_output != y[row])
                    tree_loss[tree - first_tree] += weight * loss
                tree_loss[tree - first_tree] /= weight_out
                facts[3] = n_out
            if want_held:
                send_down(grown, here, stored, source, held_rows, n_held, active, found)
                for i in range(n_held):
                    add_leaf(grown[found[i]].child, out_values, held_sums, held_rows[i])
            begin += n_nodes

        if want_oob and oob_per_lot:
            lot_error[lot] = _oob_error(oob_sums, oob_seen, base_weight[mask], y, target, criterion)
        if want_held:
            for i in range(n_held):
                row = held_rows[i]
                for c in range(n_outputs):
                    held[lot, row, c] = held_sums[row, c] / lots[lot, 4]
    if not keep:
        begin = 0
        n_values[0] = 0
    return (
        out_nodes[:begin].copy(), out_impurity[:begin].copy(), out_weight[:begin].copy(),
        out_count[:begin].copy(), out_values[: n_values[0]].copy(),
        tree_facts, oob_sums, oob_seen, lot_error, tree_loss,
    )  # fmt: skip


@compiled
def _oob_error(sums, seen, weight, y, target, criterion):
    """Return the share of wrong rows, or the mean squared error, by weight, where any tree left a row out."""
    known = 0.0
    loss = 0.0
    for row in range(seen.shape[0]):
        if seen[row] == 0:
            continue
        known += weight[row]
        if criterion == SQUARED_ERROR:
            loss += weight[row] * (sums[row, 0] / seen[row] - target[row]) ** 2
        else:
            best = 0
            for c in range(sums.shape[1]):
                if sums[row, c] > sums[row, best]:
                    best = c
            loss += weight[row] * np.float64(best != y[row])
    return loss / known if known > 0.0 else np.nan
