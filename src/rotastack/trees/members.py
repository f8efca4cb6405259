"""Grow the forests of a pool's members in one call, for one training set or many."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.chunks import CHUNK_ROWS, GrowthTask, TrainingTable, TreeBags, chunk_edges
from rotastack.trees.growing import TreeGroup, TreeOptions, batches_of
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.threads import run_threads


@dataclass
class MemberForests:
    """Sizes, errors and outputs of the members of pools; axes (training set, member, ...)."""

    n_nodes: NDArray[np.float64]  # median number of nodes of each member's trees
    depth: NDArray[np.float64]  # mean depth
    oob_error: NDArray[np.float64]  # out-of-bag error; NaN without a bootstrap
    held_out: NDArray[np.float32]  # (..., n_rows, n_classes): outputs for rows outside the training set; 0 inside it
    trees: GrownTrees | None  # all trees, member after member, if they were kept

    def take(self, members: NDArray[np.intp]) -> "MemberForests":
        """Return the members of the given numbers, with their trees if the trees were kept."""
        trees = None
        if self.trees is not None:
            each = len(self.trees) // self.n_nodes.shape[1]
            trees = self.trees.take((members[:, None] * each + np.arange(each)).ravel()).compact()
        return MemberForests(
            self.n_nodes[:, members], self.depth[:, members], self.oob_error[:, members],
            self.held_out[:, members], trees,
        )  # fmt: skip

    def outputs(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float32]:
        """Return the class probabilities of all members, (member, row, class)."""
        assert self.trees is not None
        n_members = self.n_nodes.shape[1]
        each = len(self.trees) // n_members
        groups = np.repeat(np.arange(n_members), each)
        return (self.trees.group_sums(X, groups, n_members, n_jobs) / each).astype(np.float32)


def grow_members(
    X: NDArray[np.float32],
    y: NDArray[np.integer],
    n_classes: int,
    family: TreeGroup,
    options: TreeOptions,
    sequences: Sequence[np.random.SeedSequence],
    *,
    training: NDArray[np.bool_] | None = None,
    weights: NDArray[np.float64] | None = None,
    bootstrap: bool = True,
    keep: bool = True,
    n_jobs: int | None = None,
) -> MemberForests:
    """Grow one forest for each training set and view.

    The trees of training set s equal those of ``grow_forest`` on its rows with ``sequences[s]``. So they depend neither
    on the other training sets nor on `n_jobs`.

    Memory beyond the input, for S training sets, M members, n rows, p columns and C classes: ``S n (4 p + 4 M C + 8)``
    bytes, and for each thread the bytes that ``grow_forest`` states. Trees that are not kept are freed after each call
    of the kernel.

    X, float32 (n_sets or 1, n_rows, n_features), holds one copy of the rows for each training set (for example scaled
    by a scaler that was fitted to its training rows) or one for all. `family` has one view for each member, and the
    number of trees of all members; there is one sequence for each training set. The mask `training`, (n_sets, n_rows),
    tells the rows of each training set (default: all). `weights` are allowed without `training`; see ``grow_forest``.
    Trees can be kept for a single training set only.
    """
    n_sets, n_rows = len(sequences), X.shape[1]
    if keep and n_sets != 1:
        raise ValueError(f"all trees must have the same training set, got {n_sets} training sets")
    options.check([family])
    views = family.views or LinearViews.identity(X.shape[2])
    n_members = len(views)
    widths = views.widths()
    member_batches = batches_of([family], widths, family.n_trees)[0]
    masks = np.ones((n_sets, n_rows)) if training is None else training.astype(np.float64, order="C")
    bags = Bags.of(n_rows, weights)
    if weights is not None:
        masks = masks * (weights / weights.max() if bootstrap else weights)
    empty = np.flatnonzero(~masks.any(axis=1))
    if len(empty):
        raise ValueError(f"training set {empty[0]} has no rows")
    batches = np.tile(member_batches, n_sets)
    batches["mask"] = np.repeat(np.arange(n_sets), n_members)
    batches["data_set"] = batches["mask"] if len(X) > 1 else 0
    batches["first_tree"] = np.arange(len(batches)) * batches["n_trees"][0]
    seeds = np.concatenate([tree_seeds(sequence, 0, family.n_trees) for sequence in sequences])
    want_held = training is not None
    tree_bags = TreeBags(seeds, bootstrap, bags.ends, bags.size)
    table = TrainingTable.of(X, y, y, masks, n_classes, options.criterion, tree_bags)
    task = GrowthTask(
        table, batches, tree_bags, views.tables(), options,
        keep=keep, want_oob=bootstrap, oob_per_batch=True, want_held=want_held,
    )  # fmt: skip
    edges = chunk_edges(batches, np.zeros(len(batches), np.int64), max(1, CHUNK_ROWS // n_rows))
    held = np.empty((len(batches), n_rows, n_classes) if want_held else (len(batches), 0, 0), np.float32)
    grown, sizes, errors = [], [], []
    chunks = list(pairwise(edges))
    for (begin, end), chunk in zip(chunks, run_threads(task.grow, chunks, n_jobs), strict=True):
        if keep:
            grown.append(chunk.trees)
        sizes.append(chunk.trees.sizes)
        errors.append(chunk.batch_errors)
        if want_held:
            held[begin:end] = chunk.held_out
    trees = None
    if keep:
        trees = GrownTrees.join(grown, np.repeat(batches["view"], batches["n_trees"]), views, 0.0, False)
        if bootstrap and training is None:
            trees.seeds, trees.bags = seeds, None if weights is None else bags
    counts = np.concatenate(sizes).reshape(n_sets, n_members, -1, 4)
    return MemberForests(
        np.median(counts[..., 0], axis=2),
        counts[..., 2].mean(axis=2),
        np.concatenate(errors).reshape(n_sets, n_members),
        held.reshape(n_sets, n_members, *held.shape[1:]),
        trees,
    )
