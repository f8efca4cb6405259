"""Missing values (NaN) of a column: their place among a node's sorted keys, and their side of a split.

Missing values sort last, as infinity, which does not occur in data. So a scan from the left finds the best cut with
the missing values on the right. One of these cuts, at infinity, separates known values from missing values. In a node
with missing values, a second scan has them on the left: there they stand before the known values and have the key of
the smallest known value, so no cut lies between them.

Only columns with missing values are searched in this way: see `View`.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint32_t, uint64_t

from rotastack.trees.kernel.sorting cimport differ, gather, key_of, sort_rows
from rotastack.trees.kernel.structures cimport Growing, Sorter, View, column_in, may_miss
from rotastack.trees.kernel.unit_entropy cimport ROW

ctypedef fused any_key:
    uint32_t
    uint64_t


cdef inline Py_ssize_t gather_known(
    const float* column, const uint32_t* rows, Py_ssize_t n, const Sorter* sorter, float* least, float* largest
) noexcept nogil:
    """Write rows and known values to the sorter; return the number of known values.

    Rows with known values come first, in order; rows with missing values fill the end, in reverse order. `least` and
    `largest` are the smallest and the largest known value.
    """
    cdef float* values = sorter.values
    cdef uint32_t* ordered = sorter.rows
    cdef float value, low = INFINITY, high = -INFINITY
    cdef Py_ssize_t i, n_known = 0, last = n
    for i in range(n):
        value = column[rows[i]]
        if value != value:
            last -= 1
            ordered[last] = rows[i]
            continue
        values[n_known] = value
        ordered[n_known] = rows[i]
        n_known += 1
        low = value if value < low else low
        high = value if value > high else high
    least[0] = low
    largest[0] = high
    return n_known


cdef inline Py_ssize_t sort_all_rows(
    const float* column, const uint32_t* rows, Py_ssize_t n, const Sorter* sorter
) noexcept nogil:
    """Write the sorted keys of all rows to the sorter; return the number of missing values."""
    cdef float low, high
    cdef Py_ssize_t i, n_known = gather_known(column, rows, n, sorter, &low, &high)
    if n_known > 0:
        sort_rows(sorter.rows, n_known, low, high, sorter)
    for i in range(n_known, n):
        sorter.keys[i] = key_of(INFINITY, sorter.rows[i])
    return n - n_known


cdef inline Py_ssize_t sort_column(
    const View* view, Py_ssize_t j, const uint32_t* rows, Py_ssize_t n, const Sorter* sorter
) noexcept nogil:
    """Write the sorted keys of column j to the sorter; return the number of missing values."""
    cdef float low, high
    if may_miss(view, j):
        return sort_all_rows(view.columns[j], rows, n, sorter)
    gather(view.columns[j], rows, n, sorter.values, &low, &high)
    sort_rows(rows, n, low, high, sorter)
    return 0


cdef inline Py_ssize_t count_missing(const uint64_t* keys, Py_ssize_t n) noexcept nogil:
    """Return the number of missing values among a node's sorted keys."""
    cdef uint64_t missing = key_of(INFINITY, 0)
    cdef Py_ssize_t n_known = n
    while n_known > 0 and not differ(keys[n_known - 1], missing):
        n_known -= 1
    return n - n_known


cdef inline Py_ssize_t count_missing_compact(
    const uint32_t* run, Py_ssize_t n, const float* column
) noexcept nogil:
    """Return the number of missing values among a node's compact keys."""
    cdef Py_ssize_t n_known = n
    while n_known > 0 and column[run[n_known - 1] & ROW] != column[run[n_known - 1] & ROW]:
        n_known -= 1
    return n - n_known


cdef inline void put_missing_first(const any_key* keys, Py_ssize_t n, Py_ssize_t n_missing, any_key* turned) noexcept nogil:
    """Write sorted keys, compact or not, with the missing values first; at least one value is known."""
    cdef any_key row_bits = ROW if any_key is uint32_t else 0xFFFFFFFF
    cdef any_key least = keys[0] & ~row_bits
    cdef Py_ssize_t i
    for i in range(n_missing):
        turned[i] = least | (keys[n - n_missing + i] & row_bits)
    for i in range(n_missing, n):
        turned[i] = keys[i - n_missing]


cdef inline bint misses_some(const View* view, const Growing* tree, int32_t node) noexcept nogil:
    """Return whether a node has missing values in the column that it splits on."""
    cdef Py_ssize_t j = column_in(tree.nodes[node])
    cdef const float* column
    cdef Py_ssize_t i, row
    if not may_miss(view, j):
        return False
    column = view.columns[j]
    for i in range(tree.first[node], tree.last[node]):
        row = tree.rows[i]
        if column[row] != column[row]:
            return True
    return False
