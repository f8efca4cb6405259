"""Locality sensitive discriminant analysis (Cai et al. 2007)."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from rotastack.base.scikit import Interval
from rotastack.views.linear import FittedView
from rotastack.views.subsets import signed

__all__ = ["LocalityDiscriminantAnalysis", "locality_directions", "nearest_neighbors"]


_AT_ONCE = 1 << 20  # distances held at once where many are equal


class LocalityDiscriminantAnalysis(FittedView):
    """Axes on which neighbours of one class lie close together, and those of different classes apart.

    Two rows are joined in the within-class graph if they are of one class and one is among the
    nearest neighbours of the other, in the between-class graph if they are of different classes.
    The axes are the generalised eigenvectors of largest eigenvalue of
    ``X' (alpha L_b + (1 - alpha) V_s) X v = lambda X' Q_s X v``, with X centred, V_s the adjacency of
    the within-class graph, Q_s the diagonal of its degrees, and L_b the Laplacian of the other.

    Parameters
    ----------
    n_neighbors : int, default=5
        e; the source states none. Euclidean, ties by row number; a row is not its own neighbour.
    alpha : float, default=0.1
        Weight of the between-class graph (p in the source, which states no value; this is the
        one of its authors' reference code).

    Attributes
    ----------
    rotation_ : ndarray of shape (n_features, n_features)
        Axes in columns, of norm 1, their largest absolute entry positive, by decreasing eigenvalue;
        completed by an orthonormal basis of the complement of the rows' span. A change of basis, not
        orthogonal. ``transform(X) == (X - mean_) @ rotation_``.
    mean_ : ndarray of shape (n_features,)
    eigenvalues_ : ndarray of shape (rank,)

    Notes
    -----
    The right side is singular if there are more columns than rows, or rows without neighbours of
    their class: both sides are restricted to the span of the rows, and 1e-6 of the mean diagonal is
    added to the right one.

    References
    ----------
    Cai, D., He, X., Zhou, K., Han, J. and Bao, H. (2007). Locality sensitive discriminant analysis.
    IJCAI. Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, equations 4 to 10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.views import LocalityDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> LocalityDiscriminantAnalysis().fit(X, y).rotation_[:, 0].round(1)
    array([ 0.2, -0.2,  0.8,  0.5])
    """

    _fitted_attribute = "rotation_"
    _needs_classes = True
    _parameter_constraints: ClassVar[dict] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, n_neighbors: int = 5, alpha: float = 0.1):
        self.n_neighbors = n_neighbors
        self.alpha = alpha

    def _find(self, X, y):
        codes = np.unique(y, return_inverse=True)[1]
        self.rotation_, self.eigenvalues_ = locality_directions(X, codes, self.n_neighbors, self.alpha)


def locality_directions(
    X: NDArray[np.float64], y: NDArray[np.integer], n_neighbors: int, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the axes in columns, and the eigenvalues of as many of them as the rows span.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Centred.
    y : ndarray of int of shape (n_rows,)
    n_neighbors : int
        All other rows, if there are fewer.
    alpha : float
    """
    spanned, rest = _range(X)
    Z = X @ spanned
    if not Z.shape[1]:
        return np.eye(X.shape[1]), np.empty(0)
    within, between = _graphs(X, y, n_neighbors)
    degrees = within.sum(axis=1)
    scatter = Z.T @ (Z * between.sum(axis=1)[:, None]) - Z.T @ (between @ Z)
    left = alpha * scatter + (1 - alpha) * (Z.T @ (within @ Z))
    right = Z.T @ (Z * degrees[:, None])
    # Without any edge within a class the right side is 0: the ridge leaves the axes of the left one.
    ridge = 1e-6 * np.trace(right) / len(right) or 1.0
    values, vectors = eigh((left + left.T) / 2, right + ridge * np.eye(len(right)))
    axes = spanned @ vectors[:, ::-1]
    axes /= np.linalg.norm(axes, axis=0)
    return np.hstack([signed(axes), rest]), values[::-1]


def nearest_neighbors(X: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """Return the `k` nearest other rows of each row, (row, k); of equally near ones those of lowest number.

    Distances that differ in the tenth digit of the largest value only are equal: scaled decimals
    are as near as the decimals were.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    k : int
        Less than the number of rows.
    """
    n = len(X)
    unit = np.abs(X).max() or 1.0
    tree = cKDTree(X, balanced_tree=False, compact_nodes=False)
    neighbors = np.empty((n, k), dtype=np.intp)
    pending, asked = np.arange(n), min(n, k + 2)
    while len(pending):
        tied = []
        step = max(1, _AT_ONCE // asked)
        for rows in (pending[start : start + step] for start in range(0, len(pending), step)):
            distances, found = tree.query(X[rows], asked)
            distances = (distances / unit).round(10)
            distances[found == rows[:, None]] = np.inf
            order = np.lexsort((found, distances), axis=1)
            distances = np.take_along_axis(distances, order, axis=1)
            neighbors[rows] = np.take_along_axis(found, order, axis=1)[:, :k]
            # Rows not asked for may be as near as the last one found; infinity is the row itself.
            last = np.where(np.isinf(distances[:, -1]), distances[:, -2], distances[:, -1])
            tied.append(rows[distances[:, k - 1] >= last] if asked < n else rows[:0])
        pending, asked = np.concatenate(tied), min(n, 4 * asked)
    return neighbors


def _graphs(X, y, n_neighbors):
    """Return the adjacency of the graphs within and between classes."""
    n = len(X)
    k = min(n_neighbors, n - 1)
    neighbors = nearest_neighbors(X, k) if k else np.empty((n, 0), dtype=np.intp)
    rows = np.repeat(np.arange(n), k)
    columns = neighbors.ravel()
    same = y[rows] == y[columns]
    graphs = []
    for mine in (same, ~same):
        ends = np.concatenate([rows[mine], columns[mine]]), np.concatenate([columns[mine], rows[mine]])
        graph = csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
        graph.data[:] = 1.0  # csr sums an edge that is listed from both ends
        graphs.append(graph)
    return graphs


def _range(X):
    """Return orthonormal bases of the span of the rows, and of its complement."""
    n, m = X.shape
    sizes, basis = np.linalg.eigh(X.T @ X) if n >= m else (None, None)
    # Squaring halves the digits: near the limit of the fast way the singular values decide.
    if sizes is not None and sizes[0] > 1e-9 * sizes[-1]:
        return np.eye(m), np.empty((m, 0))
    # The triangle of a QR decomposition spans the same, and is no larger than the columns ask for.
    _, sizes, basis = np.linalg.svd(np.linalg.qr(X, mode="r") if n >= m else X, full_matrices=True)
    rank = int((sizes > max(n, m) * np.finfo(float).eps * sizes.max(initial=0.0)).sum())
    return basis[:rank].T, signed(basis[rank:].T)
