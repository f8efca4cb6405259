"""Grow the forests of a pool's members in one call, for one training set or many."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.chunks import CHUNK_ROWS, GrowthTask, TrainingTable, TreeBags
from rotastack.trees.growing import TrainingRows, TreeGroup, TreeOptions, batches_of
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews


@dataclass
class GrownMembers:
    """Sizes, errors and outputs of the members of pools; axes (training set, member, ...)."""

    n_nodes: NDArray[np.float64]  # median number of nodes of each member's trees
    depth: NDArray[np.float64]  # mean depth
    oob_error: NDArray[np.float64]  # out-of-bag error; NaN without a bootstrap
    held_out: NDArray[np.float32]  # (..., n_rows, n_classes): outputs for rows outside the training set; 0 inside it
    trees: GrownTrees | None  # all trees, member after member, if they were kept

    def take(self, members: NDArray[np.intp]) -> "GrownMembers":
        """Return the members of the given numbers, with their trees if the trees were kept."""
        trees = None
        if self.trees is not None:
            each = len(self.trees) // self.n_nodes.shape[1]
            trees = self.trees.take((members[:, None] * each + np.arange(each)).ravel()).compact()
        return GrownMembers(
            self.n_nodes[:, members],
            self.depth[:, members],
            self.oob_error[:, members],
            self.held_out[:, members],
            trees,
        )

    def outputs(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float32]:
        """Return the class probabilities of all members, (member, row, class)."""
        assert self.trees is not None
        n_members = self.n_nodes.shape[1]
        each = len(self.trees) // n_members
        groups = np.repeat(np.arange(n_members), each)
        return (self.trees.group_sums(X, groups, n_members, n_jobs) / each).astype(np.float32)


def grow_members(
    rows: TrainingRows,
    group: TreeGroup,
    options: TreeOptions,
    sequences: Sequence[np.random.SeedSequence],
    training: NDArray[np.bool_] | None = None,
) -> GrownMembers:
    """Grow one forest for each training set and view.

    The trees of training set s equal those of ``grow_forest`` on its rows with ``sequences[s]``. So they depend neither
    on the other training sets nor on the number of threads.

    Memory beyond the input, for S training sets, M members, n rows, p columns and C classes: ``S n (4 p + 4 M C + 8)``
    bytes, and for each thread the bytes that ``grow_forest`` states. Trees that are not kept are freed after each call
    of the kernel.

    ``rows.X``, float32 (n_sets or 1, n_rows, n_features), holds one copy of the rows for each training set (for example
    scaled by a scaler that was fitted to its training rows) or one for all. `group` has one view for each member, and
    the number of trees of all members; there is one sequence for each training set. The mask `training`, (n_sets,
    n_rows), tells the rows of each training set; without it, there is a single set of all rows, and the trees are kept.
    Weights are allowed without `training`; see ``grow_forest``.
    """
    n_sets, n_rows = len(sequences), rows.X.shape[1]
    keep = training is None
    if keep and n_sets != 1:
        raise ValueError(f"all trees must have the same training set, got {n_sets} training sets")
    options.check([group])
    views = group.views or LinearViews.identity(rows.X.shape[2])
    n_members = len(views)
    member_batches = batches_of([group], views.widths(), group.n_trees)[0]
    masks = np.ones((n_sets, n_rows)) if training is None else training.astype(np.float64, order="C")
    bags, weights = Bags.of(n_rows, rows.weights), rows.weights
    if weights is not None:
        masks = masks * (weights / weights.max() if options.bootstrap else weights)
    empty = np.flatnonzero(~masks.any(axis=1))
    if len(empty):
        raise ValueError(f"training set {empty[0]} has no rows")
    batches = np.tile(member_batches, n_sets)
    batches["mask"] = np.repeat(np.arange(n_sets), n_members)
    batches["data_set"] = batches["mask"] if len(rows.X) > 1 else 0
    batches["first_tree"] = np.arange(len(batches)) * batches["n_trees"][0]
    seeds = np.concatenate([tree_seeds(sequence, 0, group.n_trees) for sequence in sequences])
    tree_bags = TreeBags.of(seeds, bags, options.bootstrap, n_rows)
    options = options._replace(want_oob=options.bootstrap)
    assert rows.n_classes is not None
    table = TrainingTable.of(rows.X, rows.target, rows.target, masks, rows.n_classes, options.criterion, tree_bags)
    task = GrowthTask(table, batches, tree_bags, views.tables(), options, keep, oob_per_batch=True, want_held=not keep)
    held = np.empty((len(batches), 0 if keep else n_rows, 0 if keep else rows.n_classes), np.float32)
    grown, sizes, errors = [], [], []
    for (begin, end), chunk in task.chunks(np.zeros(len(batches), np.int64), max(1, CHUNK_ROWS // n_rows)):
        sizes.append(chunk.trees.sizes)
        errors.append(chunk.batch_errors)
        if keep:
            grown.append(chunk.trees)
        else:
            held[begin:end] = chunk.held_out
    trees = None
    if keep:
        trees = GrownTrees.join(grown, np.repeat(batches["view"], batches["n_trees"]), views, 0.0, False)
        if options.bootstrap:
            trees.seeds, trees.bags = seeds, None if weights is None else bags
    counts = np.concatenate(sizes).reshape(n_sets, n_members, -1, 4)
    return GrownMembers(
        np.median(counts[..., 0], axis=2),
        counts[..., 2].mean(axis=2),
        np.concatenate(errors).reshape(n_sets, n_members),
        held.reshape(n_sets, n_members, *held.shape[1:]),
        trees,
    )
