"""Views of many trees, each fitted by compiled code to the rows in the bag of its tree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.bags import Bags
from rotastack.trees.kernel.block_rotations import principal_views, sparse_views
from rotastack.trees.kernel.discriminants import discriminant_views
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.nodes import column_means, missing_columns
from rotastack.trees.threads import run_threads

TREES_AT_ONCE = 10
"""Number of trees whose views a thread fits in one unit of work."""


@dataclass(frozen=True)
class BaggedViews:
    """The training rows, arranged so that compiled code can fit a view to the bag of each of many trees.

    A view is fitted to the distinct rows in the bag of its tree, with equal weights. The bag of a tree is the one that
    :func:`rotastack.trees.grow_forest` draws for the same seed. If rows have groups, a view is fitted to the distinct
    rows of a bootstrap of that bag.

    In a column with missing values (NaN), each missing value is replaced by the mean of the column's known values in
    the bag, or by 0 if the bag has none. The view keeps this fill and also uses it for new rows. Other columns have no
    fill: if a new row misses a value there, each output computed from the value is missing, and trees send a missing
    output to the child of larger weight.
    """

    data: NDArray[np.float32]  # (n_features, n_rows): the rows, sorted by class
    places: NDArray[np.int64]  # (n_rows,): position of each row in `data`
    edges: NDArray[np.int64]  # (n_classes + 1,): first position of each class in `data`; then the number of rows
    bags: Bags
    missing: NDArray[np.uint8]  # (n_features,): 1 for columns with missing values; empty if no column has any
    n_jobs: int | None = None  # the result does not depend on it

    @classmethod
    def of(
        cls,
        X: NDArray[np.float32],
        codes: NDArray[np.integer],
        n_classes: int,
        bags: Bags | None = None,
        n_jobs: int | None = None,
    ) -> "BaggedViews":
        """Return the training rows sorted by class; the default bags are those of rows without weights."""
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

        The columns are divided at random into two blocks; with fewer than four columns each block has all columns.
        The discriminants of a block are the directions of length 1 that best separate the classes. They are computed
        from a random `share` of the rows in the bag, with the scatter within classes shrunk towards a multiple of the
        identity; if a draw of rows has only one class, all rows in the bag are used.

        A block has at most `max_directions` directions, at most as many as columns and as classes less one, and fewer if
        the class means span a smaller space. Blocks of more than `max_columns` columns are reduced to a random choice.
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
        """Return Rotation Forest's rotations: random blocks of the columns, each rotated to its principal axes.

        The axes of each block are computed from a sample of its own. The sample is drawn with replacement from the
        rows of a random subset of the classes in the bag; its size is `bootstrap_ratio` times the number of these rows.
        A block has at most `subset_size` columns; the sizes of the blocks differ by at most one.
        """
        n_blocks = -(-len(self.data) // subset_size)
        return self._views(principal_views, bag_seeds, view_seeds, (n_blocks, bootstrap_ratio))

    def sparse(self, view_seeds: NDArray[np.uint64], sizes: tuple[int, int] = (2, 4)) -> LinearViews:
        """Return random blocks of the columns, each rotated by a uniform (Haar) rotation that ignores the rows.

        Sizes of blocks are drawn uniformly from the two `sizes`; the last block may be smaller. Missing values are
        replaced by the mean of the column over all rows.
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
        step = TREES_AT_ONCE if self.bags.row_groups is None else 1

        def found(begin: int, stop: NDArray[np.uint8]) -> LinearViews:
            here = slice(begin, begin + step)
            rows = self._rows(bag_seeds[begin])
            lengths, parts, columns, matrices, fills = find(*rows, bag_seeds[here], view_seeds[here], *options, stop)
            starts = np.concatenate([[0], np.cumsum(lengths)])
            return LinearViews(len(self.data), starts, parts, columns, matrices, fills if len(fills) else None)

        return LinearViews.concatenate(list(run_threads(found, range(0, len(view_seeds), step), self.n_jobs)))

    def _rows(self, seed: np.uint64) -> tuple[Any, ...]:
        """Return the kernel's arguments that describe the rows; if rows have groups, the rows in the bag of the seed."""
        if self.bags.row_groups is None:
            return self.data, self.missing, self.places, self.edges, self.bags.ends, self.bags.size
        in_bag = np.sort(self.places[np.searchsorted(self.bags.rows, np.unique(self.bags.drawn(seed)))])
        edges = np.searchsorted(in_bag, self.edges).astype(np.int64)
        rows = np.ascontiguousarray(self.data[:, in_bag])
        return rows, self.missing, np.arange(len(in_bag)), edges, np.empty(0), len(in_bag)
