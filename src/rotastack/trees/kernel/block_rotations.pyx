"""Views that rotate random blocks of the columns, one view for each of many trees."""

from libc.math cimport rint, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from rotastack.trees.kernel.algebra cimport filled_up, make_unit, principal_axes
from rotastack.trees.kernel.elementary cimport LN_2, cos_turns, log2
from rotastack.trees.kernel.interrupts cimport pass_by, start_watch
from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.randomness cimport draw_below, draw_bits, draw_unit
from rotastack.trees.kernel.scatter cimport TILE, scatter_within
from rotastack.trees.kernel.structures cimport Watch
from rotastack.trees.kernel.view_draws cimport (
    Classed, Sample, deal_columns, draw_bag, find_runs, note_fills, take_classed,
)

import numpy as np


cdef Py_ssize_t draw_of_classes(
    uint64_t* state, const Sample* bag, double ratio, int64_t* kept, int64_t* drawn
) noexcept nogil:
    """Draw with replacement from the rows of a random nonempty subset of the classes; return the number of draws.

    The number of draws is `ratio` times the number of these rows. `kept` is a scratch array with an entry for each row
    in the bag.
    """
    cdef Py_ssize_t n_kept = 0, n, r, i
    while n_kept == 0:
        for r in range(bag.n_runs):
            if draw_bits(state) >> 63:
                for i in range(bag.runs[r], bag.runs[r + 1]):
                    kept[n_kept] = bag.rows[i]
                    n_kept += 1
    n = max(1, <Py_ssize_t> rint(ratio * <double> n_kept))
    for i in range(n):
        drawn[i] = kept[draw_below(state, n_kept)]
    return n


def principal_views(
    const float[:, ::1] data, const uint8_t[::1] missing, const int64_t[::1] places, const int64_t[::1] edges, const double[::1] ends,
    int64_t bag_size, const uint64_t[::1] bag_seeds, const uint64_t[::1] view_seeds,
    Py_ssize_t n_blocks, double ratio, const uint8_t[::1] stop=None,
):
    """Return views that rotate random blocks of the columns to their principal axes, the longest first.

    There are `n_blocks` blocks; their sizes differ by at most one, and larger blocks come first. The axes of a block are
    computed from a sample of the bag's distinct rows in the drawn classes, with replacement; `ratio` is its share of
    these rows. :func:`rotastack.trees.kernel.discriminants.discriminant_views` describes the arrays.
    """
    cdef Classed table
    cdef Py_ssize_t p = data.shape[0], n = data.shape[1]
    cdef Py_ssize_t n_trees = bag_seeds.shape[0]
    cdef Py_ssize_t size = (p + n_blocks - 1) // n_blocks
    cdef Py_ssize_t width = filled_up(size)
    cdef list kept = []
    cdef int64_t* firsts = <int64_t*> take(kept, n_blocks + 1, sizeof(int64_t))
    cdef int64_t* of_classes = <int64_t*> take(kept, n, sizeof(int64_t))
    cdef int64_t* order = <int64_t*> take(kept, p, sizeof(int64_t))
    cdef int64_t* block_of = <int64_t*> take(kept, p, sizeof(int64_t))
    cdef double* means = <double*> take(kept, width, sizeof(double))
    cdef double* tile = <double*> take(kept, TILE * width, sizeof(double))
    cdef double* products = <double*> take(kept, width * width, sizeof(double))
    cdef double* squares = <double*> take(kept, size, sizeof(double))
    cdef int64_t whole[2]
    cdef Sample bag, drawn
    cdef Watch watch
    cdef uint64_t state
    cdef Py_ssize_t tree, b, i, k, t, n_bag, at = 0
    take_classed(kept, data, missing, places, edges, ends, bag_size, &table)
    start_watch(&watch, stop)
    bag.rows = <int64_t*> take(kept, n, sizeof(int64_t))
    bag.runs = <int64_t*> take(kept, table.n_classes + 1, sizeof(int64_t))
    drawn.rows = <int64_t*> take(kept, max(1, <Py_ssize_t> rint(ratio * <double> n) + 1), sizeof(int64_t))
    drawn.runs = whole
    drawn.n_runs = 1
    firsts[0] = whole[0] = 0
    for b in range(n_blocks):
        k = p // n_blocks + (b < p % n_blocks)
        firsts[b + 1] = firsts[b] + k
        at += k * k
    found = (
        np.full(n_trees, n_blocks), np.empty((n_trees * n_blocks, 4), np.int64), np.empty(n_trees * p, np.int32),
        np.empty(n_trees * at, np.float32), np.empty(n_trees * p if len(missing) else 0, np.float32),
    )
    cdef int64_t[:, ::1] parts = found[1]
    cdef int32_t[::1] columns = found[2]
    cdef float[::1] matrices = found[3], fills = found[4]
    at = 0
    with nogil:
        for tree in range(n_trees):
            pass_by(&watch, n)
            n_bag = draw_bag(bag_seeds[tree], &table, bag.rows)
            find_runs(&bag, n_bag, &table)
            state = view_seeds[tree]
            deal_columns(&state, firsts, n_blocks, p, order, block_of, &columns[tree * p])
            if len(missing):
                note_fills(&table, &columns[tree * p], p, &fills[tree * p])
            for b in range(n_blocks):
                k = firsts[b + 1] - firsts[b]
                whole[1] = draw_of_classes(&state, &bag, ratio, of_classes, drawn.rows)
                pass_by(&watch, whole[1] * k * (1 + k // 32))
                scatter_within(&table, &columns[tree * p + firsts[b]], k, &drawn, means, tile, products)
                principal_axes(products, filled_up(k), k, squares, k)
                i = tree * n_blocks + b
                parts[i, 0], parts[i, 1] = tree * p + firsts[b], k
                parts[i, 2], parts[i, 3] = at, k
                for t in range(k):
                    make_unit(products + t * filled_up(k), k)
                for i in range(k):
                    for t in range(k):
                        matrices[at] = <float> products[t * filled_up(k) + i]
                        at += 1
    return found


cdef double draw_normal(uint64_t* state) noexcept nogil:
    """Return a draw from the standard normal distribution (Box and Muller)."""
    cdef double length = sqrt(-2.0 * LN_2 * log2(1.0 - draw_unit(state)))
    return length * cos_turns(draw_unit(state))


cdef void draw_rotation(uint64_t* state, Py_ssize_t k, double* direction, double* rotation) noexcept nogil:
    """Write a random k x k rotation matrix of the uniform (Haar) distribution; `direction` is scratch.

    The matrix is a product of Householder reflections, as in the QR decomposition of a Gaussian matrix, starting from
    the smallest subspace: each reflection maps the first axis of its subspace to a uniform direction.
    """
    cdef Py_ssize_t first, i, j
    cdef double rest, length, norm, along
    for i in range(k * k):
        rotation[i] = 0.0
    for i in range(k):
        rotation[i * k + i] = 1.0
    for first in range(k - 2, -1, -1):
        rest = 0.0
        for i in range(first, k):
            direction[i] = draw_normal(state)
            if i > first:
                rest += direction[i] * direction[i]
        length = sqrt(direction[first] * direction[first] + rest)
        if direction[first] > 0.0:
            direction[first] = -rest / (direction[first] + length)
        else:
            direction[first] -= length
        norm = direction[first] * direction[first] + rest
        for j in range(first, k):
            along = 0.0
            for i in range(first, k):
                along += direction[i] * rotation[i * k + j]
            for i in range(first, k):
                rotation[i * k + j] -= 2.0 * along / norm * direction[i]
    if k % 2 == 0:      # after an odd number of reflections the determinant is -1
        for i in range(k):
            rotation[i * k] = -rotation[i * k]


def sparse_views(Py_ssize_t p, const uint64_t[::1] view_seeds, Py_ssize_t least, Py_ssize_t most):
    """Return views that rotate random blocks of `least` to `most` of p columns, each by a Haar rotation.

    The last block may be smaller.
    """
    cdef Py_ssize_t n_trees = view_seeds.shape[0]
    cdef Py_ssize_t at_most = (p + least - 1) // least
    cdef list kept = []
    cdef int64_t* firsts = <int64_t*> take(kept, at_most + 1, sizeof(int64_t))
    cdef double* direction = <double*> take(kept, most, sizeof(double))
    cdef double* rotation = <double*> take(kept, most * most, sizeof(double))
    cdef int64_t* order = <int64_t*> take(kept, p, sizeof(int64_t))
    cdef int64_t* block_of = <int64_t*> take(kept, p, sizeof(int64_t))
    found = (
        np.empty(n_trees, np.int64), np.empty((n_trees * at_most, 4), np.int64), np.empty(n_trees * p, np.int32),
        np.empty(n_trees * p * most, np.float32),
    )
    cdef int64_t[::1] starts = found[0]
    cdef int64_t[:, ::1] parts = found[1]
    cdef int32_t[::1] columns = found[2]
    cdef float[::1] matrices = found[3]
    cdef uint64_t state
    cdef Py_ssize_t tree, b, i, k, n_blocks, n_parts = 0, at = 0
    firsts[0] = 0
    with nogil:
        for tree in range(n_trees):
            state = view_seeds[tree]
            n_blocks = 0
            while firsts[n_blocks] < p:
                firsts[n_blocks + 1] = min(p, firsts[n_blocks] + least + draw_below(&state, most - least + 1))
                n_blocks += 1
            deal_columns(&state, firsts, n_blocks, p, order, block_of, &columns[tree * p])
            starts[tree] = n_blocks
            for b in range(n_blocks):
                k = firsts[b + 1] - firsts[b]
                draw_rotation(&state, k, direction, rotation)
                parts[n_parts, 0], parts[n_parts, 1] = tree * p + firsts[b], k
                parts[n_parts, 2], parts[n_parts, 3] = at, k
                n_parts += 1
                for i in range(k * k):
                    matrices[at] = <float> rotation[i]
                    at += 1
    return found[0], found[1][:n_parts].copy(), found[2], found[3][:at].copy()
