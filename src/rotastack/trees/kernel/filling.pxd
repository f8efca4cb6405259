"""Fill missing values of a table with the means of the known ones in a bag, to fit a view to the rows in the bag."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.view_draws cimport Classed

cdef extern from *:
    """
    #include <math.h>
    #define NO_FILL ((float) NAN)
    """
    const float NO_FILL     # of a column that has no missing values


cdef struct Filling:
    const float* data           # as of `Classed`
    float* filled               # a copy
    const uint8_t* missing      # (n_columns,): which columns have missing values; NULL if none does
    float* fills                # (n_columns,)
    Py_ssize_t n_columns
    Py_ssize_t n_rows


cdef inline int take_filling(
    list kept, Classed* table, const uint8_t[::1] missing, Filling* filling
) except -1:
    """Take the memory of `filling`, and turn `table` to the copy of its data that is filled."""
    cdef Py_ssize_t size = table.n_columns * table.n_rows, j
    filling.missing = NULL
    if len(missing) == 0:
        return 0
    filling.missing = &missing[0]
    filling.data = table.data
    filling.n_columns = table.n_columns
    filling.n_rows = table.n_rows
    filling.filled = <float*> take(kept, size, sizeof(float))
    filling.fills = <float*> take(kept, table.n_columns, sizeof(float))
    memcpy(filling.filled, table.data, size * sizeof(float))
    table.data = filling.filled
    for j in range(table.n_columns):
        filling.fills[j] = NO_FILL
    return 0


cdef inline void fill_missing(const Filling* filling, const int64_t* bag, Py_ssize_t n_bag) noexcept nogil:
    """Fill rows in a bag; a column without a known value there with 0."""
    cdef const float* x
    cdef float* filled
    cdef float fill
    cdef double total
    cdef Py_ssize_t i, j, n_known
    if filling.missing == NULL:
        return
    for j in range(filling.n_columns):
        if not filling.missing[j]:
            continue
        x = filling.data + j * filling.n_rows
        filled = filling.filled + j * filling.n_rows
        total = 0.0
        n_known = 0
        for i in range(n_bag):
            if x[bag[i]] == x[bag[i]]:
                total += x[bag[i]]
                n_known += 1
        fill = <float> (total / n_known) if n_known > 0 else 0.0
        filling.fills[j] = fill
        for i in range(n_bag):
            if x[bag[i]] != x[bag[i]]:
                filled[bag[i]] = fill


cdef inline void note_fills(
    const Filling* filling, const int32_t* columns, Py_ssize_t n, float* fills
) noexcept nogil:
    """Write the fills of the columns that a view maps."""
    cdef Py_ssize_t k
    for k in range(n):
        fills[k] = filling.fills[columns[k]]
