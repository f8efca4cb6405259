"""The nearest training row of each row."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.structures cimport Watch
from rotastack.trees.kernel.wide cimport wide_void

import numpy as np

__all__ = ["TILE", "nearest_rows"]

cdef enum:
    ROWS = 64
    TOGETHER = 4

TILE = ROWS
"""Number of training rows that are compared together, so that their sums stay in registers."""


cdef inline wide_void find_largest(
    const float* z, const float* tile, const float* halves, Py_ssize_t width, float* largest
) noexcept nogil:
    """Write, for each of four rows, the largest dot product with a row of the tile less half its squared length.

    `z` has the axes (column, row). Each sum starts from the negative half squared length and runs over the columns in
    order.
    """
    cdef float sums0[ROWS]
    cdef float sums1[ROWS]
    cdef float sums2[ROWS]
    cdef float sums3[ROWS]
    cdef Py_ssize_t i, j, half
    cdef float z0, z1, z2, z3
    for i in range(ROWS):
        sums0[i] = sums1[i] = sums2[i] = sums3[i] = -halves[i]
    for j in range(width):
        z0, z1, z2, z3 = z[0], z[1], z[2], z[3]
        for i in range(ROWS):
            sums0[i] += z0 * tile[i]
            sums1[i] += z1 * tile[i]
            sums2[i] += z2 * tile[i]
            sums3[i] += z3 * tile[i]
        z += TOGETHER
        tile += ROWS
    half = ROWS // 2
    while half > 0:
        for i in range(half):
            sums0[i] = max(sums0[i], sums0[half + i])
            sums1[i] = max(sums1[i], sums1[half + i])
            sums2[i] = max(sums2[i], sums2[half + i])
            sums3[i] = max(sums3[i], sums3[half + i])
        half //= 2
    largest[0], largest[1], largest[2], largest[3] = sums0[0], sums1[0], sums2[0], sums3[0]


cdef inline wide_void find_distances(
    const double* z, const double* tile, Py_ssize_t width, double* distances
) noexcept nogil:
    """Write the squared distances of a row from the rows of a tile, summed over the columns in order."""
    cdef double sums[ROWS]
    cdef double d
    cdef Py_ssize_t i, j
    for i in range(ROWS):
        sums[i] = 0.0
    for j in range(width):
        for i in range(ROWS):
            d = z[j] - tile[i]
            sums[i] += d * d
        tile += ROWS
    for i in range(ROWS):
        distances[i] = sums[i]


def nearest_rows(
    const double[:, ::1] Z, const float[::1] slack, const double[::1] centre,
    const double[:, :, ::1] rows, Py_ssize_t n_rows, const float[:, :, ::1] table, const float[:, ::1] halves,
):
    """Return the number of the nearest training row of each row; among equally near rows, the first.

    Parameters
    ----------
    Z : ndarray of float64 of shape (n, width)
    slack : ndarray of float32 of shape (n,)
        Largest error of a dot product less half a squared length in single precision.
    centre : ndarray of float64 of shape (width,)
        Subtracted before the conversion to single precision, which has too few digits for rows far from 0.
    rows : ndarray of float64 of shape (n_tiles, width, TILE)
        Training rows, tile by tile, column by column.
    n_rows : int
        Number of training rows; further rows of the last tile are ignored.
    table : ndarray of float32 of shape (n_tiles, width, TILE)
        `rows` less `centre`.
    halves : ndarray of float32 of shape (n_tiles, TILE)
        Half of the squared lengths of the rows of `table`; a huge number where the last tile has no row.
    """
    cdef Py_ssize_t n = Z.shape[0], width = Z.shape[1], n_tiles = rows.shape[0]
    cdef Py_ssize_t start, r, j, tile, t, found
    cdef float least
    cdef double best
    cdef double distances[ROWS]
    cdef Watch watch
    cdef list kept = []
    cdef float* largest = <float*> take(kept, n_tiles * TOGETHER, sizeof(float))
    cdef float* z = <float*> take(kept, width * TOGETHER, sizeof(float))
    cdef int64_t[::1] nearest = np.empty(n, np.int64)
    watch.n_values = 0
    watch.stop = NULL
    with nogil:
        for start in range(0, n, 4):
            pass_by(&watch, n_tiles * width * (TOGETHER * ROWS // 16))
            for r in range(TOGETHER):   # with fewer rows, the last row is repeated
                for j in range(width):
                    z[j * TOGETHER + r] = <float> (Z[min(start + r, n - 1), j] - centre[j])
            for tile in range(n_tiles):
                find_largest(z, &table[tile, 0, 0], &halves[tile, 0], width, largest + tile * TOGETHER)
            for r in range(min(<Py_ssize_t> TOGETHER, n - start)):
                least = largest[r]
                for tile in range(1, n_tiles):
                    least = max(least, largest[tile * TOGETHER + r])
                least -= slack[start + r]
                best = INFINITY
                found = 0
                for tile in range(n_tiles):
                    if largest[tile * TOGETHER + r] < least:
                        continue
                    find_distances(&Z[start + r, 0], &rows[tile, 0, 0], width, distances)
                    for t in range(min(<Py_ssize_t> ROWS, n_rows - tile * ROWS)):
                        if distances[t] < best:
                            best = distances[t]
                            found = tile * ROWS + t
                nearest[start + r] = found
    return np.asarray(nearest)
