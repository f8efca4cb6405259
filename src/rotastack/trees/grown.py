"""Grown trees: their predictions, leaves and importances."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.bags import Bags
from rotastack.trees.kernel.reading import read_trees
from rotastack.trees.linear_views import LinearViews, contiguous
from rotastack.trees.nodes import TreeArrays, decreases_of, side_by_side, sklearn_arrays, split_columns
from rotastack.trees.threads import n_threads, run_threads

_NO_SUMS = np.empty((0, 0, 0))
_NO_LEAVES = np.empty((0, 0), np.int32)
READ_AT_ONCE = 1 << 14  # least number of pairs of a row and a tree that a thread reads


@dataclass
class GrownTrees:
    """The trees of a forest: arrays that hold the nodes of all trees, tree after tree.

    Attributes
    ----------
    nodes : structured ndarray of shape (n_nodes,)
        Fields: `column` of the tree's view (-1 in leaves); `cut`, the float32 threshold up to which values go left;
        `child`, the number of the left child within the tree, which the right child follows. The `child` of a leaf is
        ``-1 - c`` if all its rows are of class c, otherwise the row of its output in `values`. A bit of `column` holds
        the side of missing values: see :mod:`rotastack.trees.nodes`.
    starts : ndarray of int64 of shape (n_trees + 1,)
        First node of each tree.
    impurity, weight : ndarray of float64 of shape (n_nodes,)
    counts : ndarray of int32 of shape (n_nodes,)
        Impurity, weight and number of training rows of each node.
    values : ndarray of float64 of shape (n_values, n_outputs)
        Class shares, or mean targets, of leaves.
    sizes : ndarray of int64 of shape (n_trees, 3)
        Number of nodes, number of leaves and depth of each tree.
    views : LinearViews
    tree_view : ndarray of int64 of shape (n_trees,)
        The view of each tree.
    seeds : ndarray of uint64 of shape (n_trees,), or None
        Seed of each tree, from which its bootstrap can be drawn again; None without a bootstrap.
    bags : Bags, or None
        Rule by which the bootstraps were drawn; None for as many draws as rows, without weights.
    decreases : ndarray of float64 of shape (n_trees, width), or None
        Decrease of impurity by column of the tree's view, if `impurity`, `weight` and `counts` are empty. A forest that
        only predicts does not need these three arrays, which take 20 of the 32 bytes of a node.
    """

    nodes: NDArray
    starts: NDArray[np.int64]
    impurity: NDArray[np.float64]
    weight: NDArray[np.float64]
    counts: NDArray[np.int32]
    values: NDArray[np.float64]
    sizes: NDArray[np.int64]
    views: LinearViews
    tree_view: NDArray[np.int64]
    seeds: NDArray[np.uint64] | None = None
    bags: Bags | None = None
    decreases: NDArray[np.float64] | None = None

    @classmethod
    def join(
        cls,
        pieces: Sequence[TreeArrays],
        tree_view: NDArray[np.int64],
        views: LinearViews,
        centre: float,
        regression: bool,
        unit: float = 1.0,
    ) -> "GrownTrees":
        """Join the arrays of consecutive trees; multiply regression trees by `unit`, and add `centre` to their values."""
        *arrays, all_decreases = zip(*pieces, strict=True)
        nodes, impurity, weight, counts, values, sizes = (
            parts[0] if len(parts) == 1 else np.concatenate(parts) for parts in arrays
        )
        decreases = side_by_side(all_decreases)
        if len(pieces) > 1:  # leaves hold row numbers of the joined array of values
            first_value = np.cumsum([0, *(len(piece.values) for piece in pieces[:-1])])
            shifts = np.repeat(first_value, [len(piece.nodes) for piece in pieces]).astype(np.int32)
            nodes["child"] += np.where((nodes["column"] < 0) & (nodes["child"] >= 0), shifts, 0)
        if regression:
            values *= unit
            values += centre
            if unit != 1:
                impurity = impurity * unit**2
                decreases = None if decreases is None else decreases * unit**2
        starts = np.concatenate([[0], np.cumsum(sizes[:, 0])])
        sizes = sizes[:, :3]
        return cls(nodes, starts, impurity, weight, counts, values, sizes, views, tree_view, decreases=decreases)

    def __len__(self) -> int:
        return len(self.tree_view)

    def take(self, trees: NDArray[np.integer]) -> "GrownTrees":
        """Return the trees of the given numbers, in that order; leaf values and views are shared."""
        lengths = np.diff(self.starts)[trees]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        where = np.arange(starts[-1]) + np.repeat(self.starts[:-1][trees] - starts[:-1], lengths)
        of_nodes: dict[str, Any] = {
            name: getattr(self, name)[where] if len(getattr(self, name)) else getattr(self, name)
            for name in ("impurity", "weight", "counts")
        }
        of_trees: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[trees]
            for name in ("sizes", "tree_view", "seeds", "decreases")
        }
        return replace(self, nodes=self.nodes[where], starts=starts, **of_nodes, **of_trees)

    def compact(self) -> "GrownTrees":
        """Return the same trees without the leaf values and views that no tree uses."""
        valued = (self.nodes["column"] < 0) & (self.nodes["child"] >= 0)
        used, places = np.unique(self.nodes["child"][valued], return_inverse=True)
        nodes = self.nodes.copy()
        nodes["child"][valued] = places
        views, tree_view = np.unique(self.tree_view, return_inverse=True)
        return replace(
            self, nodes=nodes, values=self.values[used], views=self.views.take(views).compact(), tree_view=tree_view
        )

    @classmethod
    def concatenate(cls, forests: Sequence["GrownTrees"]) -> "GrownTrees":
        """Return the trees of several forests, one after the other."""
        if len(forests) == 1:
            return forests[0]
        views = [forest.views for forest in forests]
        shared = all(v is views[0] for v in views)
        first_view = np.zeros(len(forests), int) if shared else np.cumsum([0, *map(len, views[:-1])])
        tree_view = np.concatenate([f.tree_view + v for f, v in zip(forests, first_view, strict=True)])
        pieces = [TreeArrays(*(getattr(forest, name) for name in TreeArrays._fields)) for forest in forests]
        joined = cls.join(pieces, tree_view, views[0] if shared else LinearViews.concatenate(views), 0.0, False)
        if all(forest.seeds is not None for forest in forests):
            joined.seeds = np.concatenate([forest.seeds for forest in forests])
        joined.bags = forests[0].bags
        return joined

    def undescribed(self) -> "GrownTrees":
        """Return the same trees with `decreases` in place of the impurity, weight and counts of nodes."""
        return replace(
            self,
            impurity=np.empty(0),
            weight=np.empty(0),
            counts=np.empty(0, np.int32),
            decreases=self.column_decreases(),
        )

    def out_of_bag(self, n_rows: int, rows: NDArray[np.integer] | None = None) -> NDArray[np.bool_]:
        """Return the out-of-bag mask (row, tree) of the training rows: True where a row is not in a tree's bag.

        Bags are not stored: the bootstrap is drawn again. With `rows`, the mask has only these of the `n_rows` rows.

        Raises
        ------
        ValueError
            The trees were grown without a bootstrap, or on given bags.
        """
        if self.seeds is None:
            raise ValueError("the out-of-bag rows are unknown: the trees have no bootstrap samples of their own")
        chosen = slice(None) if rows is None else rows
        out = np.empty((n_rows if rows is None else len(rows), len(self)), dtype=bool)
        bags = self.bags or Bags.of(n_rows)
        for tree, seed in enumerate(self.seeds):
            unseen = np.ones(n_rows, dtype=bool)
            unseen[bags.drawn(seed)] = False
            out[:, tree] = unseen[chosen]
        return out

    def hardened(self) -> "GrownTrees":
        """Return the same trees with leaves that output 1 for their most probable class, so that sums count votes."""
        votes = np.eye(self.values.shape[1])[self.values.argmax(axis=1)]
        return replace(self, values=votes)

    def sums(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the sums over trees of class shares or predictions, (row, output).

        Parameters
        ----------
        X : C-contiguous ndarray of float32 of shape (n_rows, n_features)
        n_jobs : int, optional
            Number of threads over rows; the result does not depend on `n_jobs`.
        """
        return self.group_sums(X, np.zeros(len(self), dtype=np.int64), 1, n_jobs)[0]

    def means(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the means over trees of class shares or predictions, (row, output); see :meth:`sums`."""
        return self.sums(X, n_jobs) / len(self)

    def group_sums(
        self, X: NDArray[np.float32], groups: NDArray[np.int64], n_groups: int, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the sums over groups of trees, (group, row, output); `groups` is the group of each tree."""
        out = np.zeros((n_groups, len(X), self.values.shape[1]))
        self._read(X, groups, out, _NO_LEAVES, n_jobs)
        return out

    def vote_shares(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the share of trees that vote for each class, (row, class).

        A tie goes to the class of the largest summed probability, then to the first class. Its share is raised by less
        than half a vote, and the shares of the row are rescaled to sum to 1.
        """
        shares = self.hardened().sums(X, n_jobs) / len(self)
        tied = tied_rows(shares)
        if len(tied):
            rows = np.ascontiguousarray(X[tied])
            break_ties(shares, tied, self.sums(rows, n_jobs) if len(self.values) else shares[tied], len(self))
        return shares

    def leaves(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.int32]:
        """Return the leaf that each row reaches in each tree, as a node number within the tree, (row, tree)."""
        out = np.empty((len(X), len(self)), dtype=np.int32)
        self._read(X, np.zeros(len(self), dtype=np.int64), _NO_SUMS, out, n_jobs)
        return out

    def outputs(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class shares or predictions of every tree, (tree, row, output)."""
        leaf = self.nodes["child"][self.leaves(X, n_jobs).T + self.starts[:-1, None]]
        table = np.concatenate([self.values, np.eye(self.values.shape[1])[::-1]])
        return table[leaf]  # -1 - c counts from the end

    def votes(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.intp]:
        """Return the most probable class of every tree, (row, tree)."""
        leaf = self.nodes["child"][self.leaves(X, n_jobs) + self.starts[:-1]]
        n_classes = self.values.shape[1]
        table = np.concatenate([self.values.argmax(axis=1), np.arange(n_classes)[::-1]])
        return table[leaf]

    def importances(self, per_tree: bool = False) -> NDArray[np.float64]:
        """Return each data column's share in the decrease of impurity.

        A column of a view is a weighted sum of data columns; the decrease of a split is shared among these data columns
        in proportion to their squared weights. The shares of a tree sum to 1, or to 0 if the tree has no split. The
        mean is over the trees with a split.

        Returns
        -------
        ndarray of shape (n_features,), or (n_trees, n_features) with `per_tree`
        """
        out = self.views.take(self.tree_view).spread(self.column_decreases())
        total = out.sum(axis=1, keepdims=True)
        out = np.divide(out, total, out=np.zeros_like(out), where=total > 0)
        if per_tree:
            return out
        return out[total[:, 0] > 0].mean(axis=0) if (total > 0).any() else out[0]

    def used_columns(self) -> NDArray[np.bool_]:
        """Return the mask of the data columns that a split of any tree depends on, shape (n_features,)."""
        width, inner = int(self.views.widths().max(initial=1)), np.flatnonzero(self.nodes["column"] >= 0)
        view = self.tree_view[np.searchsorted(self.starts, inner, side="right") - 1]
        splits = np.zeros((len(self.views), width))
        splits[view, split_columns(self.nodes)[inner]] = 1
        return self.views.spread(splits).sum(axis=0) > 0

    def column_decreases(self) -> NDArray[np.float64]:
        """Return the decrease of impurity by column of the tree's view, (tree, column)."""
        if self.decreases is not None:
            return self.decreases
        self._check_described()
        width = int(self.views.widths().max(initial=1))
        return decreases_of(self.nodes, self.starts, self.impurity, self.weight, width)

    def complexity(self) -> dict[str, NDArray[np.int64]]:
        """Return the number of nodes, number of leaves and depth of each tree."""
        return {"n_nodes": self.sizes[:, 0], "n_leaves": self.sizes[:, 1], "depth": self.sizes[:, 2]}

    def arrays(self, tree: int) -> dict[str, NDArray]:
        """Return one tree in the arrays of scikit-learn's ``tree_``.

        ``feature`` is a column of the tree's view. Leaves have children -1, and feature and threshold -2. A threshold
        of infinity separates known values from missing values. ``value`` has the axes (node, output).

        Raises
        ------
        ValueError
            The nodes have no impurity, weight and counts.
        """
        self._check_described()
        mine = slice(self.starts[tree], self.starts[tree + 1])
        return sklearn_arrays(self.nodes[mine], self.impurity[mine], self.weight[mine], self.counts[mine], self.values)

    def _check_described(self) -> None:
        if not len(self.impurity):
            raise ValueError(
                "the nodes of this forest have no impurity, weight and counts; the forest is for prediction only"
            )

    def _read(self, X, groups, sums, leaves, n_jobs) -> None:
        if X.shape[1] != self.views.n_features:
            raise ValueError(f"X has {X.shape[1]} columns, but the trees need {self.views.n_features}")
        n_pieces = len(X) * len(self) // READ_AT_ONCE
        if n_pieces > 1:
            n_pieces = min(n_threads(n_jobs), n_pieces)
        n_pieces = max(1, n_pieces)
        edges = [len(X) * k // n_pieces for k in range(n_pieces + 1)]
        nodes, starts, tree_view, groups = (contiguous(a) for a in (self.nodes, self.starts, self.tree_view, groups))
        X, values, tables = contiguous(X, np.float32), contiguous(self.values), self.views.tables()

        def read(k: int, stop: NDArray[np.uint8]) -> None:
            read_trees(X, edges[k], edges[k + 1], nodes, starts, tree_view, groups, tables, values, sums, leaves, stop)

        list(run_threads(read, range(len(edges) - 1), n_jobs))


def tied_rows(shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows of `shares`, (row, class), in which several classes have the largest share."""
    return np.flatnonzero((shares == shares.max(axis=1, keepdims=True)).sum(axis=1) > 1)


def break_ties(shares: NDArray[np.float64], rows: NDArray[np.intp], sums: NDArray[np.float64], n_votes: int) -> None:
    """Raise, in tied `rows`, the share of the tied class with the largest sum by an amount that float32 still holds."""
    best = shares[rows] == shares[rows].max(axis=1, keepdims=True)
    sums = np.round(sums, 9)  # sums that differ only by the order of addition are equal
    winner = np.where(best, sums, -np.inf).argmax(axis=1)
    shares[rows, winner] += min(1e-5, 0.4 / n_votes)
    shares[rows] /= shares[rows].sum(axis=1, keepdims=True)
