"""Double Rotation: PCA on random subsets of the columns, then discriminant analysis on others."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rotastack.base.facts import Facts
from rotastack.seeds import child, root_sequence
from rotastack.views.discriminant import DiscriminantRotation, discriminant_blocks
from rotastack.views.linear import FittedView
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import RowsByClass, count_subsets, whole_matrix

__all__ = ["DoubleRotation", "double_matrices"]


class DoubleRotation(FittedView):
    """A PCA rotation of random subsets of the columns, followed by a discriminant one of new subsets.

    Parameters
    ----------
    n_subsets : int or None, default=None
        Number of subsets in either rotation; None is 2, or as many as `subset_size` needs. Sizes differ by one at
        most.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        Size of each sample as a share of the rows of the classes kept (gamma in Hu et al.).
    n_neighbors : int, default=5
        Nearest neighbours of a row that it is joined with in the graphs of the analysis.
    alpha : float, default=0.1
        Weight of the graph between classes, from 0 to 1.
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

    study_facts: ClassVar[Facts] = Facts(rotates=True)

    _fitted_attribute = "discriminant_"
    _needs_classes = True
    _parameter_constraints = DiscriminantRotation._parameter_constraints

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

    def _find(self, X, y):
        count = count_subsets(X.shape[1], self.n_subsets, self.subset_size)
        ((self.principal_, self.discriminant_),) = double_matrices(
            X, [RowsByClass.of(y, len(X))], count, self.bootstrap_ratio, self.n_neighbors, self.alpha,
            [root_sequence(self.random_state)],
        )  # fmt: skip

    @property
    def rotation_(self) -> NDArray[np.float64]:  # type: ignore[override]
        """Product of the two matrices."""
        return self.principal_ @ self.discriminant_


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
