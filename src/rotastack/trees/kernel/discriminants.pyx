"""Views whose outputs are Fisher's linear discriminants, one view for each of many trees."""

from libc.math cimport rint, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from rotastack.trees.kernel.algebra cimport (
    add_multiple, factorize, filled_up, make_unit, orthogonalize, principal_axes, solve_lower, solve_upper,
)
from rotastack.trees.kernel.interrupts cimport pass_by, start_watch
from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.scatter cimport TILE, scatter_within
from rotastack.trees.kernel.structures cimport Watch
from rotastack.trees.kernel.view_draws cimport (
    Classed, Sample, deal_columns, draw_bag, draw_of_bag, find_runs, note_fills, take_classed,
)

import numpy as np

cdef enum:
    N_BLOCKS = 2
    FEW_COLUMNS = 4     # with fewer columns each block has all columns


# Scratch memory for the directions of a block.
cdef struct Directions:
    double* means       # (class, column)
    double* tile
    double* within
    double* between
    double* squares


cdef double* find_directions(
    const Sample* sample, Py_ssize_t k, double shrinkage, Py_ssize_t most, const Directions* scratch, Py_ssize_t* n
) noexcept nogil:
    """Return rows; the first `n` rows are unit directions in the order of decreasing Fisher ratio.

    `means` and `within` of the scratch hold the results of :func:`scatter_within`, and are overwritten.
    """
    cdef double* means = scratch.means
    cdef double* within = scratch.within
    cdef double* between = scratch.between
    cdef double* squares = scratch.squares
    cdef double* axes
    cdef double* x
    cdef const int64_t* runs = sample.runs
    cdef Py_ssize_t n_runs = sample.n_runs
    cdef Py_ssize_t width = filled_up(k)
    cdef Py_ssize_t n_top = max(1, min(min(most, k), n_runs - 1))
    cdef Py_ssize_t i, j, r, t
    cdef double mean_variance = 0.0, overall
    cdef double no_direction = 1e-13    # a Fisher ratio below this share of the largest is rounding
    for j in range(k):
        mean_variance += within[j * width + j] / <double> k
    if mean_variance == 0.0:
        mean_variance = 1.0
    for i in range(k):
        within[i * width + i] = (1.0 - shrinkage) * within[i * width + i] + shrinkage * mean_variance
        for j in range(i + 1, k):
            within[i * width + j] *= 1.0 - shrinkage
    factorize(within, width, k, shrinkage * mean_variance * 1e-3)
    for j in range(k):
        overall = 0.0
        for r in range(n_runs):
            overall += means[r * width + j] * <double> (runs[r + 1] - runs[r]) / <double> runs[n_runs]
        for r in range(n_runs):
            means[r * width + j] = (means[r * width + j] - overall) * sqrt(<double> (runs[r + 1] - runs[r]))
    for r in range(n_runs):     # from here on, `means` holds whitened means
        solve_lower(within, width, k, means + r * width)
    if n_runs > k:
        axes = between
        for i in range(k * width):
            between[i] = 0.0
        for r in range(n_runs):
            x = means + r * width
            for i in range(k):
                add_multiple(between + i * width + i, x[i], x + i, k - i)
        principal_axes(between, width, k, squares, n_top)
    else:
        axes = means
        if n_runs > 2:
            orthogonalize(means, width, n_runs, squares, n_top)
    while n_top > 1 and squares[n_top - 1] <= no_direction * squares[0]:
        n_top -= 1
    for t in range(n_top):
        solve_upper(within, width, k, axes + t * width)
        if not make_unit(axes + t * width, k):      # the class means are equal
            axes[t * width] = 1.0
    n[0] = n_top
    return axes


def discriminant_views(
    const float[:, ::1] data, const uint8_t[::1] missing, const int64_t[::1] places, const int64_t[::1] edges, const double[::1] ends,
    int64_t bag_size, const uint64_t[::1] bag_seeds, const uint64_t[::1] view_seeds,
    Py_ssize_t max_columns, double share, double shrinkage, Py_ssize_t max_directions, const uint8_t[::1] stop=None,
):
    """Return views whose outputs are Fisher's discriminants of random blocks of the columns.

    The discriminants of a tree are computed from a `share` of the rows in its bag: see
    :class:`rotastack.trees.bagged_views.BaggedViews`, which describes the arguments. `ends` and `bag_size` are the rule
    for bags, seeds are uint64 (n_trees,). KeyboardInterrupt is raised on Ctrl-C, or soon after another thread has set
    the entry of `stop` to 1.

    Returns the number of parts of each view, and the arrays of :class:`rotastack.trees.LinearViews`: parts, columns,
    matrices, fills.
    """
    cdef Classed table
    cdef Py_ssize_t p = data.shape[0], n = data.shape[1], n_classes = edges.shape[0] - 1
    cdef Py_ssize_t n_trees = bag_seeds.shape[0]
    cdef Py_ssize_t size = p if p < FEW_COLUMNS else min((p + N_BLOCKS - 1) // N_BLOCKS, max_columns)
    cdef Py_ssize_t width = filled_up(size)
    cdef Py_ssize_t widest = max(1, min(min(n_classes - 1, size), max_directions))
    cdef int64_t firsts[N_BLOCKS + 1]
    cdef list kept = []
    cdef int64_t* bag = <int64_t*> take(kept, n, sizeof(int64_t))
    cdef int64_t* order = <int64_t*> take(kept, p, sizeof(int64_t))
    cdef int64_t* block_of = <int64_t*> take(kept, p, sizeof(int64_t))
    cdef Sample sample
    cdef Directions scratch
    cdef Watch watch
    cdef uint64_t state
    cdef Py_ssize_t tree, b, i, t, k, n_bag, n_wanted, n_out, n_numbers = 0
    cdef double* axes
    take_classed(kept, data, missing, places, edges, ends, bag_size, &table)
    start_watch(&watch, stop)
    sample.rows = <int64_t*> take(kept, n, sizeof(int64_t))
    sample.runs = <int64_t*> take(kept, n_classes + 1, sizeof(int64_t))
    scratch.means = <double*> take(kept, n_classes * width, sizeof(double))
    scratch.tile = <double*> take(kept, TILE * width, sizeof(double))
    scratch.within = <double*> take(kept, width * width, sizeof(double))
    scratch.between = <double*> take(kept, size * width, sizeof(double))
    scratch.squares = <double*> take(kept, size, sizeof(double))
    for b in range(N_BLOCKS + 1):
        firsts[b] = b * size if p < FEW_COLUMNS else min(b * size, p)
    n_columns = n_trees * firsts[N_BLOCKS]
    found = (
        np.full(n_trees, N_BLOCKS), np.empty((n_trees * N_BLOCKS, 4), np.int64), np.empty(n_columns, np.int32),
        np.empty(n_columns * widest, np.float32), np.empty(n_columns if len(missing) else 0, np.float32),
    )
    cdef int64_t[:, ::1] parts = found[1]
    cdef int32_t[::1] columns = found[2]
    cdef float[::1] matrices = found[3], fills = found[4]
    cdef int32_t* mine
    with nogil:
        for tree in range(n_trees):
            pass_by(&watch, n)
            mine = &columns[tree * firsts[N_BLOCKS]]
            n_bag = draw_bag(bag_seeds[tree], &table, bag)
            state = view_seeds[tree]
            if p < FEW_COLUMNS:
                for i in range(firsts[N_BLOCKS]):
                    mine[i] = <int32_t> (i % p)
            else:
                deal_columns(&state, firsts, N_BLOCKS, p, order, block_of, mine)
            if len(missing):
                note_fills(&table, mine, firsts[N_BLOCKS], &fills[tree * firsts[N_BLOCKS]])
            for b in range(N_BLOCKS):
                k = firsts[b + 1] - firsts[b]
                n_wanted = min(n_bag, max(2, <Py_ssize_t> rint(share * <double> n_bag)))
                draw_of_bag(&state, bag, n_bag, n_wanted, sample.rows)
                find_runs(&sample, n_wanted, &table)
                if sample.n_runs == 1:
                    draw_of_bag(&state, bag, n_bag, n_bag, sample.rows)
                    find_runs(&sample, n_bag, &table)
                pass_by(&watch, sample.runs[sample.n_runs] * k * (1 + k // 32))
                scatter_within(&table, mine + firsts[b], k, &sample, scratch.means, scratch.tile, scratch.within)
                axes = find_directions(&sample, k, shrinkage, max_directions, &scratch, &n_out)
                i = tree * N_BLOCKS + b
                parts[i, 0], parts[i, 1] = tree * firsts[N_BLOCKS] + firsts[b], k
                parts[i, 2], parts[i, 3] = n_numbers, n_out
                for i in range(k):
                    for t in range(n_out):
                        matrices[n_numbers] = <float> axes[t * filled_up(k) + i]
                        n_numbers += 1
    return *found[:3], found[3][:n_numbers].copy(), found[4]
