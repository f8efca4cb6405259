"""Weight, totals and impurity of a node."""

from libc.stdint cimport int32_t, uint32_t

from rotastack.trees.kernel.criteria cimport x_log_x
from rotastack.trees.kernel.structures cimport GINI, SQUARED_ERROR, Criterion, Described, Task


cdef inline void describe(const uint32_t* rows, const Task* task, Described* node) noexcept nogil:
    """Write the totals, the weight, the squares and the impurity of a node of `n` rows."""
    if task.criterion == SQUARED_ERROR:
        node.squares = 0.0
        describe_targets(rows, task, node)
        return
    if task.n_outputs == 2:
        weigh_two(rows, node.n, task.pairs, node.total)
        node.whole = node.total[0] + node.total[1]
    else:
        node.whole = weigh_classes(rows, node.n, task, node.total)
    measure(task, node)


cdef inline void describe_targets(const uint32_t* rows, const Task* task, Described* node) noexcept nogil:
    cdef const double* target = task.target
    cdef const double* pairs = task.pairs
    cdef double t, low = target[rows[0]], high = target[rows[0]]
    cdef double weight = 0.0, value = 0.0, squares = 0.0
    cdef Py_ssize_t i, row
    for i in range(node.n):
        row = rows[i]
        t = target[row]
        low = t if t < low else low
        high = t if t > high else high
        weight += pairs[2 * row]
        value += pairs[2 * row + 1]
        squares += pairs[2 * row + 1] * t
    node.total[0] = value
    node.whole = weight
    node.impurity = 0.0 if low == high else max((squares - value * value / weight) / weight, 0.0)


cdef inline void weigh_two(
    const uint32_t* rows, Py_ssize_t n, const double* pairs, double* total
) noexcept nogil:
    cdef double weight, one, zeros = 0.0, ones = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        weight = pairs[2 * <Py_ssize_t> rows[i]]
        one = pairs[2 * <Py_ssize_t> rows[i] + 1]
        zeros += weight - one
        ones += one
    total[0] = zeros
    total[1] = ones


cdef inline double weigh_classes(
    const uint32_t* rows, Py_ssize_t n, const Task* task, double* total
) noexcept nogil:
    cdef const int32_t* y = task.y
    cdef const double* pairs = task.pairs
    cdef double whole = 0.0
    cdef Py_ssize_t i, c, row
    for c in range(task.n_outputs):
        total[c] = 0.0
    for i in range(n):
        row = rows[i]
        total[y[row]] += pairs[2 * row]
        whole += pairs[2 * row]
    return whole


cdef inline void measure(const Task* task, Described* node) noexcept nogil:
    """Write the results that follow from the class weights alone."""
    cdef const double* table = task.table
    cdef const double* total = node.total
    cdef Criterion criterion = task.criterion
    cdef double squares = 0.0, sum_h = 0.0, mixed
    cdef Py_ssize_t c, n_present = 0
    for c in range(task.n_outputs):
        n_present += total[c] > 0.0
        squares += total[c] * total[c]
        if criterion != GINI:
            sum_h += x_log_x(total[c], table)
    if criterion == GINI:
        mixed = 1.0 - squares / node.whole / node.whole
    else:
        mixed = -(sum_h - x_log_x(node.whole, table)) / node.whole
    node.squares = squares
    # Only nodes of one class have the impurity 0.
    node.impurity = 0.0 if n_present == 1 else max(mixed, 1e-300)
