"""PCA rotations of random subsets of the columns (Rotation Forest)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.views.subsets import (
    Block,
    SubsetRotation,
    class_rows,
    count_subsets,
    draw_rows,
    signed,
    split_columns,
)

__all__ = ["PrincipalRotation", "principal_blocks"]


class PrincipalRotation(SubsetRotation):
    """Principal axes of random subsets of the columns, each found on a random sample.

    The columns are split at random into subsets; for each a random non-empty subset of the classes
    is kept, of their rows a bootstrap is drawn, and the subset's columns are turned to its principal
    axes. All components are kept: the view is a rotation (or reflection) of all columns.

    Parameters
    ----------
    n_subsets : int or None, default=None
        K; None is 2, or what `subset_size` makes it. Sizes differ by one at most.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        gamma: size of the sample as a share of the rows of the classes kept.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    blocks_ : list of (columns, matrix)
        Column numbers, and their principal axes in columns, the longest first.
    rotation_ : ndarray of shape (n_features, n_features)
        Orthogonal; ``transform(X) == (X - mean_) @ rotation_``. A new column stands in the
        place of one of its subset.
    mean_ : ndarray of shape (n_features,)
        Of the rows fitted.

    References
    ----------
    Rodriguez, J. J., Kuncheva, L. I. and Alonso, C. J. (2006). Rotation forest: a new classifier
    ensemble method. IEEE TPAMI 28.
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, algorithm 1 and equation 11. It prints gamma N for the size of the
    sample; here it is gamma times the rows that are left when classes are dropped.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.views import PrincipalRotation
    >>> X, y = load_iris(return_X_y=True)
    >>> R = PrincipalRotation(random_state=0).fit(X, y).rotation_
    >>> np.allclose(R @ R.T, np.eye(4)), int((R != 0).sum())
    (True, 8)
    """

    def __init__(
        self,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        random_state=None,
    ):
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike | None = None):
        """Draw subsets and samples, and find their principal axes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,), optional
            Classes; without, no class is dropped.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            More subsets than columns, or parameters that do not go together.
        """
        return self._fit(X, y)

    def _blocks(self, X, y):
        count = count_subsets(X.shape[1], self.n_subsets, self.subset_size)
        of_class = class_rows(y, len(X))
        return principal_blocks(X, of_class, count, self.bootstrap_ratio, [self._sequence()])[0]


def principal_blocks(
    X: NDArray[np.float64],
    of_class: Sequence[NDArray[np.intp]],
    n_subsets: int,
    bootstrap_ratio: float,
    sequences: Sequence[np.random.SeedSequence],
) -> list[list[Block]]:
    """Return the blocks of one rotation for each of `sequences`.

    Subsets of one size, of whatever rotation, are decomposed in one call.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Best centred, so that covariances keep their digits.
    of_class : sequence of ndarray
        Rows of each class.
    n_subsets : int
    bootstrap_ratio : float
    sequences : sequence of numpy.random.SeedSequence
    """
    n_features = X.shape[1]
    subsets: list[NDArray[np.intp]] = []
    covariances: dict[int, list[NDArray[np.float64]]] = {}
    places: dict[int, list[int]] = {}
    for sequence in sequences:
        rng = np.random.default_rng(sequence)
        for columns in split_columns(n_features, n_subsets, rng):
            sample = X[:, columns][draw_rows(of_class, bootstrap_ratio, rng)]
            sample -= sample.mean(axis=0)
            covariances.setdefault(len(columns), []).append(sample.T @ sample)
            places.setdefault(len(columns), []).append(len(subsets))
            subsets.append(columns)
    axes: list[NDArray[np.float64]] = [np.empty(0)] * len(subsets)
    for size, stack in covariances.items():
        longest_first = np.linalg.eigh(np.stack(stack))[1][:, :, ::-1]
        for place, matrix in zip(places[size], signed(longest_first), strict=True):
            axes[place] = matrix
    blocks = list(zip(subsets, axes, strict=True))
    return [blocks[k * n_subsets : (k + 1) * n_subsets] for k in range(len(sequences))]
