"""Means of the runs of a sample and the scatter within runs, from which directions of a block are computed."""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.algebra cimport LANES, add_lanes, add_products, filled_up
from rotastack.trees.kernel.view_draws cimport Classed, Sample

cdef enum:
    TILE = 64       # number of rows centred at once, which stay in a core's cache


cdef inline double sum_at(const float* values, const int64_t* where, Py_ssize_t n) noexcept nogil:
    """Return the sum of n values, computed in lanes: see `algebra.pxd`."""
    cdef double lanes[LANES]
    cdef double total = 0.0
    cdef Py_ssize_t i = 0, l
    if n >= LANES:
        for l in range(LANES):
            lanes[l] = 0.0
        while i + LANES <= n:
            for l in range(LANES):
                lanes[l] += values[where[i + l]]
            i += LANES
        total = add_lanes(lanes)
    while i < n:
        total += values[where[i]]
        i += 1
    return total


cdef inline void scatter_within(
    const Classed* of, const int32_t* columns, Py_ssize_t k, const Sample* sample,
    double* means, double* tile, double* within,
) noexcept nogil:
    """Write the means (run, column) of k columns, and the scatter about the means to `within`.

    `within` is written on and above the diagonal. The rows of `means`, of `within` and of the scratch `tile` have
    ``filled_up(k)`` numbers; zeros fill the end of a row. `tile` has `TILE` rows.
    """
    cdef Py_ssize_t width = filled_up(k)
    cdef Py_ssize_t n = sample.runs[sample.n_runs]
    cdef Py_ssize_t begin = 0, opening = 0, end, first, last, i, j, r
    cdef const int64_t* rows = sample.rows
    cdef const float* x
    cdef double mean
    for j in range(k):
        x = of.data + columns[j] * of.n_rows
        for r in range(sample.n_runs):
            first = sample.runs[r]
            last = sample.runs[r + 1]
            means[r * width + j] = sum_at(x, rows + first, last - first) / <double> (last - first)
    for r in range(sample.n_runs):
        for j in range(k, width):
            means[r * width + j] = 0.0
    for i in range(width * width):
        within[i] = 0.0
    for i in range(TILE * width):
        tile[i] = 0.0
    while begin < n:
        end = min(begin + TILE, n)
        while sample.runs[opening + 1] <= begin:
            opening += 1
        for j in range(k):
            x = of.data + columns[j] * of.n_rows
            r = opening
            while r < sample.n_runs and sample.runs[r] < end:
                mean = means[r * width + j]
                for i in range(max(begin, sample.runs[r]), min(end, sample.runs[r + 1])):
                    tile[(i - begin) * width + j] = x[rows[i]] - mean
                r += 1
        add_products(tile, width, k, end - begin, within)
        begin = end
