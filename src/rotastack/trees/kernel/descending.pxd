"""Send rows down a tree, and sum the outputs of their leaves."""

from libc.stdint cimport int32_t, uint32_t

from rotastack.trees.kernel.structures cimport COLUMN, Node
from rotastack.trees.kernel.wide cimport inlined_void


cdef inline void send_down(
    const Node* tree, const float** columns, const uint32_t* rows, Py_ssize_t n, bint missing,
    uint32_t* active, uint32_t* leaves,
) noexcept nogil:
    """Write the leaf of each row to `leaves`; ``columns[j][row]`` is a value in column j of the tree's view.

    `missing` is False if no value is missing. All rows go down one level at a time, and rows that reach a leaf leave
    `active`. So the steps of different rows are independent, and there is no branch to mispredict.
    """
    cdef Py_ssize_t i, n_active = n
    for i in range(n):
        active[i] = <uint32_t> i
        leaves[i] = 0
    if tree[0].column < 0:
        return
    while n_active > 0:
        if missing:
            descend(tree, columns, rows, &n_active, True, active, leaves)
        else:
            descend(tree, columns, rows, &n_active, False, active, leaves)


cdef inline inlined_void descend(
    const Node* tree, const float** columns, const uint32_t* rows, Py_ssize_t* n_active, bint missing,
    uint32_t* active, uint32_t* leaves,
) noexcept nogil:
    """Send active rows down by one level, and write the number of rows that stay active; `missing` is a constant."""
    cdef Py_ssize_t i, k, kept = 0
    cdef uint32_t following
    cdef const Node* node
    cdef float value
    for k in range(n_active[0]):
        i = active[k]
        node = &tree[leaves[i]]
        value = columns[node.column & COLUMN][rows[i]]
        following = <uint32_t> node.child + (
            (value > node.cut) | (missing & (value != value) & (node.column > COLUMN))
        )
        leaves[i] = following
        active[kept] = <uint32_t> i
        kept += tree[following].column >= 0
    n_active[0] = kept


cdef inline Py_ssize_t add_output(
    int32_t leaf, const double* values, Py_ssize_t n_outputs, double* sums
) noexcept nogil:
    """Add the output of a leaf, encoded in its `child`, to the sums of a row; return the leaf's most probable class."""
    cdef Py_ssize_t c, best = 0
    if leaf < 0:
        sums[-1 - leaf] += 1.0
        return -1 - leaf
    values += leaf * n_outputs
    for c in range(n_outputs):
        sums[c] += values[c]
        if values[c] > values[best]:
            best = c
    return best
