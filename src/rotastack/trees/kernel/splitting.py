"""Find the split of a node: over random columns, at the best cut or at random ones.

Column j of a view is column s = ``source[j]`` of the data if s >= 0, else column -1 - s of `stored`, which
holds the view's mapped columns. Both arrays are (column, row).
"""

import math

import numpy as np

from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.criteria import (
    GAIN_RATIO,
    GINI,
    SQUARED_ERROR,
    merit_of_sides,
    scan_entropy,
    scan_gini,
    scan_pairs,
    split_information,
)
from rotastack.trees.kernel.randomness import draw_below, draw_unit
from rotastack.trees.kernel.sorting import sort_rows
from rotastack.trees.kernel.sparse import merit_of_ones

BEST, RANDOM = range(2)

_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@compiled
def gather(columns, j, rows, n, values):
    """Copy the values of n rows in column j to `values`; return the least and the largest."""
    column = columns[j]
    low = high = column[rows[0]]
    for i in range(n):
        value = column[rows[i]]
        values[i] = value
        low = value if value < low else low
        high = value if value > high else high
    return low, high


@compiled
def midpoint(below, above):
    """Return a float32 cut in the middle, with below <= cut < above."""
    cut = np.float32(below * np.float32(0.5) + above * np.float32(0.5))
    if not (cut >= below and cut < above):
        return below
    return cut


@compiled
def find_split(
    data, stored, source, n_columns, rows, n,
    y, pairs, criterion, total, whole, squares, base, table,
    splitter, max_features, n_cuts, min_leaf, min_weight, state,
    order, keys, other, values, bits, starts, left, orders, order_base, n_bag, gains, ratios, cuts,
    ones, first_one, stands, first,
):  # fmt: skip
    """Return (column, cut, decrease of impurity times weight), column -1 if nothing splits.

    `max_features` random columns are searched, and more as long as all of them were constant. With an
    `order_base`, `orders` holds the sorted keys of each column. `ones` lists the ones of sparse columns:
    see :mod:`rotastack.trees.kernel.sparse`.
    """
    best = -math.inf
    best_column = -1
    best_cut = np.float32(0.0)
    n_classes = total.shape[0]
    n_seen = 0
    n_useful = 0
    presorted = order_base >= 0
    sparse = ones.shape[0] > 0 and not presorted and criterion in (GINI, SQUARED_ERROR)
    while n_seen < n_columns and (n_seen < max_features or n_useful == 0):
        k = n_seen + draw_below(state, n_columns - n_seen) if n_columns > 1 else 0
        j = order[k]
        order[k] = order[n_seen]
        order[n_seen] = j
        n_seen += 1
        where = source[j]
        if sparse and where >= 0:
            mine = ones[first_one[where] : first_one[where + 1]]
            if 0 < mine.shape[0] <= n:
                n_right, merit = merit_of_ones(
                    mine, stands, first, n, y, pairs, criterion, splitter == BEST,
                    total, left, whole, squares, min_leaf, min_weight, table,
                )  # fmt: skip
                if n_right == 0 or n_right == n:
                    continue
                n_useful += 1
                for _ in range(n_cuts if splitter == RANDOM else 1):
                    cut = np.float32(0.5) if splitter == BEST else np.float32(draw_unit(state))
                    if merit > best:
                        best = merit
                        best_column = j
                        best_cut = cut if cut < np.float32(1.0) else np.float32(0.0)
                continue
        if splitter == BEST:
            if presorted:
                start = j * n_bag + order_base
                run = orders[start : start + n]
                if (run[0] >> _32) == (run[n - 1] >> _32):
                    continue
            else:
                run = keys[:n]
                if where >= 0:
                    low, high = gather(data, where, rows, n, values)
                else:
                    low, high = gather(stored, -1 - where, rows, n, values)
                if low == high:
                    continue
                sort_rows(values, bits, rows, n, low, high, keys, other, starts)
            n_useful += 1
            if criterion == SQUARED_ERROR:
                merit, place = scan_pairs(run, n, pairs, whole, total[0], min_leaf, min_weight)
            elif criterion != GINI:
                merit, place = scan_entropy(run, n, y, pairs, total, left, whole, min_leaf, min_weight, table)
            elif n_classes == 2:
                merit, place = scan_pairs(run, n, pairs, whole, total[1], min_leaf, min_weight)
            else:
                merit, place = scan_gini(run, n, y, pairs, total, left, whole, squares, min_leaf, min_weight)
            if place == 0:
                continue
            if criterion != GAIN_RATIO and not merit > best:
                continue
            below = run[place - 1] & _LOW
            above = run[place] & _LOW
            if where >= 0:
                cut = midpoint(data[where, below], data[where, above])
            else:
                cut = midpoint(stored[-1 - where, below], stored[-1 - where, above])
            if criterion == GAIN_RATIO:
                weight_left = 0.0
                for i in range(place):
                    weight_left += pairs[run[i] & _LOW, 0]
                gains[n_seen - 1] = max(merit - base, 0.0)
                ratios[n_seen - 1] = gains[n_seen - 1] / split_information(whole, weight_left, table)
                cuts[n_seen - 1] = cut
                order[n_seen - 1] = -1 - j  # marks a candidate
                best = 0.0
            else:
                best = merit
                best_column = j
                best_cut = cut
        else:
            if where >= 0:
                low, high = gather(data, where, rows, n, values)
            else:
                low, high = gather(stored, -1 - where, rows, n, values)
            if low == high:
                continue
            n_useful += 1
            for _ in range(n_cuts):
                cut = np.float32(np.float64(low) + (np.float64(high) - np.float64(low)) * draw_unit(state))
                if not (cut >= low and cut < high):
                    cut = low
                merit = _merit_of_cut(
                    rows, n, values, cut, y, pairs, criterion, total, left, whole, min_leaf, min_weight, table
                )  # fmt: skip
                if merit > best:
                    best = merit
                    best_column = j
                    best_cut = cut
    if criterion == GAIN_RATIO and splitter == BEST:
        return best_ratio(order, n_seen, gains, ratios, cuts)
    if criterion == GINI and splitter == BEST and n_classes == 2:
        return best_column, best_cut, 2.0 * (best - total[1] * total[1] / whole)
    return best_column, best_cut, best - base


@compiled
def _merit_of_cut(rows, n, values, cut, y, pairs, criterion, total, left, whole, min_leaf, min_weight, table):
    weight_left = 0.0
    sum_left = 0.0
    n_left = 0
    paired = criterion == SQUARED_ERROR or (criterion == GINI and total.shape[0] == 2)
    if paired:
        for i in range(n):
            inside = np.float64(values[i] <= cut)
            weight_left += pairs[rows[i], 0] * inside
            sum_left += pairs[rows[i], 1] * inside
            n_left += values[i] <= cut
        left[0] = weight_left - sum_left
    else:
        for c in range(total.shape[0]):
            left[c] = 0.0
        for i in range(n):
            row = rows[i]
            weight = pairs[row, 0] * np.float64(values[i] <= cut)
            left[np.uint64(y[row])] += weight
            weight_left += weight
            n_left += values[i] <= cut
    if n_left < min_leaf or n - n_left < min_leaf or min(weight_left, whole - weight_left) < min_weight:
        return -math.inf
    if criterion == SQUARED_ERROR:
        right = total[0] - sum_left
        return sum_left * sum_left / weight_left + right * right / (whole - weight_left)
    if paired:
        left[1] = sum_left
    return merit_of_sides(criterion, total, left, whole, weight_left, table)


@compiled
def best_ratio(order, n_seen, gains, ratios, cuts):
    """Return (column, cut, gain) of the largest gain ratio among columns of at least average gain (C4.5)."""
    n_candidates = 0
    mean = 0.0
    for k in range(n_seen):
        if order[k] < 0:
            n_candidates += 1
            mean += gains[k]
    if n_candidates == 0:
        return -1, np.float32(0.0), -math.inf
    mean /= n_candidates
    best = -math.inf
    best_column = -1
    best_cut = np.float32(0.0)
    best_gain = -math.inf
    for k in range(n_seen):
        if order[k] < 0:
            order[k] = -1 - order[k]
            if gains[k] >= mean * (1.0 - 1e-12) and ratios[k] > best:
                best = ratios[k]
                best_column = order[k]
                best_cut = cuts[k]
                best_gain = gains[k]
    return best_column, best_cut, best_gain
