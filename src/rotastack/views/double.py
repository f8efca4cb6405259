"""Double Rotation: PCA on random subsets of the columns, then discriminant analysis on others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rotastack.seeds import child, root_sequence
from rotastack.views.discriminant import discriminant_blocks
from rotastack.views.locality import check_graphs
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import RowsByClass, count_subsets, whole_matrix

__all__ = ["DoubleRotation", "double_matrices"]


class DoubleRotation(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A PCA rotation of random subsets of the columns, followed by a discriminant one of new subsets.

    Parameters
    ----------
    n_subsets : int or None, default=None
        K, of either; None is 2, or what `subset_size` makes it. Sizes differ by one at most.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        gamma: size of each sample as a share of the rows of the classes kept.
    n_neighbors, alpha
        See :class:`LocalityDiscriminantAnalysis`.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    principal_, discriminant_ : ndarray of shape (n_features, n_features)
        The two matrices, the first orthogonal.
    rotation_ : ndarray of shape (n_features, n_features)
        Their product: a change of basis; ``transform(X) == (X - mean_) @ rotation_``.
    mean_ : ndarray of shape (n_features,)
        Of the rows fitted.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.views import DoubleRotation
    >>> X, y = load_iris(return_X_y=True)
    >>> DoubleRotation(random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    fitted_to_rows = True

    def __init__(
        self,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        n_neighbors: int = 5,
        alpha: float = 0.1,
        random_state=None,
    ):
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike):
        """Draw subsets and samples, and find the axes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            One class only, more subsets than columns, or parameters that do not go together.
        """
        if not self.bootstrap_ratio > 0:
            raise ValueError(f"bootstrap_ratio must be more than 0, got {self.bootstrap_ratio}")
        check_graphs(self.n_neighbors, self.alpha)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        rows = RowsByClass.of(y, len(X))
        if rows.n_classes < 2:
            raise ValueError(f"y holds one class only ({y[0]!r}); at least 2 classes are needed")
        count = count_subsets(X.shape[1], self.n_subsets, self.subset_size)
        whole = np.asarray(X, dtype=np.float64)
        self.mean_ = whole.mean(axis=0)
        ((self.principal_, self.discriminant_),) = double_matrices(
            whole - self.mean_, [rows], count, self.bootstrap_ratio, self.n_neighbors, self.alpha,
            [root_sequence(self.random_state)],
        )  # fmt: skip
        return self

    @property
    def rotation_(self) -> NDArray[np.float64]:
        """Product of the two matrices."""
        return self.principal_ @ self.discriminant_

    def linear_parts(self) -> list[tuple[NDArray[np.intp], NDArray[np.float64] | None]]:
        """Return the view in parts: all columns, and the matrix that maps them, uncentred."""
        return [(np.arange(self.n_features_in_), self.rotation_)]

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Map rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_features), float32 for float32 input
        """
        check_is_fitted(self, "principal_")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return (X - self.mean_.astype(X.dtype)) @ self.rotation_.astype(X.dtype)

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def double_matrices(
    X: NDArray[np.float64],
    rows: Sequence[RowsByClass],
    n_subsets: int,
    bootstrap_ratio: float,
    n_neighbors: int,
    alpha: float,
    sequences: Sequence[np.random.SeedSequence],
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the two matrices of one double rotation for each of `sequences`.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Centred.
    rows, n_subsets, bootstrap_ratio, n_neighbors, alpha, sequences
        As for :func:`rotastack.views.principal.principal_blocks` and :func:`discriminant_blocks`.
    """
    n_features = X.shape[1]
    first = principal_blocks(X, rows, n_subsets, bootstrap_ratio, [child(s, "principal") for s in sequences])
    pairs = []
    for sequence, mine, blocks in zip(sequences, rows, first, strict=True):
        principal = whole_matrix(blocks, n_features)
        second = discriminant_blocks(
            X @ principal, mine, n_subsets, bootstrap_ratio, n_neighbors, alpha,
            child(sequence, "discriminant"),
        )  # fmt: skip
        pairs.append((principal, whole_matrix(second, n_features)))
    return pairs
