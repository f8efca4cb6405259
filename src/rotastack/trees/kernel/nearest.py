"""The nearest training row of each row, compiled."""

import numpy as np

from rotastack.trees.kernel.compiling import compiled_freely, entry_point

__all__ = ["TILE", "nearest_rows"]

TILE = 128
"""Training rows looked at together, a multiple of eight: their products stay in the first cache."""


@compiled_freely
def _tile_products(z, table, halves, sums):
    """Fill `sums` with the products of four rows and a tile, less half of the tile's squared lengths.

    Columns are taken four at a time, which saves three of four passes over the sums.
    """
    for k in range(TILE):
        sums[0, k] = sums[1, k] = sums[2, k] = sums[3, k] = -halves[k]
    for j in range(0, len(table), 4):
        for r in range(4):  # locals: for all the compiler knows, sums may be z
            z0, z1, z2, z3 = z[r, j], z[r, j + 1], z[r, j + 2], z[r, j + 3]
            for k in range(TILE):
                sums[r, k] += (
                    z0 * table[j, k] + z1 * table[j + 1, k] + z2 * table[j + 2, k] + z3 * table[j + 3, k]
                )


@compiled_freely
def _largest(values):
    """Return the largest of TILE values; eight at a time, as compilers do sums but not maxima."""
    m0, m1, m2, m3 = values[0], values[1], values[2], values[3]
    m4, m5, m6, m7 = values[4], values[5], values[6], values[7]
    for k in range(8, TILE, 8):
        m0, m1 = max(m0, values[k]), max(m1, values[k + 1])
        m2, m3 = max(m2, values[k + 2]), max(m3, values[k + 3])
        m4, m5 = max(m4, values[k + 4]), max(m5, values[k + 5])
        m6, m7 = max(m6, values[k + 6]), max(m7, values[k + 7])
    return max(max(max(m0, m1), max(m2, m3)), max(max(m4, m5), max(m6, m7)))


@entry_point
def nearest_rows(Z, slack, centre, rows, table, halves):
    """Return the first of the training rows that are nearest to each row.

    Parameters
    ----------
    Z : ndarray of float64 of shape (n, width)
    slack : ndarray of float32 of shape (n,)
        How much a product in single precision, less half a squared length, may be off.
    centre : ndarray of float64 of shape (width,)
        What is subtracted before single precision: it has too few digits for rows far from 0.
    rows : ndarray of float64 of shape (m, width)
        Training rows.
    table : ndarray of float32 of shape (n_tiles, padded, TILE)
        The same less the centre, tile by tile, column by column, and columns of zeros up to a multiple of four.
    halves : ndarray of float32 of shape (n_tiles, TILE)
        Half of their squared lengths; a huge number where there is no row.
    """
    n, width = Z.shape
    n_tiles = len(table)
    nearest = np.empty(n, np.int64)
    best_of = np.empty((4, n_tiles), np.float32)
    sums = np.empty((4, TILE), np.float32)
    z = np.zeros((4, table.shape[1]), np.float32)
    for start in range(0, n, 4):
        count = min(4, n - start)
        for r in range(count):
            for j in range(width):
                z[r, j] = Z[start + r, j] - centre[j]
        for tile in range(n_tiles):
            _tile_products(z, table[tile], halves[tile], sums)
            for r in range(count):
                best_of[r, tile] = _largest(sums[r])
        for r in range(count):
            i = start + r
            least = best_of[r].max() - slack[i]
            best, found = np.inf, 0
            for tile in range(n_tiles):
                if best_of[r, tile] < least:
                    continue
                for t in range(tile * TILE, min((tile + 1) * TILE, len(rows))):
                    distance = 0.0
                    for j in range(width):
                        d = Z[i, j] - rows[t, j]
                        distance += d * d
                    if distance < best:
                        best, found = distance, t
            nearest[i] = found
    return nearest
