"""Random projections to fewer columns, which nearly keep all distances."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rotastack.base.scikit import Interval, StrOptions
from rotastack.base.view import Part
from rotastack.views.linear import DrawnView, kept_columns

_NONZERO = 8
_ROWS = 128  # Number of rows in a block for a sparse R; the block stays in the cache.


class RandomProjection(DrawnView):
    """Random projection z = R x by a random matrix R of q rows with columns of length 1.

    On average over draws of R, the squared length of z is the squared length of x (Johnson and Lindenstrauss). So
    distances are nearly kept.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of outputs, q. None is half the number of columns, rounded up.
    kind : {"sphere", "sign", "sparse"}, default="sphere"
        Distribution of a column of R. "sphere": uniform on the sphere. "sign": entries of plus or minus
        1 / sqrt(q). "sparse": eight entries of plus or minus 1 / sqrt(8), each in a random place of one of
        eight stretches of nearly equal length (every entry if q is less than eight), and zeros. With a thousand
        columns or more "sparse" is about three times as fast as the other kinds.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    components_ : ndarray, or csr_array if sparse, of shape (n_components, n_features)
        R.

    References
    ----------
    Schclar, A., Rokach, L., Amit, A. Ensembles of classifiers based on dimensionality reduction, section 4,
    equation 14.
    Kane, D. M. and Nelson, J. (2014). Sparser Johnson-Lindenstrauss transforms, for "sparse".

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.views import RandomProjection
    >>> projection = RandomProjection(3, random_state=0).fit(np.zeros((2, 6)))
    >>> np.linalg.norm(projection.components_, axis=0).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kind": [StrOptions({"sphere", "sign", "sparse"})],
        "random_state": "no_validation",
    }

    def __init__(self, n_components: int | None = None, kind: str = "sphere", random_state=None):
        self.n_components = n_components
        self.kind = kind
        self.random_state = random_state

    def _draw(self, n_features: int, sequence: np.random.SeedSequence) -> None:
        q = kept_columns(self.n_components, n_features)
        draw = {"sphere": _sphere, "sign": _signs, "sparse": _sparse}[self.kind]
        self.components_ = draw(q, n_features, np.random.default_rng(sequence))

    def linear_parts(self) -> list[Part]:
        R = self.components_.toarray() if self.kind == "sparse" else self.components_
        return [(np.arange(self.n_features_in_), R.T)]

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        R = self.components_.astype(X.dtype)
        if self.kind != "sparse":
            return X @ R.T
        Z = np.empty((len(X), R.shape[0]), X.dtype)
        for start in range(0, len(X), _ROWS):
            Z[start : start + _ROWS] = (R @ X[start : start + _ROWS].T).T
        return Z


def _sphere(q: int, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    R = rng.standard_normal((q, n))
    return R / np.linalg.norm(R, axis=0)


def _signs(q: int, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return (2.0 * rng.integers(0, 2, (q, n)) - 1) / np.sqrt(q)


def _sparse(q: int, n: int, rng: np.random.Generator) -> csr_array:
    s = min(_NONZERO, q)
    # One entry in each of s stretches of rows makes the places of a column's entries distinct without a check.
    bounds = np.arange(s + 1) * q // s
    rows = rng.integers(bounds[:-1], bounds[1:], (n, s))
    signs = (2.0 * rng.integers(0, 2, (n, s)) - 1) / np.sqrt(s)
    return csr_array((signs.ravel(), (rows.ravel(), np.repeat(np.arange(n), s))), shape=(q, n))
