"""Random rotations of the feature space (thesis, sections 1.4 and 1.5)."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.scikit import Interval, StrOptions
from rotastack.base.traits import Traits
from rotastack.base.view import Part
from rotastack.views.haar import draw_rotation
from rotastack.views.linear import DrawnView


class RandomRotation(DrawnView):
    """A random rotation of the feature space, by default uniform over all rotations.

    Columns should have one common scale; see :mod:`rotastack.views.scaling`. With `stretch` and
    `translate` the view is the random histogram transform ``x -> R S x + b`` (thesis, section 4.2). Stretching
    comes before the rotation; after the rotation it would not change the trees.

    Memory: 8 m^2 bytes for m rotated columns. A pool with members that the kernel grows together keeps 4 m^2 bytes
    instead, and draws the view again when it is read.

    Parameters
    ----------
    flip : bool, default=False
        Allow reflections: draw from O(p) instead of SO(p). For p = 1 the rotation is
        the identity with and without `flip`.
    max_axes : int, default=1000
        With more columns than this, a random subset of `max_axes` columns is rotated and the
        other columns do not change.
    method : {"haar", "direct"}, default="haar"
        "haar" is uniform over all rotations. "direct" is the faster construction of the thesis's
        listing 1.1, a half-turn about a random axis. It is symmetric, has the determinant (-1)^(p - 1)
        for any `flip`, and is not uniform over rotations.
    stretch : bool, default=False
        First multiply each axis by a random factor, log-uniform between 1/2 and 2.
    translate : bool, default=False
        After the rotation add a random number, uniform in [0, 1), to each new axis.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    axes_ : ndarray of shape (n_rotated,)
        Numbers of the rotated columns.
    block_ : ndarray of shape (n_rotated, n_rotated)
        Rotation of these columns, stretching included.
    rotation_ : ndarray of shape (n_features, n_features)
        The whole matrix; ``transform(X) == (X - mean_) @ rotation_``.
    mean_ : ndarray of shape (n_features,)
        Centre of the rotation; zeros unless `translate`.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equation 1.1 and listings 1.1, 1.2.
    Hang, H. et al. (2019). Histogram transform ensembles, for `stretch` and `translate`.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.views import RandomRotation
    >>> X = np.eye(3)
    >>> R = RandomRotation(random_state=0).fit(X)
    >>> np.allclose(R.rotation_ @ R.rotation_.T, np.eye(3)), round(float(np.linalg.det(R.rotation_)), 6)
    (True, 1.0)
    """

    study_traits: ClassVar[Traits] = Traits(rotates=True)

    _parameter_constraints: ClassVar[dict] = {
        "flip": ["boolean"],
        "max_axes": [Interval(Integral, 2, None, closed="left")],
        "method": [StrOptions({"haar", "direct"})],
        "stretch": ["boolean"],
        "translate": ["boolean"],
        "random_state": "no_validation",
    }

    def __init__(
        self,
        flip: bool = False,
        max_axes: int = 1000,
        method: str = "haar",
        stretch: bool = False,
        translate: bool = False,
        random_state=None,
    ):
        self.flip = flip
        self.max_axes = max_axes
        self.method = method
        self.stretch = stretch
        self.translate = translate
        self.random_state = random_state

    def _draw(self, n_features: int, sequence: np.random.SeedSequence) -> None:
        rng = np.random.default_rng(sequence)
        self.axes_, self.block_ = draw_rotation(n_features, rng, self.flip, self.max_axes, self.method)
        m = len(self.axes_)
        if self.stretch:
            self.block_ = 2.0 ** rng.uniform(-1.0, 1.0, m)[:, None] * self.block_
        self.mean_ = np.zeros(n_features)
        if self.translate:
            self.mean_[self.axes_] = -np.linalg.solve(self.block_.T, rng.uniform(0.0, 1.0, m))

    @classmethod
    def from_matrix(cls, block: ArrayLike, axes: ArrayLike | None = None, n_features: int | None = None):
        """Return a fitted view of an existing rotation, for example of a rotation group."""
        view = cls()
        view.block_ = np.asarray(block, dtype=float)
        view.axes_ = np.arange(len(view.block_)) if axes is None else np.asarray(axes)
        view.n_features_in_ = len(view.block_) if n_features is None else int(n_features)
        view.mean_ = np.zeros(view.n_features_in_)
        view.given_ = True
        return view

    @property
    def rotation_(self) -> NDArray[np.float64]:  # type: ignore[override]
        """The whole matrix, with ones on the diagonal for columns that are not rotated."""
        rotation = np.eye(self.n_features_in_)
        rotation[np.ix_(self.axes_, self.axes_)] = self.block_
        return rotation

    def linear_parts(self) -> list[Part]:
        rest = np.setdiff1d(np.arange(self.n_features_in_), self.axes_)
        return [(self.axes_, self.block_), (rest, None)]

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        block = self.block_.astype(X.dtype)
        centred = X - self.mean_.astype(X.dtype) if self.mean_.any() else X
        if len(self.axes_) == X.shape[1]:
            return _product(centred, block)
        rotated = X.copy()
        rotated[:, self.axes_] = _product(centred[:, self.axes_], block)
        return rotated


def _product(X: NDArray[np.floating], block: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return ``X @ block``; a single row is doubled, as BLAS may round the product of a vector differently."""
    return X @ block if len(X) != 1 else (np.repeat(X, 2, axis=0) @ block)[:1]
