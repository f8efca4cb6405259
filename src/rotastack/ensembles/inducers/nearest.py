"""The nearest-neighbour classifier on many linear views of the same rows."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.ensembles.inducers.inducer import Inducer, apply_view
from rotastack.trees.kernel.nearest import TILE, nearest_rows

__all__ = ["NearestNeighborClassifier"]


class _NearestRows(NamedTuple):
    X: NDArray[np.float64]
    y: NDArray[np.intp]


class _NearestMember(NamedTuple):
    V: NDArray[np.float64] | None
    scale: float  # a power of two, so scaling does not round; keeps squares far from 0 and infinity
    centre: NDArray[np.float64]
    rows: NDArray[np.float64]  # scaled training rows after the view, in tiles: (tile, width, row)
    table: NDArray[np.float32]  # these rows minus the centre, in tiles: (tile, width, row)
    halves: NDArray[np.float32]  # half of the squared length of each row of `table`, (tile, row)
    reach: float  # largest length of a row of `table`
    y: NDArray[np.intp]


class NearestNeighborClassifier(Inducer):
    """A classifier that gives each row the class of its nearest training row; of equally near rows, the first.

    ``||z - t||^2 / 2`` is ``||z||^2 / 2 - (z . t - ||t||^2 / 2)``. Products in single precision exclude the tiles
    of training rows that cannot hold the nearest row, even with rounding errors. One tile is left in most cases.
    Distances in double precision decide within the tiles left.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Aha, D. W., Kibler, D., Albert, M. K. (1991). Instance-based learning algorithms (IB1), without its
    scaling of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NearestNeighborClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    0.96
    """

    def _shared(self, X, y, n_classes):
        return _NearestRows(X, y)

    def _member(self, shared, V):
        rows = apply_view(shared.X, V)
        extent = np.ptp(rows, axis=0).max()
        scale = math.ldexp(1.0, -max(math.frexp(extent)[1], -1000))
        rows = rows * scale
        centre = rows.mean(axis=0)
        centred = rows - centre
        squares = np.einsum("ij,ij->i", centred, centred)
        n_tiles = -(-len(rows) // TILE)
        tiles = np.zeros((2, n_tiles * TILE, rows.shape[1]))
        tiles[:, : len(rows)] = rows, centred
        tiled, table = np.ascontiguousarray(tiles.reshape(2, n_tiles, TILE, -1).swapaxes(2, 3))
        halves = np.full(n_tiles * TILE, np.finfo(np.float32).max / 4)
        halves[: len(rows)] = squares / 2
        reach = float(np.sqrt(squares.max(initial=0.0)))
        halves = halves.astype(np.float32).reshape(n_tiles, TILE)
        return _NearestMember(V, scale, centre, tiled, table.astype(np.float32), halves, reach, shared.y)

    def _outputs(self, member, X, n_classes):
        with np.errstate(over="ignore"):  # an infinite slack is valid: every tile is then searched
            Z = np.ascontiguousarray(apply_view(X.astype(np.float64), member.V)) * member.scale
            lengths = np.linalg.norm(Z - member.centre, axis=1)
            # The slack is twice the bound of the rounding error of a sum of `width` products and a half, factors
            # included: at most width + 3 roundings of each term, in each of the two compared sums. For a distant row
            # z, training rows at equal distances in double precision count as equally near.
            slack = np.finfo(np.float32).eps * member.reach * (lengths + member.reach)
            slack += np.finfo(np.float64).eps * lengths**2
            slack = (2 * (Z.shape[1] + 4) * slack).astype(np.float32)
        nearest = nearest_rows(Z, slack, member.centre, member.rows, len(member.y), member.table, member.halves)
        return np.eye(n_classes, dtype=np.float32)[member.y[nearest]]
