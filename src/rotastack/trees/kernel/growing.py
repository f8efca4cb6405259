"""Grow one tree."""

import numpy as np

from rotastack.trees.kernel.compact import part_compact
from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.criteria import GINI, SQUARED_ERROR, x_log_x
from rotastack.trees.kernel.sorting import sort_rows
from rotastack.trees.kernel.sparse import mark_places
from rotastack.trees.kernel.splitting import find_split, gather
from rotastack.trees.kernel.unit_splitting import find_unit_split

NODE = np.dtype([("column", np.int32), ("cut", np.float32), ("child", np.int32)])
"""A node sends a row to `child` if its value in `column` is at most `cut`, else to `child` + 1.

In a leaf `column` is -1 and `child` encodes its output: -1 - c if all its rows are of class c,
otherwise the row of its output in the table of leaf values.
"""

_LOW = np.uint64(0xFFFFFFFF)
_IMPURE = 1e-300
"""Least impurity of a node of several classes: 0 is kept for those of one class."""


@compiled
def describe(rows, n, y, target, pairs, criterion, total, table):
    """Write the class weights of a node, or its sum of targets, to `total`.

    Returns (weight, sum of squared totals, base, impurity). The base is defined in
    :mod:`rotastack.trees.kernel.criteria`.
    """
    whole = 0.0
    if criterion == SQUARED_ERROR:
        value = 0.0
        squares = 0.0
        low = high = target[rows[0]]
        for i in range(n):
            row = rows[i]
            t = target[row]
            low = min(low, t)
            high = max(high, t)
            whole += pairs[row, 0]
            value += pairs[row, 1]
            squares += pairs[row, 1] * t
        total[0] = value
        base = value * value / whole
        return whole, 0.0, base, 0.0 if low == high else max((squares - base) / whole, 0.0)
    n_classes = total.shape[0]
    if n_classes == 2:
        zeros = 0.0
        ones = 0.0
        for i in range(n):
            weight = pairs[rows[i], 0]
            one = pairs[rows[i], 1]
            zeros += weight - one
            ones += one
        whole = zeros + ones
        total[0] = zeros
        total[1] = ones
    else:
        for c in range(n_classes):
            total[c] = 0.0
        for i in range(n):
            row = rows[i]
            total[np.uint64(y[row])] += pairs[row, 0]
            whole += pairs[row, 0]
    n_present = 0
    squares = 0.0
    base = 0.0
    for c in range(n_classes):
        n_present += total[c] > 0.0
        squares += total[c] * total[c]
        if criterion != GINI:
            base += x_log_x(total[c], table)
    if criterion == GINI:
        base = squares / whole
        return whole, squares, base, 0.0 if n_present == 1 else max(1.0 - base / whole, _IMPURE)
    base -= x_log_x(whole, table)
    return whole, squares, base, 0.0 if n_present == 1 else max(-base / whole, _IMPURE)


@compiled
def presort(data, stored, source, n_columns, rows, n, keys, other, values, bits, starts, orders, ranked):
    """Write the sorted keys of column j to ``orders[j * n : (j + 1) * n]``.

    Its sorted values are written to the same places of `ranked` if that is not empty.
    """
    for j in range(n_columns):
        where = source[j]
        if where >= 0:
            low, high = gather(data, where, rows, n, values)
        else:
            low, high = gather(stored, -1 - where, rows, n, values)
        sort_rows(values, bits, rows, n, low, high, keys, other, starts)
        for i in range(n):
            orders[j * n + i] = keys[i]
        if ranked.shape[0] >= n_columns * n:
            column = data[where] if where >= 0 else stored[-1 - where]
            for i in range(n):
                ranked[j * n + i] = column[keys[i] & _LOW]


@compiled
def split_rows(column, cut, rows, n, spare, side):
    """Move the rows that go left before the others, stably; return how many go left."""
    n_left = 0
    n_right = 0
    for i in range(n):
        row = rows[i]
        goes_left = column[row] <= cut
        side[row] = goes_left
        rows[n_left] = row
        spare[n_right] = row
        n_left += goes_left
        n_right += 1 - goes_left
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left


@compiled
def part_rows(data, stored, source, node, rows, n, spare, side):
    """Move the rows that a node sends left before the others, stably; return how many go left.

    The column of its split may be one of the data or a mapped one in `stored`. ``side[row]`` is set to 1 for
    rows that go left, else to 0.
    """
    where = source[node.column]
    column = data[where] if where >= 0 else stored[-1 - where]
    return split_rows(column, node.cut, rows, n, spare, side)


@compiled
def split_orders(orders, n_columns, n_bag, first, n, n_left, side, other):
    """Partition the sorted keys of every column stably: rows with ``side[row]`` 1, then the others."""
    for j in range(n_columns):
        run = orders[j * n_bag + first : j * n_bag + first + n]
        to_left = 0
        to_right = 0
        for i in range(n):
            key = run[i]
            goes_left = np.int64(side[key & _LOW])
            run[to_left] = key
            other[to_right] = key
            to_left += goes_left
            to_right += 1 - goes_left
        run[n_left:] = other[: n - n_left]


@compiled
def _push(heap, size, node, gains):
    """Add a node to a heap whose top is the node of the largest gain, then the smallest number."""
    i = size
    heap[i] = node
    while i > 0:
        up = (i - 1) // 2
        a, b = heap[i], heap[up]
        if gains[a] > gains[b] or (gains[a] == gains[b] and a < b):
            heap[i], heap[up] = b, a
            i = up
        else:
            break


@compiled
def _pop(heap, size, gains):
    """Remove and return the top of a heap of `size` nodes."""
    top = heap[0]
    size -= 1
    heap[0] = heap[size]
    i = 0
    while True:
        best = i
        for down in (2 * i + 1, 2 * i + 2):
            if down < size:
                a, b = heap[down], heap[best]
                if gains[a] > gains[b] or (gains[a] == gains[b] and a < b):
                    best = down
        if best == i:
            return top
        heap[i], heap[best] = heap[best], heap[i]
        i = best


@compiled
def grow_tree(
    data, stored, source, n_columns, rows, n_bag,
    y, target, pairs, criterion, table,
    splitter, max_features, n_cuts, max_depth, min_split, min_leaf, min_share, max_leaves, min_decrease,
    presorted, state,
    nodes, impurity, node_weight, node_first, node_last, depth, gains, open_nodes,
    totals, left, order, spare, side, keys, other, values, bits, starts, orders, ratio_gains, ratios, cuts,
    compact, small_orders, apart, small_other, units, ones, first_one, stands,
):  # fmt: skip
    """Grow a tree on ``rows[:n_bag]``, which it reorders; return the number of nodes.

    At the end, the rows of a node, leaf or not, are ``rows[node_first:node_last]``. Nodes are split depth
    first, or with `max_leaves` in order of decreasing gain. If `presorted`, `orders` holds the sorted keys of
    every column as :func:`presort` writes them; with `compact`, for rows that all weigh 1, `small_orders`
    holds them instead: see :mod:`rotastack.trees.kernel.compact`. `ones` and `first_one` list the ones of
    sparse columns, with `stands` as scratch: see :mod:`rotastack.trees.kernel.sparse`.
    """
    for j in range(n_columns):
        order[j] = j
    sparse = ones.shape[0] > 0 and not presorted
    if sparse:
        stands[:] = -1
        mark_places(stands, rows, 0, n_bag)
    best_first = max_leaves > 0
    wholes, squares, bases = np.empty(2), np.empty(2), np.empty(2)
    worth = np.empty(2, np.bool_)
    n_nodes = 1
    n_leaves = 1
    n_open = 0
    node_first[0] = 0
    node_last[0] = n_bag
    depth[0] = 0
    root_weight = 0.0
    min_weight = 0.0
    parent = -1
    n_new = 1
    while True:
        # Look for the splits of the two new nodes (at the start: of the root), the right one first.
        low = n_nodes - n_new
        any_open = False
        for node in range(low, n_nodes):
            first = node_first[node]
            n = node_last[node] - first
            k = node - low
            wholes[k], squares[k], bases[k], node_impurity = describe(
                rows[first : first + n], n, y, target, pairs, criterion, totals[k], table
            )
            if node == 0:
                root_weight = wholes[0]
                min_weight = min_share * root_weight
            impurity[node] = node_impurity
            node_weight[node] = wholes[k]
            nodes[node].column = -1
            worth[k] = not (
                node_impurity <= 2.3e-16
                or n < min_split
                or n < 2 * min_leaf
                or depth[node] >= max_depth
                or wholes[k] < 2.0 * min_weight
            )
            any_open |= worth[k]
        if presorted and n_new == 2 and any_open:
            n = node_last[parent] - node_first[parent]
            n_left = node_last[low] - node_first[low]
            if compact:
                part_compact(
                    small_orders,
                    n_columns,
                    n_bag,
                    node_first[parent],
                    n,
                    n_left,
                    side,
                    worth[0],
                    worth[1],
                    small_other,
                )
            else:
                split_orders(orders, n_columns, n_bag, node_first[parent], n, n_left, side, other)
        for node in range(n_nodes - 1, low - 1, -1):
            k = node - low
            if not worth[k]:
                continue
            first = node_first[node]
            n = node_last[node] - first
            if compact:
                column, cut, gain = find_unit_split(
                    data, stored, source, n_columns, small_orders, apart, first, n, n_bag,
                    criterion, totals[k], bases[k], table, max_features, min_leaf, min_weight, state,
                    order, ratio_gains, ratios, cuts, units,
                )  # fmt: skip
            else:
                order_base = np.int64(first) if presorted else np.int64(-1)
                column, cut, gain = find_split(
                    data, stored, source, n_columns, rows[first : first + n], n,
                    y, pairs, criterion, totals[k], wholes[k], squares[k], bases[k], table,
                    splitter, max_features, n_cuts, min_leaf, min_weight, state,
                    order, keys, other, values, bits, starts, left, orders, order_base, n_bag,
                    ratio_gains, ratios, cuts, ones, first_one, stands, first,
                )  # fmt: skip
            if column < 0 or (min_decrease > 0.0 and gain / root_weight + 2.3e-16 < min_decrease):
                continue
            nodes[node].column = column
            nodes[node].cut = cut
            gains[node] = gain
            if best_first:
                _push(open_nodes, n_open, node, gains)
            else:
                open_nodes[n_open] = node
            n_open += 1
        if n_open == 0 or (best_first and n_leaves >= max_leaves):
            break
        parent = _pop(open_nodes, n_open, gains) if best_first else open_nodes[n_open - 1]
        n_open -= 1
        first = node_first[parent]
        n = node_last[parent] - first
        here = rows[first : first + n]
        where = source[nodes[parent].column]
        if where >= 0:
            n_left = split_rows(data[where], nodes[parent].cut, here, n, spare, side)
        else:
            n_left = split_rows(stored[-1 - where], nodes[parent].cut, here, n, spare, side)
        if n_left == 0 or n_left == n:  # a mapped column that overflowed to NaN
            nodes[parent].column = -1
            n_new = 0
            continue
        if sparse:
            mark_places(stands, here, first, n)
        nodes[parent].child = n_nodes
        for child in range(n_nodes, n_nodes + 2):
            depth[child] = depth[parent] + 1
        node_first[n_nodes] = first
        node_last[n_nodes] = first + n_left
        node_first[n_nodes + 1] = first + n_left
        node_last[n_nodes + 1] = first + n
        n_nodes += 2
        n_new = 2
        n_leaves += 1
    for k in range(n_open):
        nodes[open_nodes[k]].column = -1
    return n_nodes
