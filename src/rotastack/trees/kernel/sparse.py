"""Splits on sparse 0/1 columns, such as the dummies of a category, from a list of their ones.

A split on such a column needs only the ones among the node's rows, not the values of all its rows.
``ones[first_one[j]:first_one[j + 1]]`` are the rows in which column j is 1; the range is empty for columns
that are not 0/1, or have too many ones. ``stands[row]`` is the position of a row in the tree's order of rows,
and -1 if it is not in the tree's bag; the rows of a node are a range of positions, so membership is one
comparison.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.criteria import GINI, SQUARED_ERROR, merit_of_sides

__all__ = ["few_ones", "mark_places", "merit_of_ones"]


def few_ones(X: NDArray[np.float32], criterion: str) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return (ones, first_one) for data (row, column): its 0/1 columns with ones in at most half of the rows.

    Both are empty if there is no such column, or if the criterion does not use them.
    """
    if criterion not in ("gini", "squared_error") or not len(X):
        return np.empty(0, np.uint32), np.empty(0, np.int64)
    columns = np.flatnonzero((X[0] == 0) | (X[0] == 1))
    candidates = X[:, columns].T
    is_one = candidates == 1
    few = (is_one | (candidates == 0)).all(axis=1) & (2 * is_one.sum(axis=1) <= len(X))
    counts = np.zeros(X.shape[1], np.int64)
    counts[columns] = is_one.sum(axis=1) * few
    ones = np.nonzero(is_one & few[:, None])[1].astype(np.uint32)
    return ones, np.concatenate([[0], np.cumsum(counts)]) if len(ones) else np.empty(0, np.int64)


@compiled
def mark_places(stands, rows, first, n):
    """Write the positions of a node's rows, `first` and following, to `stands`."""
    for i in range(n):
        stands[rows[i]] = first + i


@compiled
def merit_of_ones(
    ones, stands, first, n, y, pairs, criterion, best_cut, total, left, whole, squares, min_leaf, min_weight, table
):  # fmt: skip
    """Return (number of ones in the node, merit of the split into zeros and ones).

    The merit is defined in :mod:`rotastack.trees.kernel.criteria`. With `best_cut` it is what a scan for the
    best cut returns, else that of a cut drawn at random; -inf if the split is not allowed. Sums of whole
    weights are exact, and so equal to those of a scan.
    """
    n_right = 0
    weight_right = 0.0
    sum_right = 0.0
    product = 0.0
    squares_right = 0.0
    several = criterion == GINI and total.shape[0] > 2
    if several:
        for c in range(total.shape[0]):
            left[c] = total[c]
    for row in ones:
        here = stands[row] - first
        if here >= 0 and here < n:
            n_right += 1
            weight = pairs[row, 0]
            weight_right += weight
            sum_right += pairs[row, 1]
            if several:
                c = np.uint64(y[row])
                there = total[c] - left[c]
                squares_right += weight * (2.0 * there + weight)
                product += weight * total[c]
                left[c] -= weight
    weight_left = whole - weight_right
    light = min(weight_left, weight_right) < min_weight or weight_left <= 0.0  # by rounding
    if light or n_right < min_leaf or n - n_right < min_leaf:
        return n_right, -math.inf
    if several:
        if not best_cut:
            return n_right, merit_of_sides(criterion, total, left, whole, weight_left, table)
        squares_left = squares - 2.0 * product + squares_right
        merit = (squares_left * weight_right + squares_right * weight_left) / (weight_left * weight_right)
        return n_right, merit
    all_ = total[0] if criterion == SQUARED_ERROR else total[1]
    sum_left = all_ - sum_right
    if best_cut:
        merit = sum_left * sum_left * weight_right + sum_right * sum_right * weight_left
        return n_right, merit / (weight_left * weight_right)
    if criterion == SQUARED_ERROR:
        return n_right, sum_left * sum_left / weight_left + sum_right * sum_right / weight_right
    left[0] = weight_left - sum_left
    left[1] = sum_left
    return n_right, merit_of_sides(criterion, total, left, whole, weight_left, table)
