"""Grow one tree as C4.5 release 8 does, in the form that WEKA's J48 gave it.

The gain of a column is the largest information gain of its cuts, less log2(number of cuts) / weight, the cost
of encoding the choice of the cut. Among the columns of at least average gain the one of largest gain ratio is
taken. Every node searches all columns, so these are sorted once and partitioned stably. Then the tree is
pruned: see :mod:`rotastack.trees.kernel.error_pruning`.

As in J48, gains, ratios and weights that differ by less than ``TINY`` count as equal, and the first of equals
is taken, so the tree does not depend on the order of summation. A row of weight w counts as w cases.
"""

import math

import numpy as np

from rotastack.trees.kernel.compact import constant, part_compact
from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.error_pruning import TINY, collapse, largest, prune_by_errors
from rotastack.trees.kernel.growing import describe, part_rows, split_orders
from rotastack.trees.kernel.unit_entropy import UNIT, fill_tables, scan_units

_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_SMALL = np.uint32(0xFFFF)

APART = 1e-5
"""Neighbouring values that are no farther apart have no cut between them."""

LEAST_SHARE = 0.1
MOST_NEEDED = 25.0
"""A side weighs at least `min_leaf`, or a tenth of the mean weight of a class up to 25."""

NEAR_MEAN = 1e-3
"""A gain that lies so little below the mean still counts as average."""


@compiled
def _h(x, table):
    """Return x log2 x, from the table where it is not empty; 0 for next to nothing."""
    if table.shape[0] > 0:
        return table[np.uint64(x)]
    if x < TINY:
        return 0.0
    return x * math.log2(x)


@compiled
def _best_cut(run, n, column, y, pairs, total, whole, base, least, left, h_left, h_right, table):
    """Return (gain, place, weight of the left side, cuts tried); place is 0 if no cut is allowed.

    The first of equally good cuts is taken. `left`, `h_left` and `h_right` are scratch: of each
    class the weight on the left, and x log2 x of the weights on either side.
    """
    best = 0.0
    place = 0
    best_left = 0.0
    n_cuts = 0
    weight_left = 0.0
    sum_left = 0.0
    sum_right = 0.0
    for c in range(total.shape[0]):
        left[c] = 0.0
        h_left[c] = 0.0
        h_right[c] = _h(total[c], table)
        sum_right += h_right[c]
    row = run[0] & _LOW
    value = np.float64(column[row])
    for i in range(1, n):
        weight = pairs[row, 0]
        c = np.uint64(y[row])
        left[c] += weight
        weight_left += weight
        h = _h(left[c], table)
        sum_left += h - h_left[c]
        h_left[c] = h
        h = _h(max(total[c] - left[c], 0.0), table)
        sum_right += h - h_right[c]
        h_right[c] = h
        row = run[i] & _LOW
        below = value
        value = np.float64(column[row])
        if not below + APART < value or weight_left <= least - TINY:
            continue
        weight_right = whole - weight_left
        if weight_right <= least - TINY:
            break
        n_cuts += 1
        gain = (sum_left + sum_right - _h(weight_left, table) - _h(weight_right, table) - base) / whole
        if gain > best + TINY:
            best = gain
            place = i
            best_left = weight_left
    return best, place, best_left, n_cuts


@compiled
def _find_split(
    data, stored, source, n_columns, orders, ranked, first, n, n_bag,
    y, pairs, total, whole, least, left, h_left, h_right, table, gains, ratios, places,
    compact, small_orders, apart, units,
):  # fmt: skip
    """Return (column, cut), column -1 if nothing splits."""
    if compact:
        of_classes = fill_tables(total, n, units)
        at_least = max(np.int64(math.floor(least - TINY)) + 1, 1)
        none = of_classes - units[1][n]  # the merit of no cut
        more = np.int64(TINY * whole * UNIT)
    h_whole = _h(whole, table)
    base = -h_whole
    for c in range(total.shape[0]):
        base += _h(total[c], table)
    n_candidates = 0
    mean = 0.0
    for j in range(n_columns):
        places[j] = 0
        begin = j * n_bag + first
        if compact:
            small = small_orders[begin : begin + n]
            larger = apart[j * n_bag : (j + 1) * n_bag]
            if constant(small, n, larger):
                continue
            merit, place, n_cuts = scan_units(
                small, n, larger, of_classes, at_least, none + more, more, units
            )
            gain = (merit - none) / UNIT / whole
            weight_left = float(place)
        else:
            run = orders[begin : begin + n]
            if (run[0] >> _32) == (run[n - 1] >> _32):
                continue
            where = source[j]
            column = data[where] if where >= 0 else stored[-1 - where]
            gain, place, weight_left, n_cuts = _best_cut(
                run, n, column, y, pairs, total, whole, base, least, left, h_left, h_right, table
            )
        if place == 0:
            continue
        gain -= math.log2(n_cuts) / whole
        if gain < TINY:
            continue
        places[j] = place
        gains[j] = gain
        ratios[j] = gain * whole / (h_whole - _h(weight_left, table) - _h(whole - weight_left, table))
        n_candidates += 1
        mean += gain
    chosen = -1
    best = 0.0
    for j in range(n_columns):
        if places[j] > 0 and gains[j] >= mean / n_candidates - NEAR_MEAN and ratios[j] > best + TINY:
            best = ratios[j]
            chosen = j
    if chosen < 0:
        return -1, np.float32(0.0)
    where = source[chosen]
    column = data[where] if where >= 0 else stored[-1 - where]
    place = chosen * n_bag + first + places[chosen]
    if compact:
        below = np.int64(small_orders[place - 1] & _SMALL)
        above = np.int64(small_orders[place] & _SMALL)
    else:
        below = np.int64(orders[place - 1] & _LOW)
        above = np.int64(orders[place] & _LOW)
    middle = 0.5 * np.float64(column[below]) + 0.5 * np.float64(column[above])
    return chosen, _largest_up_to(ranked[chosen * n_bag : (chosen + 1) * n_bag], middle)


@compiled
def _largest_up_to(ranked, middle):
    """Return the largest of sorted values that is at most `middle`; the first one is."""
    low = 0
    high = ranked.shape[0] - 1
    while low < high:
        k = (low + high + 1) // 2
        # Or as good as: rounded to float32, 0.2 may be above the middle of 0.1 and 0.3.
        if ranked[k] <= middle or np.float64(ranked[k]) - middle < TINY:
            low = k
        else:
            high = k - 1
    return ranked[low]


@compiled
def grow_c45_tree(
    data, stored, source, n_columns, rows, n_bag, y, target, pairs, criterion, table,
    max_depth, min_leaf, confidence, quantile, raising,
    nodes, impurity, node_weight, node_first, node_last, depth, wrong, open_nodes,
    totals, left, places, gains, ratios, spare, newcomers, side, other, orders, ranked,
    compact, small_orders, apart, small_other, units,
):  # fmt: skip
    """Grow a tree on ``rows[:n_bag]``, whose presorted keys are `orders`; return the number of nodes.

    Not all of these are reached from the root in the end; the rows of those that are stand in
    ``rows[node_first:node_last]``. `orders` holds the sorted keys of every column, or with
    `compact` `small_orders` does, where all rows weigh 1; `ranked` the sorted values in the whole bag.
    """
    n_classes = totals.shape[1]
    h_left, h_right = np.empty(n_classes), np.empty(n_classes)
    least = np.empty(2)
    worth = np.empty(2, np.bool_)
    node_first[0] = 0
    node_last[0] = n_bag
    depth[0] = 0
    n_nodes = 1
    n_new = 1
    n_open = 0
    parent = 0
    while True:
        low = n_nodes - n_new
        any_open = False
        for node in range(low, n_nodes):
            k = node - low
            first = node_first[node]
            n = node_last[node] - first
            whole, _, _, impurity[node] = describe(
                rows[first : first + n], n, y, target, pairs, criterion, totals[k], table
            )
            nodes[node].column = -1
            node_weight[node] = whole
            wrong[node] = whole - largest(totals[k])
            least[k] = max(float(min_leaf), min(MOST_NEEDED, LEAST_SHARE * whole / n_classes))
            worth[k] = wrong[node] >= TINY and whole >= 2.0 * (least[k] - TINY) and depth[node] < max_depth
            any_open |= worth[k]
        if n_new == 2 and any_open:
            first = node_first[parent]
            n = node_last[parent] - first
            n_left = node_last[low] - first
            if compact:
                part_compact(
                    small_orders, n_columns, n_bag, first, n, n_left, side, worth[0], worth[1], small_other
                )
            else:
                split_orders(orders, n_columns, n_bag, first, n, n_left, side, other)
        for node in range(n_nodes - 1, low - 1, -1):
            k = node - low
            if not worth[k]:
                continue
            first = node_first[node]
            nodes[node].column, nodes[node].cut = _find_split(
                data, stored, source, n_columns, orders, ranked, first, node_last[node] - first, n_bag,
                y, pairs, totals[k], node_weight[node], least[k], left, h_left, h_right, table,
                gains, ratios, places, compact, small_orders, apart, units,
            )  # fmt: skip
            if nodes[node].column >= 0:
                open_nodes[n_open] = node
                n_open += 1
        if n_open == 0:
            break
        n_open -= 1
        parent = open_nodes[n_open]
        first = node_first[parent]
        n = node_last[parent] - first
        n_left = part_rows(data, stored, source, nodes[parent], rows[first : first + n], n, spare, side)
        if n_left == 0 or n_left == n:  # a mapped column that overflowed to NaN
            nodes[parent].column = -1
            n_new = 0
            continue
        nodes[parent].child = n_nodes
        for child in range(n_nodes, n_nodes + 2):
            depth[child] = depth[parent] + 1
        node_first[n_nodes] = first
        node_last[n_nodes] = first + n_left
        node_first[n_nodes + 1] = first + n_left
        node_last[n_nodes + 1] = first + n
        n_nodes += 2
        n_new = 2
    collapse(nodes, n_nodes, wrong)
    if confidence > 0.0:
        prune_by_errors(
            data, stored, source, rows, y, target, pairs, criterion, table, confidence, quantile, raising,
            nodes, n_nodes, impurity, node_weight, node_first, node_last, wrong, open_nodes,
            totals[0], spare, newcomers, side,
        )  # fmt: skip
    return n_nodes
