"""Views of many trees at once, each fitted to the rows in the bag of its tree, by compiled code."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.bags import Bags
from rotastack.trees.kernel.block_rotations import principal_views, sparse_views
from rotastack.trees.kernel.discriminants import discriminant_views
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.missing import column_means, missing_columns
from rotastack.trees.threads import run_units

__all__ = ["BaggedViews"]

TREES_AT_ONCE = 10
"""Views are found in chunks of so many: the unit of work of a thread or worker."""


@dataclass(frozen=True)
class BaggedViews:
    """Fits a view for each of many trees to the rows in its bag.

    A view is fitted to the distinct rows in its tree's bag, all alike. The bag of a tree is the one that
    :func:`rotastack.trees.grow_forest` draws for the same seed.

    In a column that has missing values (NaN) the mean of the known ones in the bag stands in for these, in fitting and
    wherever the view is used, or 0 where no value is known. So such a row has, on each direction, what rows have on average
    that agree with it in the columns known. Fills are kept for these columns only: a value that is missing in another one,
    in new rows, leaves what is made of it missing, and trees send that to the child of larger weight.

    Attributes
    ----------
    data : ndarray of float32 of shape (n_features, n_rows)
        Rows of one class together.
    places : ndarray of int64 of shape (n_rows,)
        Where in `data` each row is.
    edges : ndarray of int64 of shape (n_classes + 1,)
        Where the rows of each class start.
    bags : Bags
    missing : ndarray of uint8 of shape (n_features,) or (0,)
        Which columns have missing values, if any has.
    n_jobs : int or None
        Threads, or workers, over trees. The result does not depend on it.
    """

    data: NDArray[np.float32]
    places: NDArray[np.int64]
    edges: NDArray[np.int64]
    bags: Bags
    missing: NDArray[np.uint8]
    n_jobs: int | None = None

    @classmethod
    def of(
        cls,
        X: NDArray[np.float32],
        codes: NDArray[np.integer],
        n_classes: int,
        bags: Bags | None = None,
        n_jobs: int | None = None,
    ) -> "BaggedViews":
        """Arrange rows; as for :func:`rotastack.trees.grow_forest`.

        Parameters
        ----------
        X : ndarray of float32 of shape (n_rows, n_features)
            Finite values, or NaN where one is missing.
        codes : ndarray of int of shape (n_rows,)
            Class numbers.
        n_classes : int
        bags : Bags, optional
            Those of the forest, if its rows have weights.
        n_jobs : int, optional
        """
        bags = bags or Bags.of(len(X))
        X, codes = X[bags.rows], codes[bags.rows]
        order = np.argsort(codes, kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        edges = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=n_classes))]).astype(np.int64)
        data = np.array(X.T[:, order], np.float32, order="C")
        return cls(data, places, edges, bags, missing_columns(X), n_jobs)

    def discriminants(
        self,
        bag_seeds: NDArray[np.uint64],
        view_seeds: NDArray[np.uint64],
        *,
        share: float = 0.63,
        shrinkage: float = 0.01,
        max_directions: int = 4,
        max_columns: int = 100,
    ) -> LinearViews:
        """Return Fisher's discriminants of two random blocks of the columns.

        The columns are split at random in two (below four each block has all of them); on each block
        directions are found that tell the classes apart, from a random `share` of the rows in the bag, with
        the scatter within classes shrunk towards a multiple of the identity. Directions have length 1.

        Parameters
        ----------
        bag_seeds, view_seeds : ndarray of uint64 of shape (n_trees,)
        share : float
            Of the rows, drawn without replacement for each block; all where the draw has one class only.
        shrinkage : float
            Above 0 and at most 1: weight of the identity times the mean variance.
        max_directions : int
            At most so many for a block, nor more than classes less one, or columns; fewer where the means
            of the classes lie in a smaller space.
        max_columns : int
            Most columns of a block; with more, a random choice of them.
        """
        options = (max_columns, share, shrinkage, max_directions)
        return self._views(discriminant_views, bag_seeds, view_seeds, options)

    def principal(
        self,
        bag_seeds: NDArray[np.uint64],
        view_seeds: NDArray[np.uint64],
        *,
        subset_size: int = 3,
        bootstrap_ratio: float = 0.5,
    ) -> LinearViews:
        """Return Rotation Forest's rotations: random blocks of the columns turned to principal axes.

        Each block has a sample of its own: of the rows of a random subset of the classes in the bag,
        `bootstrap_ratio` times their number, drawn with replacement.

        Parameters
        ----------
        bag_seeds, view_seeds : ndarray of uint64 of shape (n_trees,)
        subset_size : int
            Largest size of a block; sizes differ by one at most.
        bootstrap_ratio : float
        """
        n_blocks = -(-len(self.data) // subset_size)
        return self._views(principal_views, bag_seeds, view_seeds, (n_blocks, bootstrap_ratio))

    def sparse(self, view_seeds: NDArray[np.uint64], sizes: tuple[int, int] = (2, 4)) -> LinearViews:
        """Return random blocks of the columns, each turned by a uniform (Haar) rotation, whatever the rows.

        What stands in for missing values is the mean over all rows.

        Parameters
        ----------
        view_seeds : ndarray of uint64 of shape (n_trees,)
        sizes : tuple of int
            Least and largest size of a block, drawn evenly; the last may be smaller.
        """
        lengths, *arrays = sparse_views(len(self.data), view_seeds, *sizes)
        views = LinearViews(len(self.data), np.concatenate([[0], np.cumsum(lengths)]), *arrays)
        if not len(self.missing):
            return views
        means = column_means(self.data.T, self.missing)
        return views.filled(np.broadcast_to(means, (len(views), len(means))))

    def _views(
        self, find: Callable, bag_seeds: NDArray[np.uint64], view_seeds: NDArray[np.uint64], options: tuple[float, ...]
    ) -> LinearViews:
        shared = (
            find, bag_seeds, view_seeds, options, self.data, self.missing, self.places, self.edges, self.bags.ends,
            self.bags.size,
        )  # fmt: skip
        chunks = range(0, len(view_seeds), TREES_AT_ONCE)
        return LinearViews.concatenate(list(run_units(_found, chunks, shared, self.n_jobs)))


def _found(
    begin: int,
    stop: NDArray[np.uint8],
    find: Callable,
    bag_seeds: NDArray[np.uint64],
    view_seeds: NDArray[np.uint64],
    options: tuple[float, ...],
    data: NDArray[np.float32],
    *rows: Any,
) -> LinearViews:
    """Return the views of a chunk of trees."""
    here = slice(begin, begin + TREES_AT_ONCE)
    lengths, parts, columns, matrices, fills = find(data, *rows, bag_seeds[here], view_seeds[here], *options, stop)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return LinearViews(len(data), starts, parts, columns, matrices, fills if len(fills) else None)
