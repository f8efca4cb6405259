"""How good a split is: scans over the sorted rows of a node.

Every scan returns ``(merit, place)``: the rows ``[0, place)`` go left; place is 0 if no split
is allowed. A side has at least `min_leaf` rows and weighs at least `min_weight`. The merit is a
number from which the decrease of impurity follows by subtracting the node's base:
``W i(node) - W_left i(left) - W_right i(right) = merit - base``.

    squared error    merit = S_left^2 / W_left + S_right^2 / W_right,        base = S^2 / W
    gini, 2 classes  the same of a target that is 0 or 1; the decrease is twice as large
    gini             merit = sum_c L_c^2 / W_left + sum_c R_c^2 / W_right,   base = sum_c T_c^2 / W
    entropy (bits)   merit = sum_c h(L_c) + h(R_c) - h(W_left) - h(W_right), h(x) = x log2 x

Sums of whole weights, such as bootstrap counts, are exact. `pairs` holds a row's weight and its
weight times its target.
"""

import math

import numpy as np

from rotastack.trees.kernel.compiling import compiled

GINI, ENTROPY, GAIN_RATIO, SQUARED_ERROR, C45 = range(5)

_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_NOTHING = -math.inf


@compiled
def x_log_x(x, table):
    """Return x log2 x: from the table, where it is not empty, for whole x."""
    if table.shape[0] > 0:
        return table[np.uint64(x)]
    if x <= 0.0:
        return 0.0
    return x * math.log2(x)


@compiled
def scan_pairs(keys, n, pairs, whole, total, min_leaf, min_weight):
    """Scan by squared error, or by gini of two classes; `total` is the node's sum of the second of a pair."""
    best = _NOTHING
    place = 0
    weight_left = 0.0
    left = 0.0
    key = keys[0]
    for i in range(n - 1):
        row = key & _LOW
        weight_left += pairs[row, 0]
        left += pairs[row, 1]
        following = keys[i + 1]
        if (following >> _32) != (key >> _32) and i + 1 >= min_leaf and n - i - 1 >= min_leaf:
            weight_right = whole - weight_left
            right = total - left
            merit = (left * left * weight_right + right * right * weight_left) / (weight_left * weight_right)
            if merit > best and weight_left >= min_weight and whole - weight_left >= min_weight:
                best = merit
                place = i + 1
        key = following
    return best, place


@compiled
def scan_gini(keys, n, y, pairs, total, left, whole, squares, min_leaf, min_weight):
    """Scan by gini of any number of classes; `squares` is the sum of total^2."""
    n_classes = total.shape[0]
    best = _NOTHING
    place = 0
    weight_left = 0.0
    squares_left = 0.0
    product = 0.0  # of left and total
    for c in range(n_classes):
        left[c] = 0.0
    key = keys[0]
    for i in range(n - 1):
        row = key & _LOW
        weight = pairs[row, 0]
        c = np.uint64(y[row])
        there = left[c]
        squares_left += weight * (2.0 * there + weight)
        product += weight * total[c]
        left[c] = there + weight
        weight_left += weight
        following = keys[i + 1]
        if (following >> _32) != (key >> _32) and i + 1 >= min_leaf and n - i - 1 >= min_leaf:
            weight_right = whole - weight_left
            squares_right = squares - 2.0 * product + squares_left
            merit = (squares_left * weight_right + squares_right * weight_left) / (weight_left * weight_right)
            if merit > best and weight_left >= min_weight and whole - weight_left >= min_weight:
                best = merit
                place = i + 1
        key = following
    return best, place


@compiled
def scan_entropy(keys, n, y, pairs, total, left, whole, min_leaf, min_weight, table):
    """Scan by entropy of any number of classes."""
    n_classes = total.shape[0]
    best = _NOTHING
    place = 0
    weight_left = 0.0
    sum_left = 0.0
    sum_right = 0.0
    for c in range(n_classes):
        left[c] = 0.0
        sum_right += x_log_x(total[c], table)
    key = keys[0]
    for i in range(n - 1):
        row = key & _LOW
        weight = pairs[row, 0]
        c = np.uint64(y[row])
        there = left[c]
        sum_left += x_log_x(there + weight, table) - x_log_x(there, table)
        sum_right += x_log_x(max(total[c] - there - weight, 0.0), table) - x_log_x(total[c] - there, table)
        left[c] = there + weight
        weight_left += weight
        following = keys[i + 1]
        if (following >> _32) != (key >> _32) and i + 1 >= min_leaf and n - i - 1 >= min_leaf:
            merit = sum_left + sum_right - x_log_x(weight_left, table) - x_log_x(whole - weight_left, table)
            if merit > best and weight_left >= min_weight and whole - weight_left >= min_weight:
                best = merit
                place = i + 1
        key = following
    return best, place


@compiled
def merit_of_sides(criterion, total, left, whole, weight_left, table):
    """Merit of a split with these class weights on its left."""
    sum_left = 0.0
    sum_right = 0.0
    for c in range(total.shape[0]):
        right = max(total[c] - left[c], 0.0)
        if criterion == GINI:
            sum_left += left[c] * left[c]
            sum_right += right * right
        else:
            sum_left += x_log_x(left[c], table)
            sum_right += x_log_x(right, table)
    weight_right = whole - weight_left
    if criterion == GINI:
        return sum_left / weight_left + sum_right / weight_right
    return sum_left + sum_right - x_log_x(weight_left, table) - x_log_x(weight_right, table)


@compiled
def split_information(whole, weight_left, table):
    """Entropy in bits of the sizes of the two sides, times the weight (C4.5's divisor)."""
    return x_log_x(whole, table) - x_log_x(weight_left, table) - x_log_x(whole - weight_left, table)
