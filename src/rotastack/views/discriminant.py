"""Views that map random subsets of the columns to axes that separate neighbours of different classes."""

from typing import ClassVar

import numpy as np

from rotastack.base.traits import Traits
from rotastack.seeds import kernel_seeds, random_bits
from rotastack.views.locality import LocalityDiscriminantAnalysis, locality_directions
from rotastack.views.subsets import SubsetRotation, split_columns

_TRIES = 20


class DiscriminantRotation(SubsetRotation):
    """Locality sensitive discriminant analysis of random subsets of the columns, each on a random sample.

    The columns are split at random into subsets. For each subset, at least two random classes are chosen and a
    bootstrap of their rows is drawn. :class:`LocalityDiscriminantAnalysis` of this sample gives the axes that the
    subset's columns are mapped to. A sample of only one class is drawn again.

    Parameters
    ----------
    n_subsets : int or None, default=None
        Number of subsets; None is 2, or as many as `subset_size` needs. Sizes differ by at most one.
    subset_size : int or None, default=None
        Largest size of a subset, instead of `n_subsets`.
    bootstrap_ratio : float, default=0.75
        Size of the sample as a share of the rows of the chosen classes (gamma in Hu et al.). The analysis uses
        the distinct rows of the sample, because copies of a row would be neighbours.
    n_neighbors : int, default=5
        Number of nearest neighbours that a row is joined with in the graphs of the analysis.
    alpha : float, default=0.1
        Weight of the graph between classes, from 0 to 1.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    blocks_ : list of (columns, matrix)
        Column numbers of each subset, and the matrix with its axes as columns.
    rotation_ : ndarray of shape (n_features, n_features)
        A change of basis, not orthogonal; ``transform(X) == (X - mean_) @ rotation_``.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Knowledge-Based Systems, algorithm 1, line 10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.views import DiscriminantRotation
    >>> X, y = load_iris(return_X_y=True)
    >>> DiscriminantRotation(random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    study_traits: ClassVar[Traits] = Traits(rotates=True)

    _needs_classes = True
    _parameter_constraints: ClassVar[dict] = {
        **SubsetRotation._parameter_constraints,
        **LocalityDiscriminantAnalysis._parameter_constraints,
    }

    def __init__(
        self,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        n_neighbors: int = 5,
        alpha: float = 0.1,
        random_state=None,
    ):
        super().__init__(n_subsets, subset_size, bootstrap_ratio, random_state)
        self.n_neighbors = n_neighbors
        self.alpha = alpha

    def _blocks(self, X, rows, n_subsets, sequence):
        subsets, seeds = (found[0] for found in split_columns(X.shape[1], n_subsets, kernel_seeds(sequence, 1)))
        blocks = []
        for subset, tries in zip(subsets, random_bits(seeds, _TRIES), strict=True):
            columns = subset[subset < X.shape[1]]
            for seed in tries:
                drawn = rows.draw(seed[None, None], self.bootstrap_ratio, least=2)[0, 0] > 0
                codes = rows.codes[drawn]
                if codes[0] < codes[-1]:
                    break
            else:  # Classes are tiny, so all rows are used.
                drawn = np.ones(len(rows.codes), dtype=bool)
                codes = rows.codes
            sample = X[np.ix_(rows.order[drawn], columns)]
            sample -= sample.mean(axis=0)
            blocks.append((columns, locality_directions(sample, codes, self.n_neighbors, self.alpha)[0]))
        return blocks
