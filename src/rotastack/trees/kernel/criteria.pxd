"""Merits of splits, and scans over the sorted rows of a node for the best cut.

Every scan returns the merit and the place of the best cut: the rows ``[0, place)`` go left; place is 0 if no split
is allowed. Each side has at least `min_leaf` rows; a weight below 0 is rounding. Up to a term that all cuts of a node
share, the merit of a cut is the decrease of impurity, W i(node) - W_left i(left) - W_right i(right):

    squared error    merit = S_left^2 / W_left + S_right^2 / W_right
    gini, 2 classes  as squared error of a target of 0 and 1; the decrease is twice as large
    gini             merit = sum_c L_c^2 / W_left + sum_c R_c^2 / W_right
    entropy (bits)   merit = sum_c h(L_c) + h(R_c) - h(W_left) - h(W_right), h(x) = x log2 x

Sums of integer weights, such as bootstrap counts, are exact. `pairs` holds the weight of a row, and its weight times
its target.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t

from rotastack.trees.kernel.elementary cimport log2
from rotastack.trees.kernel.sorting cimport differ, row_of
from rotastack.trees.kernel.structures cimport GINI, Criterion, Task

cdef struct SortedCut:
    double merit
    Py_ssize_t place


cdef inline double x_log_x(double x, const double* table) noexcept nogil:
    """Return x log2 x, from the table if there is one; then x is an integer."""
    if table != NULL:
        return table[<Py_ssize_t> x]
    return x * log2(x) if x > 0.0 else 0.0


cdef inline SortedCut scan_pairs(
    const uint64_t* keys, Py_ssize_t n, const double* pairs, double whole, double total, int64_t min_leaf,
) noexcept nogil:
    """Scan by squared error, or by gini of two classes; `total` is the node's sum of weighted targets."""
    cdef SortedCut best = SortedCut(-INFINITY, 0)
    cdef double weight_left = 0.0, weight_right, left = 0.0, right, merit
    cdef uint64_t key = keys[0], following
    cdef Py_ssize_t i, row
    for i in range(1, n):
        row = row_of(key)
        weight_left += pairs[2 * row]
        left += pairs[2 * row + 1]
        following = keys[i]
        if differ(key, following) and i >= min_leaf and n - i >= min_leaf:
            weight_right = whole - weight_left
            right = total - left
            merit = (left * left * weight_right + right * right * weight_left) / (weight_left * weight_right)
            if merit > best.merit and weight_right >= 0.0:
                best = SortedCut(merit, i)
        key = following
    return best


cdef inline SortedCut scan_gini(
    const uint64_t* keys, Py_ssize_t n, const Task* task, const double* total, double* left, double whole,
    double squares, int64_t min_leaf,
) noexcept nogil:
    """Scan by gini of any number of classes; `squares` is the sum of total^2."""
    cdef const int32_t* y = task.y
    cdef const double* pairs = task.pairs
    cdef SortedCut best = SortedCut(-INFINITY, 0)
    cdef double weight, weight_left = 0.0, weight_right, there, merit
    cdef double squares_left = 0.0, squares_right, product = 0.0  # of left and total
    cdef uint64_t key = keys[0], following
    cdef Py_ssize_t i, c, row
    for c in range(task.n_outputs):
        left[c] = 0.0
    for i in range(1, n):
        row = row_of(key)
        weight = pairs[2 * row]
        c = y[row]
        there = left[c]
        squares_left += weight * (2.0 * there + weight)
        product += weight * total[c]
        left[c] = there + weight
        weight_left += weight
        following = keys[i]
        if differ(key, following) and i >= min_leaf and n - i >= min_leaf:
            weight_right = whole - weight_left
            squares_right = squares - 2.0 * product + squares_left
            merit = (squares_left * weight_right + squares_right * weight_left) / (weight_left * weight_right)
            if merit > best.merit and weight_right >= 0.0:
                best = SortedCut(merit, i)
        key = following
    return best


cdef inline SortedCut scan_entropy(
    const uint64_t* keys, Py_ssize_t n, const Task* task, const double* total, double* left, double whole,
    int64_t min_leaf,
) noexcept nogil:
    """Scan by entropy of any number of classes; `left` has room for three numbers a class."""
    cdef const int32_t* y = task.y
    cdef const double* pairs = task.pairs
    cdef double* h_left = left + task.n_outputs
    cdef SortedCut best = SortedCut(-INFINITY, 0)
    cdef double weight, weight_left = 0.0, weight_right, there, merit, sum_left = 0.0, sum_right = 0.0, h
    cdef uint64_t key = keys[0], following
    cdef Py_ssize_t i, c, row
    for c in range(task.n_outputs):
        left[c] = h_left[c] = 0.0
        sum_right += x_log_x(total[c], NULL)
    for i in range(1, n):
        row = row_of(key)
        weight = pairs[2 * row]
        c = y[row]
        there = left[c]
        h = x_log_x(there + weight, NULL)
        sum_left += h - h_left[c]
        sum_right += x_log_x(max(total[c] - there - weight, 0.0), NULL) - x_log_x(total[c] - there, NULL)
        h_left[c] = h
        left[c] = there + weight
        weight_left += weight
        following = keys[i]
        if differ(key, following) and i >= min_leaf and n - i >= min_leaf:
            weight_right = whole - weight_left
            merit = sum_left + sum_right - x_log_x(weight_left, NULL) - x_log_x(weight_right, NULL)
            if merit > best.merit and weight_right >= 0.0:
                best = SortedCut(merit, i)
        key = following
    return best


cdef inline SortedCut scan_whole_entropy(
    const uint64_t* keys, Py_ssize_t n, const Task* task, const double* total, int64_t* left, double whole,
    int64_t min_leaf,
) noexcept nogil:
    """Scan by entropy with integer weights, whose logarithms come from the table."""
    cdef const int32_t* y = task.y
    cdef const double* pairs = task.pairs
    cdef const double* table = task.table
    cdef int64_t* right = left + task.n_outputs
    cdef int64_t weight, weight_left = 0, weight_right = <int64_t> whole, here, there
    cdef SortedCut best = SortedCut(-INFINITY, 0)
    cdef double merit, sum_left = 0.0, sum_right = 0.0
    cdef uint64_t key = keys[0], following
    cdef Py_ssize_t i, c, row
    for c in range(task.n_outputs):
        left[c] = 0
        right[c] = <int64_t> total[c]
        sum_right += table[right[c]]
    for i in range(1, n):
        row = row_of(key)
        weight = <int64_t> pairs[2 * row]
        c = y[row]
        here = left[c]
        there = right[c]
        sum_left += table[here + weight] - table[here]
        sum_right += table[there - weight] - table[there]
        left[c] = here + weight
        right[c] = there - weight
        weight_left += weight
        weight_right -= weight
        following = keys[i]
        if differ(key, following) and i >= min_leaf and n - i >= min_leaf:
            merit = sum_left + sum_right - table[weight_left] - table[weight_right]
            if merit > best.merit:
                best = SortedCut(merit, i)
        key = following
    return best


cdef inline double merit_of_sides(
    const Task* task, const double* total, const double* left, double whole, double weight_left
) noexcept nogil:
    """Return the merit of a split with the class weights `left` on its left side."""
    cdef const double* table = task.table
    cdef Criterion criterion = task.criterion
    cdef double sum_left = 0.0, sum_right = 0.0, right, weight_right = whole - weight_left
    cdef Py_ssize_t c
    for c in range(task.n_outputs):
        right = max(total[c] - left[c], 0.0)
        if criterion == GINI:
            sum_left += left[c] * left[c]
            sum_right += right * right
        else:
            sum_left += x_log_x(left[c], table)
            sum_right += x_log_x(right, table)
    if criterion == GINI:
        return sum_left / weight_left + sum_right / weight_right
    return sum_left + sum_right - x_log_x(weight_left, table) - x_log_x(weight_right, table)
