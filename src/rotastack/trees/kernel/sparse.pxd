"""Splits on sparse 0/1 columns, such as dummy columns, computed from a list of their ones.

The list of ones makes it unnecessary to read the values of all rows of a node. ``ones[first_one[j]:first_one[j + 1]]``
are the rows in which column j is 1; the range is empty for columns that have other values or too many ones.
``stands[row]`` is the position of a row in the tree's order of rows, or -1 if the row is not in the tree's bag. The
rows of a node are a range of positions, so one comparison tests whether a row is in the node.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t

from rotastack.trees.kernel.criteria cimport merit_of_sides
from rotastack.trees.kernel.structures cimport GINI, SQUARED_ERROR, Described, Task

cdef struct OnesCut:
    Py_ssize_t n_right      # number of ones in the node
    double merit            # merit of the split into zeros and ones; -inf if not allowed


cdef inline void mark_places(
    int32_t* stands, const uint32_t* rows, Py_ssize_t first, Py_ssize_t n
) noexcept nogil:
    """Write the positions of a node's rows, which start at `first`."""
    cdef Py_ssize_t i
    for i in range(n):
        stands[rows[i]] = <int32_t> (first + i)


cdef inline OnesCut merit_of_ones(
    const uint32_t* ones, Py_ssize_t n_ones, const int32_t* stands, const Described* node, const Task* task,
    bint best_cut, double* left, int64_t min_leaf,
) noexcept nogil:
    """Return the merit, as defined in `criteria.pxd`, of the split into zeros and ones.

    With `best_cut` the merit equals that of a scan for the best cut, otherwise that of `merit_of_cut`. Sums of integer
    weights are exact, and so equal to the sums of a scan.
    """
    cdef const double* pairs = task.pairs
    cdef const double* total = node.total
    cdef double weight, weight_right = 0.0, weight_left, sum_right = 0.0, sum_left
    cdef double product = 0.0, squares_right = 0.0, squares_left, merit, every
    cdef bint several = task.criterion == GINI and task.n_outputs > 2
    cdef Py_ssize_t i, c, row, here, first = node.first, n = node.n, n_right = 0
    if several:
        for c in range(task.n_outputs):
            left[c] = total[c]
    for i in range(n_ones):
        row = ones[i]
        here = stands[row] - first
        if here < 0 or here >= n:
            continue
        n_right += 1
        weight = pairs[2 * row]
        weight_right += weight
        sum_right += pairs[2 * row + 1]
        if several:
            c = task.y[row]
            squares_right += weight * (2.0 * (total[c] - left[c]) + weight)
            product += weight * total[c]
            left[c] -= weight
    weight_left = node.whole - weight_right
    if weight_left <= 0.0:  # only by rounding
        return OnesCut(n_right, -INFINITY)
    if n_right < min_leaf or n - n_right < min_leaf:
        return OnesCut(n_right, -INFINITY)
    if several:
        if not best_cut:
            return OnesCut(n_right, merit_of_sides(task, total, left, node.whole, weight_left))
        squares_left = node.squares - 2.0 * product + squares_right
        merit = (squares_left * weight_right + squares_right * weight_left) / (weight_left * weight_right)
        return OnesCut(n_right, merit)
    every = total[0] if task.criterion == SQUARED_ERROR else total[1]
    sum_left = every - sum_right
    if best_cut:
        merit = sum_left * sum_left * weight_right + sum_right * sum_right * weight_left
        return OnesCut(n_right, merit / (weight_left * weight_right))
    if task.criterion == SQUARED_ERROR:
        merit = sum_left * sum_left / weight_left + sum_right * sum_right / weight_right
        return OnesCut(n_right, merit)
    left[0] = weight_left - sum_left
    left[1] = sum_left
    return OnesCut(n_right, merit_of_sides(task, total, left, node.whole, weight_left))
