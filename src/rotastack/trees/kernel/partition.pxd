"""Partition the rows of a node into its two sides, stably, so that sorted keys stay sorted."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from rotastack.trees.kernel.sorting cimport differ, row_of
from rotastack.trees.kernel.structures cimport COLUMN, Node, Presorted, View, column_in, may_miss
from rotastack.trees.kernel.wide cimport inlined_void


cdef inline Py_ssize_t part_rows(
    const View* view, Node node, uint32_t* rows, Py_ssize_t n, uint32_t* spare, uint8_t* side
) noexcept nogil:
    """Move the rows that a node sends left before the other rows; return the number of rows that go left.

    ``side[row]`` becomes 1 for rows that go left, else 0.
    """
    cdef const float* column = view.columns[column_in(node)]
    cdef Py_ssize_t n_left = 0
    if may_miss(view, column_in(node)) and node.column <= COLUMN:
        part(column, node.cut, rows, n, True, spare, side, &n_left)
    else:
        part(column, node.cut, rows, n, False, spare, side, &n_left)
    return n_left


cdef inline inlined_void part(
    const float* column, float cut, uint32_t* rows, Py_ssize_t n, bint missing_left, uint32_t* spare, uint8_t* side,
    Py_ssize_t* n_left,
) noexcept nogil:
    """Partition rows; missing values go left if the constant `missing_left` is True, else right."""
    cdef Py_ssize_t i, to_left = 0
    cdef uint32_t row
    cdef float value
    cdef bint goes_left
    for i in range(n):
        row = rows[i]
        value = column[row]
        goes_left = (value <= cut) | (missing_left & (value != value))
        side[row] = goes_left
        rows[to_left] = row
        spare[i - to_left] = row
        to_left += goes_left
    memcpy(rows + to_left, spare, (n - to_left) * sizeof(uint32_t))
    n_left[0] = to_left


cdef inline void split_orders(
    const Presorted* presorted, Py_ssize_t n_columns, Py_ssize_t first, Py_ssize_t n, Py_ssize_t n_left,
    const uint8_t* side, uint64_t* other,
) noexcept nogil:
    """Move the keys of a node that go left before the other keys, in every column that is not constant in the node."""
    cdef uint64_t* run
    cdef Py_ssize_t i, j, to_left
    cdef uint64_t key
    for j in range(n_columns):
        run = presorted.orders + j * presorted.n_bag + first
        if not differ(run[0], run[n - 1]):
            continue
        to_left = 0
        for i in range(n):
            key = run[i]
            run[to_left] = key
            other[i - to_left] = key
            to_left += side[row_of(key)]
        memcpy(run + n_left, other, (n - n_left) * sizeof(uint64_t))
