"""Several rotations of the features, side by side (thesis, section 3.2)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rotastack.seeds import root_sequence
from rotastack.views.haar import draw_rotations

__all__ = ["MultiRotation"]


class MultiRotation(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The features and random rotations of them, side by side: ``[X | X R1 | ... | X R(K-1)]``.

    A learner that picks columns, such as a tree, can then use another rotation in each split.

    Parameters
    ----------
    n_rotations : int, default=30
        K, the unrotated features included if `include_identity`.
    include_identity : bool, default=True
        Begin with the features as they are.
    flip : bool, default=False
        Allow reflections: draw from O(p) instead of SO(p).
    max_axes : int, default=1000
        With more columns than this, each rotation turns a random subset of so many axes and
        only these columns are repeated.
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

    fitted_to_rows = False  # equal for any training set of as many columns

    def __init__(
        self,
        n_rotations: int = 30,
        include_identity: bool = True,
        flip: bool = False,
        max_axes: int = 1000,
        random_state=None,
    ):
        self.n_rotations = n_rotations
        self.include_identity = include_identity
        self.flip = flip
        self.max_axes = max_axes
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None):
        """Draw the rotations; of `X` only the number of columns is used.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            `n_rotations` below 1 or `max_axes` below 2.
        """
        if self.n_rotations < 1:
            raise ValueError(f"n_rotations must be at least 1, got {self.n_rotations}")
        if self.max_axes < 2:
            raise ValueError(f"max_axes must be at least 2, got {self.max_axes}")
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        n_drawn = self.n_rotations - bool(self.include_identity)
        self.axes_, self.blocks_ = draw_rotations(
            X.shape[1],
            root_sequence(self.random_state),
            n_drawn,
            flip=self.flip,
            max_axes=self.max_axes,
        )
        return self

    def linear_parts(self) -> list[tuple[NDArray[np.intp], NDArray[np.float64] | None]]:
        """Return the view in parts, side by side: columns and the matrix that maps them, or None."""
        parts: list[tuple[NDArray[np.intp], NDArray[np.float64] | None]] = []
        if self.include_identity:
            parts.append((np.arange(self.n_features_in_), None))
        return parts + list(zip(self.axes_, self.blocks_, strict=True))

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Put the rows and their rotations side by side.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_columns), float32 for float32 input
        """
        check_is_fitted(self, "blocks_")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return np.hstack(
            [
                X[:, columns] if matrix is None else X[:, columns] @ matrix.astype(X.dtype)
                for columns, matrix in self.linear_parts()
            ]
        )

    @property
    def _n_features_out(self) -> int:
        return sum(len(columns) for columns, _ in self.linear_parts())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
