"""Random draws for views that are fitted to a tree's bag: bags with filled missing values, samples, blocks of columns."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.randomness cimport draw_below, draw_bootstrap

cdef extern from *:
    """
    #include <math.h>
    #define NO_FILL ((float) NAN)
    """
    const float NO_FILL     # the fill of a column without missing values


# Rows sorted by class, and the rule for drawing bags. `data` has the axes (column, place); the rows of class c have the
# places edges[c] to edges[c + 1] - 1. places[row] is the place of a row. Bags are drawn from `places`, by the rule of
# `draw_bootstrap`. If columns have missing values, `data` is a copy of `known`, in which those of the rows of a bag are
# filled with the mean of the known values in the bag.
cdef struct Classed:
    const float* data
    Py_ssize_t n_columns
    Py_ssize_t n_rows
    const int64_t* places
    const int64_t* edges
    Py_ssize_t n_classes
    const double* ends
    Py_ssize_t n_ends
    int64_t size
    int32_t* counts             # (n_rows,): scratch
    const uint8_t* missing      # (n_columns,): 1 for columns with missing values; NULL without any
    const float* known
    float* filled               # `data`, to be written
    float* fills                # (n_columns,)


# Some of the rows, and the starts of their runs (rows of one class); runs[n_runs] is the number of rows.
cdef struct Sample:
    int64_t* rows
    int64_t* runs
    Py_ssize_t n_runs


cdef inline int take_classed(
    list kept, const float[:, ::1] data, const uint8_t[::1] missing, const int64_t[::1] places,
    const int64_t[::1] edges, const double[::1] ends, int64_t size, Classed* table,
) except -1:
    """Write the structure of an entry point's arguments, and allocate its memory."""
    cdef Py_ssize_t n_values = data.shape[0] * data.shape[1], j
    table.data = &data[0, 0]
    table.n_columns = data.shape[0]
    table.n_rows = data.shape[1]
    table.places = &places[0]
    table.edges = &edges[0]
    table.n_classes = edges.shape[0] - 1
    table.ends = &ends[0]
    table.n_ends = ends.shape[0]
    table.size = size
    table.counts = <int32_t*> take(kept, table.n_rows, sizeof(int32_t))
    table.missing = NULL
    if len(missing) == 0:
        return 0
    table.missing = &missing[0]
    table.known = table.data
    table.filled = <float*> take(kept, n_values, sizeof(float))
    table.fills = <float*> take(kept, table.n_columns, sizeof(float))
    memcpy(table.filled, table.known, n_values * sizeof(float))
    table.data = table.filled
    for j in range(table.n_columns):
        table.fills[j] = NO_FILL
    return 0


cdef inline Py_ssize_t draw_bag(uint64_t state, const Classed* rows, int64_t* bag) noexcept nogil:
    """Write the places of the distinct rows in a bag, ascending, and fill their missing values; return their number."""
    cdef Py_ssize_t place, j, n_bag = 0
    for place in range(rows.n_rows):
        rows.counts[place] = 0
    draw_bootstrap(&state, rows.places, rows.n_rows, rows.ends, rows.n_ends, rows.size, rows.counts)
    for place in range(rows.n_rows):
        bag[n_bag] = place
        n_bag += rows.counts[place] > 0
    if rows.missing != NULL:
        for j in range(rows.n_columns):
            if rows.missing[j]:
                fill_column(rows, j, bag, n_bag)
    return n_bag


cdef inline void fill_column(const Classed* rows, Py_ssize_t j, const int64_t* bag, Py_ssize_t n_bag) noexcept nogil:
    """Fill the missing values of the rows in a bag; the fill is 0 if the bag has no known value of the column."""
    cdef const float* x = rows.known + j * rows.n_rows
    cdef float* filled = rows.filled + j * rows.n_rows
    cdef float fill
    cdef double total = 0.0
    cdef Py_ssize_t i, n_known = 0
    for i in range(n_bag):
        if x[bag[i]] == x[bag[i]]:
            total += x[bag[i]]
            n_known += 1
    fill = <float> (total / n_known) if n_known > 0 else 0.0
    rows.fills[j] = fill
    for i in range(n_bag):
        if x[bag[i]] != x[bag[i]]:
            filled[bag[i]] = fill


cdef inline void note_fills(const Classed* rows, const int32_t* columns, Py_ssize_t n, float* fills) noexcept nogil:
    """Write the fills of the columns that a view maps."""
    cdef Py_ssize_t k
    for k in range(n):
        fills[k] = rows.fills[columns[k]]


cdef inline void draw_of_bag(
    uint64_t* state, const int64_t* bag, Py_ssize_t n_bag, Py_ssize_t n_wanted, int64_t* sample
) noexcept nogil:
    """Draw `n_wanted` rows of the bag without replacement, and write them to `sample` in the order of the bag."""
    cdef Py_ssize_t i, n = 0
    for i in range(n_bag):
        sample[n] = bag[i]
        n += draw_below(state, n_bag - i) < n_wanted - n
        if n == n_wanted:
            break


cdef inline void find_runs(Sample* sample, Py_ssize_t n, const Classed* of) noexcept nogil:
    """Write the runs of the classes that occur in n ascending rows."""
    cdef Py_ssize_t c, i = 0
    sample.n_runs = 0
    for c in range(of.n_classes):
        if i == n:
            break
        if sample.rows[i] < of.edges[c + 1]:
            sample.runs[sample.n_runs] = i
            sample.n_runs += 1
            while i < n and sample.rows[i] < of.edges[c + 1]:
                i += 1
    sample.runs[sample.n_runs] = n


cdef inline void deal_columns(
    uint64_t* state, const int64_t* firsts, Py_ssize_t n_blocks, Py_ssize_t p,
    int64_t* order, int64_t* block_of, int32_t* columns,
) noexcept nogil:
    """Distribute random columns, of p, to blocks; write block b, ascending, to ``columns[firsts[b]:firsts[b + 1]]``.

    `order` and `block_of` are scratch arrays with an entry for each column.
    """
    cdef Py_ssize_t b, i, j
    for i in range(p):
        order[i] = i
        block_of[i] = -1
    for b in range(n_blocks):
        for i in range(firsts[b], firsts[b + 1]):
            j = i + draw_below(state, p - i)
            order[i], order[j] = order[j], order[i]
            block_of[order[i]] = b
    for b in range(n_blocks):
        order[b] = firsts[b]
    for i in range(p):
        b = block_of[i]
        if b >= 0:
            columns[order[b]] = <int32_t> i
            order[b] += 1
