"""Outputs of trees for rows that they have not seen: out-of-bag rows and held-out rows."""

from libc.math cimport NAN
from libc.stdint cimport int32_t, uint32_t

from rotastack.trees.kernel.bagging cimport Bagging
from rotastack.trees.kernel.descending cimport add_output, send_down
from rotastack.trees.kernel.structures cimport SQUARED_ERROR, Growing, Node, Task, View


cdef inline Py_ssize_t add_out_of_bag(
    const Node* tree, const double* values, const View* view, const Task* task, const Bagging* bagging,
    Growing* scratch, uint32_t* active, double* sums, int32_t* seen, double* error,
) noexcept nogil:
    """Add a tree's outputs for its out-of-bag rows to `sums`, and count these outputs in `seen`.

    Returns the number of these rows; `error` receives the weighted error rate, or the weighted mean squared error.
    """
    cdef uint32_t* rows = scratch.spare
    cdef uint32_t* leaves = scratch.found
    cdef Py_ssize_t i, row, best, n = 0
    cdef double weight, whole = 0.0, loss, total = 0.0
    cdef int32_t leaf
    for i in range(bagging.n_part):
        row = bagging.part[i]
        rows[n] = <uint32_t> row
        n += task.pairs[2 * row] == 0.0
    send_down(tree, view.columns, rows, n, view.missing != NULL, active, leaves)
    for i in range(n):
        row = rows[i]
        leaf = tree[leaves[i]].child
        best = add_output(leaf, values, task.n_outputs, sums + row * task.n_outputs)
        seen[row] += 1
        weight = bagging.weight[row]
        whole += weight
        if task.criterion == SQUARED_ERROR:
            loss = values[leaf] - task.target[row]
            loss *= loss
        else:
            loss = best != task.y[row]
        total += weight * loss
    error[0] = total / whole if whole > 0.0 else NAN
    return n


cdef inline void add_held_out(
    const Node* tree, const double* values, const View* view, Py_ssize_t n_outputs, const Bagging* bagging,
    Growing* scratch, uint32_t* active, double* sums,
) noexcept nogil:
    """Add a tree's outputs for the rows of weight 0 to `sums`."""
    cdef uint32_t* leaves = scratch.found
    cdef Py_ssize_t i
    send_down(tree, view.columns, bagging.held, bagging.n_held, view.missing != NULL, active, leaves)
    for i in range(bagging.n_held):
        add_output(tree[leaves[i]].child, values, n_outputs, sums + bagging.held[i] * n_outputs)


cdef inline void mean_held_out(
    const Bagging* bagging, const double* sums, Py_ssize_t n_outputs, Py_ssize_t n_trees, float* means
) noexcept nogil:
    cdef Py_ssize_t i, c, first
    for i in range(bagging.n_held):
        first = bagging.held[i] * n_outputs
        for c in range(first, first + n_outputs):
            means[c] = <float> (sums[c] / n_trees)


cdef inline double error_of(
    const double* sums, const int32_t* seen, Py_ssize_t n, const Task* task, const double* weight
) noexcept nogil:
    """Return the weighted error rate, or weighted mean squared error, of the rows that are out of any tree's bag."""
    cdef double known = 0.0, loss = 0.0, wrong
    cdef const double* mine
    cdef Py_ssize_t row, c, best
    for row in range(n):
        if seen[row] == 0:
            continue
        known += weight[row]
        mine = sums + row * task.n_outputs
        if task.criterion == SQUARED_ERROR:
            wrong = mine[0] / seen[row] - task.target[row]
            wrong *= wrong
        else:
            best = 0
            for c in range(task.n_outputs):
                if mine[c] > mine[best]:
                    best = c
            wrong = best != task.y[row]
        loss += weight[row] * wrong
    return loss / known if known > 0.0 else NAN
