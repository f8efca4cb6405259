"""View of several rotations of the features, side by side (thesis, section 3.2)."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rotastack.base.scikit import Interval
from rotastack.base.traits import Traits
from rotastack.base.view import Part
from rotastack.views.haar import draw_rotations
from rotastack.views.linear import DrawnView


class MultiRotation(DrawnView):
    """The features X and K - 1 random rotations of them, X R1 to X R(K-1), side by side.

    An estimator that picks columns, for example a tree, can then use another rotation in each split.

    Memory: 8 m^2 bytes for each drawn rotation of m columns; in pools as for :class:`RandomRotation`.

    Parameters
    ----------
    n_rotations : int, default=30
        Number of rotations, K. The unrotated features, which stand first, count as one.
    flip : bool, default=False
        Allow reflections: draw from O(p) instead of SO(p).
    max_axes : int, default=1000
        With more columns than this, each rotation turns a random subset of `max_axes` columns, and only these
        columns are repeated.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed. Rotation k does not depend on `n_rotations`.

    Attributes
    ----------
    axes_ : ndarray of shape (n_drawn, n_rotated)
        Columns that each drawn rotation turns.
    blocks_ : ndarray of shape (n_drawn, n_rotated, n_rotated)
        The drawn rotations.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, equation 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.views import MultiRotation
    >>> Z = MultiRotation(n_rotations=3, random_state=0).fit_transform(np.eye(4))
    >>> Z.shape, np.allclose(Z[:, :4], np.eye(4)), np.allclose(Z[:, 4:8] @ Z[:, 4:8].T, np.eye(4))
    ((4, 12), True, True)
    """

    study_traits: ClassVar[Traits] = Traits(rotates=True)

    _parameter_constraints: ClassVar[dict] = {
        "n_rotations": [Interval(Integral, 1, None, closed="left")],
        "flip": ["boolean"],
        "max_axes": [Interval(Integral, 2, None, closed="left")],
        "random_state": "no_validation",
    }

    def __init__(self, n_rotations: int = 30, flip: bool = False, max_axes: int = 1000, random_state=None):
        self.n_rotations = n_rotations
        self.flip = flip
        self.max_axes = max_axes
        self.random_state = random_state

    def _draw(self, n_features: int, sequence: np.random.SeedSequence) -> None:
        self.axes_, self.blocks_ = draw_rotations(
            n_features, sequence, self.n_rotations - 1, flip=self.flip, max_axes=self.max_axes
        )

    def linear_parts(self) -> list[Part]:
        return [(np.arange(self.n_features_in_), None), *zip(self.axes_, self.blocks_, strict=True)]

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        return np.hstack(
            [
                X[:, columns] if matrix is None else X[:, columns] @ matrix.astype(X.dtype)
                for columns, matrix in self.linear_parts()
            ]
        )
