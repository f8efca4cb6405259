"""The nearest training row of each row, compiled."""

import numpy as np

from rotastack.trees.kernel.compiling import compiled_freely, entry_point

__all__ = ["TILE", "nearest_rows"]

TILE = 512
"""Training rows looked at together: their products stay in the first cache."""


@compiled_freely
def _tile_products(Z, start, table, halves, sums):
    """Fill `sums` with the products of four rows and a tile, less half of the tile's squared lengths."""
    n, width = Z.shape
    for k in range(TILE):
        sums[0, k] = sums[1, k] = sums[2, k] = sums[3, k] = -halves[k]
    for j in range(width):
        z0 = np.float32(Z[start, j])
        z1 = np.float32(Z[min(start + 1, n - 1), j])
        z2 = np.float32(Z[min(start + 2, n - 1), j])
        z3 = np.float32(Z[min(start + 3, n - 1), j])
        for k in range(TILE):
            t = table[j, k]
            sums[0, k] += z0 * t
            sums[1, k] += z1 * t
            sums[2, k] += z2 * t
            sums[3, k] += z3 * t


@compiled_freely
def _largest(values):
    largest = values[0]
    for k in range(TILE):
        largest = max(largest, values[k])
    return largest


@entry_point
def nearest_rows(Z, slack, rows, table, halves):
    """Return the first of the training rows that are nearest to each row.

    Parameters
    ----------
    Z : ndarray of float64 of shape (n, width)
    slack : ndarray of float32 of shape (n,)
        How much a product in single precision, less half a squared length, may be off.
    rows : ndarray of float64 of shape (m, width)
        Training rows.
    table : ndarray of float32 of shape (n_tiles, width, TILE)
        The same, tile by tile, column by column.
    halves : ndarray of float32 of shape (n_tiles, TILE)
        Half of their squared lengths; a huge number where there is no row.
    """
    n, width = Z.shape
    n_tiles = len(table)
    nearest = np.empty(n, np.int64)
    best_of = np.empty((4, n_tiles), np.float32)
    sums = np.empty((4, TILE), np.float32)
    for start in range(0, n, 4):
        count = min(4, n - start)
        for tile in range(n_tiles):
            _tile_products(Z, start, table[tile], halves[tile], sums)
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
