"""Fill missing values with the means of the known values in a bag, to fit a view to the rows in the bag."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.view_draws cimport Classed

cdef extern from *:
    """
    #include <math.h>
    #define NO_FILL ((float) NAN)
    """
    const float NO_FILL     # the fill of a column without missing values


cdef struct Filling:
    const float* data           # see `Classed`
    float* filled               # a copy of `data` with filled values
    const uint8_t* missing      # (n_columns,): 1 for columns with missing values; NULL without any
    float* fills                # (n_columns,)
    Py_ssize_t n_columns
    Py_ssize_t n_rows


cdef inline int take_filling(
    list kept, Classed* table, const uint8_t[::1] missing, Filling* filling
) except -1:
    """Allocate the memory of `filling`, and let `table` read the copy of its data that will be filled."""
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
    """Fill the missing values of the rows in a bag; the fill is 0 if the bag has no known value of the column."""
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
