"""A pool of trees on rotations to which trees are added on demand (thesis, algorithm 2)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.seeds import child
from rotastack.trees.bags import kernel_seeds
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.members import grow_members
from rotastack.trees.ties import break_ties, tied_rows

__all__ = ["GrowingForests"]


class GrowingForests:
    """A pool of trees on R rotations: a micro-forest on each rotation, and more trees on demand.

    Tree j on rotation r does not depend on the number of trees, so all compared weightings share their trees.

    Parameters
    ----------
    X : ndarray of float32 of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Class numbers.
    n_classes : int
    views : LinearViews
        One view for each rotation.
    micro_forest_size : int
        U, number of trees on each rotation by which rotations are ranked.
    max_features : {"sqrt", "log2"}, int, float or None
    sequence : numpy.random.SeedSequence
    options : TreeOptions
    weights : ndarray of shape (n_rows,), optional
        Weights of the rows, by which bags are drawn.
    n_jobs : int, optional

    Attributes
    ----------
    complexity : ndarray of shape (n_rotations,)
        Median number of nodes plus mean depth over training rows (equation 2.5).
    oob_error : ndarray of shape (n_rotations,)
        Out-of-bag error of each micro-forest.
    """

    def __init__(
        self,
        X: NDArray[np.float32],
        y: NDArray[np.integer],
        n_classes: int,
        views: LinearViews,
        micro_forest_size: int,
        max_features: str | int | float | None,
        sequence: np.random.SeedSequence,
        options: TreeOptions,
        weights: NDArray[np.float64] | None = None,
        n_jobs: int | None = None,
    ):
        self.X, self.y, self.n_classes, self.views = X, y, n_classes, views
        self.max_features = max_features
        self.sequence = sequence
        self.options = options
        self.weights = weights
        self.n_jobs = n_jobs
        R = len(views)
        micro = grow_members(
            X[None], y, n_classes, TreeGroup(R * micro_forest_size, views, max_features=max_features),
            options, [child(sequence, "micro")], weights=weights, n_jobs=n_jobs,
        )  # fmt: skip
        self.complexity = rotation_complexity(
            micro.n_nodes[0], micro.depth[0], len(X) if weights is None else np.count_nonzero(weights)
        )
        self.oob_error = micro.oob_error[0]
        self.size = np.full(R, micro_forest_size)
        assert micro.trees is not None
        self._grown = [micro.trees]
        self._rotation = [np.repeat(np.arange(R), micro_forest_size)]
        self._number = [np.tile(np.arange(micro_forest_size), R)]
        self._micro = micro_forest_size

    def grow(self, counts: NDArray[np.integer]) -> None:
        """Grow trees until each rotation r has at least ``counts[r]`` trees."""
        short = np.flatnonzero(counts > self.size)
        if not len(short):
            return
        families, seeds = [], []
        for r in short.tolist():
            first, last = int(self.size[r]), int(counts[r])
            families.append(TreeGroup(last - first, self.views.take([r]), max_features=self.max_features))
            more = kernel_seeds(child(self.sequence, "more", r), last - self._micro)
            seeds.append(more[first - self._micro :])
        grown, _ = grow_forest(
            self.X, self.y, families, self.options, self.sequence,
            n_classes=self.n_classes, weights=self.weights, seeds=np.concatenate(seeds), want_oob=False, n_jobs=self.n_jobs,
        )  # fmt: skip
        grown.tree_view, grown.views = short[grown.tree_view], self.views
        self._grown.append(grown)
        added = counts[short] - self.size[short]
        self._rotation.append(np.repeat(short, added))
        self._number.append(np.concatenate([np.arange(self.size[r], counts[r]) for r in short.tolist()]))
        self.size[short] = counts[short]

    def forest(self, counts: NDArray[np.integer]) -> GrownTrees:
        """Return the first ``counts[r]`` trees on each rotation r, in the order of the rotations."""
        self.grow(counts)
        rotation, number = np.concatenate(self._rotation), np.concatenate(self._number)
        kept = np.flatnonzero(number < counts[rotation])
        trees = GrownTrees.concatenate(self._grown)
        return trees.take(kept[np.lexsort((number[kept], rotation[kept]))])

    def vote_shares(
        self, X: NDArray[np.float32], counts: Sequence[NDArray[np.integer]]
    ) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        """Return the vote shares of several ensembles from this pool; each tree is grown and evaluated once.

        Parameters
        ----------
        X : C-contiguous ndarray of float32 of shape (n_rows, n_features)
        counts : sequence of ndarray of shape (n_rotations,)
            Number of trees of each ensemble on each rotation.

        Returns
        -------
        shares : ndarray of shape (n_ensembles, n_rows, n_classes)
            :meth:`rotastack.trees.GrownTrees.vote_shares` of each ensemble.
        facts : list of dict
            Mean number of nodes and leaves, and mean depth, of each ensemble's trees.
        """
        self.grow(np.max(counts, axis=0))
        table = np.stack(counts)
        sums: Any = np.zeros((len(counts), len(X), self.n_classes))
        votes: Any = np.zeros_like(sums)
        facts = np.zeros((len(counts), 3))
        for grown, rotation, number in zip(self._grown, self._rotation, self._number, strict=True):
            used = number < table[:, rotation]  # (ensemble, tree)
            # Trees that belong to the same ensembles form a group, so each tree is evaluated once.
            patterns, group = np.unique(used.T, axis=0, return_inverse=True)
            group = group.reshape(-1).astype(np.int64)
            weights = patterns.T.astype(np.float64)
            group_sums = grown.hardened().group_sums(X, group, len(patterns), self.n_jobs)
            votes += np.einsum("eg,grc->erc", weights, group_sums)
            if len(grown.values):
                group_sums = grown.group_sums(X, group, len(patterns), self.n_jobs)
            sums += np.einsum("eg,grc->erc", weights, group_sums)
            facts += used.astype(np.float64) @ grown.facts
        n_trees = table.sum(axis=1)
        shares = votes / n_trees[:, None, None]
        for k, n in enumerate(n_trees.tolist()):
            rows = tied_rows(shares[k])
            break_ties(shares[k], rows, sums[k, rows], n)
        facts /= n_trees[:, None]
        names = ("n_nodes", "n_leaves", "depth")
        return shares, [dict(zip(names, row.tolist(), strict=True)) for row in facts]
