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

_AT_ONCE = 1 << 20  # Largest number of distances in a block.


class LocalityDiscriminantAnalysis(FittedView):
    """View of axes on which neighbours of one class lie close together, and neighbours of other classes apart.

    Two rows are joined if one is among the nearest neighbours of the other: in the within-class graph if they are
    of one class, in the between-class graph if they are of different classes. The axes are the generalised
    eigenvectors, by decreasing eigenvalue, of ``X' (alpha L_b + (1 - alpha) V_s) X v = lambda X' Q_s X v``. Here X
    is centred, V_s is the adjacency matrix of the within-class graph, Q_s the diagonal matrix of its degrees,
    and L_b the Laplacian of the between-class graph.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of nearest neighbours of a row (e in the paper, which states no value). Distances are Euclidean, ties
        go to the lower row number, and a row is not its own neighbour.
    alpha : float, default=0.1
        Weight of the between-class graph (p in the paper, which states no value; the default is that of the authors'
        reference code).

    Attributes
    ----------
    rotation_ : ndarray of shape (n_features, n_features)
        Columns are the axes, by decreasing eigenvalue, with norm 1 and a positive largest absolute entry. An
        orthonormal basis of the complement of the rows' span follows. The matrix is a change of basis, not
        orthogonal. ``transform(X) == (X - mean_) @ rotation_``.
    mean_ : ndarray of shape (n_features,)
    eigenvalues_ : ndarray of shape (rank,)

    Notes
    -----
    The right side is singular with more columns than rows, or with rows that have no neighbours of their class.
    So both sides are restricted to the span of the rows, and 1e-6 times the mean of its diagonal is added to the
    diagonal of the right side.

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
    """Return the axes of centred rows as columns, and the eigenvalues of the axes in the span of the rows.

    With fewer than `n_neighbors` other rows, all are neighbours.
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
    # Without any edge within a class the right side is 0; a ridge of 1 then gives the eigenvectors of the left side.
    ridge = 1e-6 * np.trace(right) / len(right) or 1.0
    values, vectors = eigh((left + left.T) / 2, right + ridge * np.eye(len(right)))
    axes = spanned @ vectors[:, ::-1]
    axes /= np.linalg.norm(axes, axis=0)
    return np.hstack([signed(axes), rest]), values[::-1]


def nearest_neighbors(X: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """Return the numbers of the `k` nearest other rows of each row, shape (n_rows, k); ties go to lower numbers.

    Distances are rounded to ten decimals of the largest absolute value. So scaling does not break ties of
    decimal numbers.
    """
    n = len(X)
    unit = np.abs(X).max() or 1.0
    tree = cKDTree(X, balanced_tree=False, compact_nodes=False)
    neighbors = np.empty((n, k), dtype=np.intp)
    pending, n_queried = np.arange(n), min(n, k + 2)
    while len(pending):
        tied = []
        step = max(1, _AT_ONCE // n_queried)
        for rows in (pending[start : start + step] for start in range(0, len(pending), step)):
            distances, candidates = tree.query(X[rows], n_queried)
            distances = (distances / unit).round(10)
            distances[candidates == rows[:, None]] = np.inf
            order = np.lexsort((candidates, distances), axis=1)
            distances = np.take_along_axis(distances, order, axis=1)
            neighbors[rows] = np.take_along_axis(candidates, order, axis=1)[:, :k]
            # Rows outside the query may be as near as its last row. The row itself has an infinite distance.
            last = np.where(np.isinf(distances[:, -1]), distances[:, -2], distances[:, -1])
            tied.append(rows[distances[:, k - 1] >= last] if n_queried < n else rows[:0])
        pending, n_queried = np.concatenate(tied), min(n, 4 * n_queried)
    return neighbors


def _graphs(X, y, n_neighbors):
    """Return the adjacency matrices of the within-class and the between-class graph."""
    n = len(X)
    k = min(n_neighbors, n - 1)
    neighbors = nearest_neighbors(X, k) if k else np.empty((n, 0), dtype=np.intp)
    rows = np.repeat(np.arange(n), k)
    columns = neighbors.ravel()
    same = y[rows] == y[columns]
    graphs = []
    for edges in (same, ~same):
        ends = np.concatenate([rows[edges], columns[edges]]), np.concatenate([columns[edges], rows[edges]])
        graph = csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
        graph.data[:] = 1.0  # csr_array adds up an edge that is listed from both ends.
        graphs.append(graph)
    return graphs


def _range(X):
    """Return orthonormal bases of the span of the rows and of its complement."""
    n, m = X.shape
    sizes, basis = np.linalg.eigh(X.T @ X) if n >= m else (None, None)
    # X'X has half the digits of X, so a nearly singular X'X is decided by the singular values of X.
    if sizes is not None and sizes[0] > 1e-9 * sizes[-1]:
        return np.eye(m), np.empty((m, 0))
    # The rows of the triangle of a QR decomposition have the same span, and number at most m.
    _, sizes, basis = np.linalg.svd(np.linalg.qr(X, mode="r") if n >= m else X, full_matrices=True)
    rank = int((sizes > max(n, m) * np.finfo(float).eps * sizes.max(initial=0.0)).sum())
    return basis[:rank].T, signed(basis[rank:].T)
