"""Random draws for views that are fitted to a tree's bag: bags, samples and blocks of columns."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from rotastack.trees.kernel.randomness cimport draw_below, draw_bootstrap


# Rows sorted by class, and the rule for drawing bags. `data` has the axes (column, place); the rows of class c have the
# places edges[c] to edges[c + 1] - 1. places[row] is the place of a row. Bags are drawn from `places`, by the rule of
# `draw_bootstrap`.
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


# Some of the rows, and the starts of their runs (rows of one class); runs[n_runs] is the number of rows.
cdef struct Sample:
    int64_t* rows
    int64_t* runs
    Py_ssize_t n_runs


cdef inline Classed classed(
    const float[:, ::1] data, const int64_t[::1] places, const int64_t[::1] edges, const double[::1] ends, int64_t size
) noexcept:
    """Return the structure of an entry point's arguments."""
    cdef Classed table
    table.data = &data[0, 0]
    table.n_columns = data.shape[0]
    table.n_rows = data.shape[1]
    table.places = &places[0]
    table.edges = &edges[0]
    table.n_classes = edges.shape[0] - 1
    table.ends = &ends[0]
    table.n_ends = ends.shape[0]
    table.size = size
    return table


cdef inline Py_ssize_t draw_bag(
    uint64_t* state, const Classed* rows, int32_t* counts, int64_t* bag
) noexcept nogil:
    """Write the places of the distinct rows in a bag, ascending; return their number."""
    cdef Py_ssize_t place, n_bag = 0
    for place in range(rows.n_rows):
        counts[place] = 0
    draw_bootstrap(state, rows.places, rows.n_rows, rows.ends, rows.n_ends, rows.size, counts)
    for place in range(rows.n_rows):
        bag[n_bag] = place
        n_bag += counts[place] > 0
    return n_bag


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
