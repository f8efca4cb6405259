"""Double Rotation: PCA of random subsets of the columns, then discriminant analysis of new subsets."""

import numpy as np
from numpy.typing import NDArray

from rotastack.seeds import child, kernel_seeds
from rotastack.views.discriminant import DiscriminantRotation
from rotastack.views.linear import LinearView
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import whole_matrix


class DoubleRotation(DiscriminantRotation):
    """A PCA rotation of random subsets of the columns, followed by a discriminant rotation of new subsets.

    Subsets of more columns than the data set has rows have fewer principal axes than rows, see
    :class:`PrincipalRotation`. The discriminant rotation splits and maps these axes.

    Memory: 8 m k bytes for each subset of m columns and its k axes; `rotation_` is computed when it is read.

    Parameters
    ----------
    n_subsets : int or None, default=None
        Number of subsets in either rotation; None is 2, or as many as `subset_size` needs. Sizes differ by at most
        one.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        Size of each sample as a share of the rows of the chosen classes (gamma in Hu et al.).
    n_neighbors : int, default=5
        Number of nearest neighbours that a row is joined with in the graphs of the analysis.
    alpha : float, default=0.1
        Weight of the graph between classes, from 0 to 1.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    blocks_ : tuple of two lists of (columns, matrix)
        The blocks of `principal_` and of `discriminant_`.
    principal_, discriminant_ : ndarray of shape (n_features, n_axes), (n_axes, n_axes)
        Matrices of the two rotations; the columns of `principal_` are orthonormal.
    rotation_ : ndarray of shape (n_features, n_axes)
        Product of the two matrices; ``transform(X) == (X - mean_) @ rotation_``. With as many axes as features it is a
        change of basis.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.

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

    linear_parts = LinearView.linear_parts
    _map = LinearView._map

    def _blocks(self, X, rows, n_subsets, sequence):
        seeds = kernel_seeds(child(sequence, "principal"), 1)
        (first,) = principal_blocks(X, rows, n_subsets, self.bootstrap_ratio, seeds)
        return first, super()._blocks(X @ whole_matrix(first), rows, n_subsets, child(sequence, "discriminant"))

    @property
    def principal_(self) -> NDArray[np.float64]:
        """Matrix of the PCA rotation, with orthonormal columns."""
        return whole_matrix(self.blocks_[0])

    @property
    def discriminant_(self) -> NDArray[np.float64]:
        """Matrix of the discriminant rotation, which maps the outputs of the PCA rotation."""
        return whole_matrix(self.blocks_[1])

    @property
    def rotation_(self) -> NDArray[np.float64]:  # type: ignore[override]
        """Product of `principal_` and `discriminant_`."""
        return self.principal_ @ self.discriminant_
