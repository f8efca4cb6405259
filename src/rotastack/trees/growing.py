"""Grow forests: families of trees, each tree on its view."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import unit_of
from rotastack.base.row_weights import weights_of
from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.chunks import CHUNK_ROWS, GrowthTask, TrainingTable, TreeBags, chunk_edges
from rotastack.trees.grown import GrownTrees
from rotastack.trees.kernel.batches import BATCH, SPLITTERS
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.threads import run_threads


@dataclass(frozen=True)
class TreeGroup:
    """A family of trees, ready to be grown: their number, their fitted views and their rule for splits.

    Parameters
    ----------
    n_trees : int
    views : LinearViews, optional
        One view for all trees, one for each tree, or one for every ``n_trees / len(views)`` trees in a row. Default:
        the data themselves.
    splitter : {"best", "random"}
        Use the best cut (threshold) of a column, or the best of `n_cuts` cuts drawn between the smallest and the
        largest value in the node.
    max_features : {"sqrt", "log2"}, int, float or None
        Columns of the view that are searched for each split: a rule, their number, their share, or None for all.
    n_cuts : int
    name : str
        Name for error messages.
    """

    n_trees: int
    views: LinearViews | None = None
    splitter: str = "best"
    max_features: str | int | float | None = "sqrt"
    n_cuts: int = 1
    name: str = "all"


class TreeOptions(NamedTuple):
    """The options that all trees of a forest share, named as in scikit-learn.

    With the criterion "c45" the trees are those of :class:`rotastack.trees.C45Classifier`. Such trees search all
    columns of their view, and the only other options they use are `max_depth`, `min_samples_leaf` (here a weight),
    `confidence` and `subtree_raising`. :class:`rotastack.trees.ForestClassifier` describes `constant_leaf`.
    """

    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    ccp_alpha: float = 0.0
    confidence: float | None = 0.25
    subtree_raising: bool = True
    constant_leaf: bool = False

    def check(self, families: Sequence[TreeGroup]) -> None:
        """Raise ValueError if trees of C4.5 are not possible with these options or families."""
        if self.criterion != "c45":
            return
        allowed = {"criterion", "max_depth", "min_samples_leaf", "confidence", "subtree_raising"}
        for name, default in self._field_defaults.items():
            if name not in allowed and getattr(self, name) != default:
                raise ValueError(f"C4.5 trees do not support {name}")
        if any(family.splitter != "best" for family in families):
            raise ValueError("C4.5 trees do not support random cuts")
        if self.confidence is not None and not 0 < self.confidence <= 0.5:
            raise ValueError(f"confidence must be above 0 and at most 0.5, got {self.confidence}")


@dataclass
class FamilyOutOfBag:
    """The out-of-bag outputs of the trees of a family."""

    sums: NDArray[np.float64]  # (n_rows, n_outputs): over the trees whose bag lacks the row
    counts: NDArray[np.int64]  # (n_rows,): number of these trees
    tree_errors: NDArray[np.float64] = field(repr=False)  # (n_trees,): weighted errors; NaN without out-of-bag rows

    def means(self) -> NDArray[np.float64]:
        """Return the mean out-of-bag outputs (row, output); NaN for rows in the bag of every tree."""
        return np.where(self.counts[:, None] > 0, self.sums / np.maximum(self.counts, 1)[:, None], np.nan)


def n_candidates(max_features: str | int | float | None, width: int) -> int:
    """Return the number of columns, of `width`, that are searched for a split."""
    if max_features is None:
        return width
    if max_features == "sqrt":
        return max(1, int(np.sqrt(width)))
    if max_features == "log2":
        return max(1, int(np.log2(width)))
    if isinstance(max_features, Integral):
        if max_features > width:
            raise ValueError(f"max_features is {max_features}; at most {width}, the number of columns, is allowed")
        return int(max_features)
    return max(1, int(float(max_features) * width))


def batches_of(
    families: Sequence[TreeGroup], widths: NDArray[np.int64], most: int
) -> tuple[NDArray, NDArray[np.int64]]:
    """Return batches of at most `most` trees, and the family of each batch."""
    parts, owners = [], []
    first_view = first_tree = 0
    for f, family in enumerate(families):
        n_views = 1 if family.views is None else len(family.views)
        if family.n_trees < 1 or n_views < 1 or family.n_trees % n_views:
            raise ValueError(f"family {family.name}: {family.n_trees} trees are not a multiple of {n_views} views")
        each = family.n_trees // n_views
        per_view = -(-each // most)
        view, piece = np.divmod(np.arange(n_views * per_view), per_view)
        width = widths[first_view : first_view + n_views].tolist()
        candidates = {w: n_candidates(family.max_features, w) for w in set(width)}
        batches = np.zeros(n_views * per_view, BATCH)
        batches["view"] = first_view + view
        batches["first_tree"] = first_tree + each * view + most * piece
        batches["n_trees"] = np.minimum(most, each - most * piece)
        batches["splitter"] = SPLITTERS[family.splitter]
        batches["max_features"] = np.repeat([candidates[w] for w in width], per_view)
        batches["n_cuts"] = family.n_cuts
        parts.append(batches)
        owners.append(np.full(len(batches), f))
        first_view += n_views
        first_tree += family.n_trees
    return (parts[0], owners[0]) if len(parts) == 1 else (np.concatenate(parts), np.concatenate(owners))


def grow_forest(
    X: NDArray[np.float32],
    target: NDArray,
    families: Sequence[TreeGroup],
    options: TreeOptions,
    sequence: np.random.SeedSequence,
    *,
    n_classes: int | None = None,
    weights: NDArray[np.float64] | None = None,
    bootstrap: bool = True,
    bags: Bags | None = None,
    bag_counts: NDArray[np.int32] | None = None,
    seeds: NDArray[np.uint64] | None = None,
    want_oob: bool = True,
    describe_nodes: bool = True,
    n_jobs: int | None = None,
) -> tuple[GrownTrees, list[FamilyOutOfBag] | None]:
    """Grow a forest.

    The seed of tree k of family f is the k-th number of ``child(sequence, "trees", f)``. So the forest does not depend
    on `n_jobs`, and a family does not depend on the other families.

    Memory in bytes beyond the input, for n rows, p columns and C classes:

    - ``4 n p`` for a copy of the data; ``9 n p`` if all columns are zeros and ones.
    - ``n (4 q + 244 + 8 C)`` for each thread, q being the number of mapped columns of the widest view; ``40 n`` more if
      n is at most 65,535.
    - ``8 n w`` for each thread, but at most 256 MB, if splits search more than half of the columns, w being the number
      of columns of the widest view. C4.5 takes ``12 n w`` without a limit. If all rows weigh 1 and n is at most 65,535,
      the factors are 6 and 10.
    - 32 for each node of the result, with at most 2 n - 1 nodes a tree, and ``8 C`` for each leaf with more than one
      class; twice as much while the trees of the chunks are joined.

    Parameters
    ----------
    X : ndarray of float32 of shape (n_rows, n_features)
        Finite values; NaN for a missing value.
    target : ndarray of shape (n_rows,)
        Class numbers, or numbers for a regression.
    families : sequence of TreeGroup
    options : TreeOptions
    sequence : numpy.random.SeedSequence
    n_classes : int, optional
        None for a regression.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row; a row of weight 0 is left out.
    bootstrap : bool
        Grow each tree on as many rows, drawn with replacement by weight; in the tree all draws have equal weight.
    bags : Bags, optional
        Rule for drawing the bags. Default: ``Bags.of(n_rows, weights)``. If rows have groups, a draw of a row counts by
        the weight of the row.
    bag_counts : ndarray of int32 of shape (n_trees, n_rows), optional
        Number of times that each tree sees each row, instead of a draw; for views that were fitted to the same rows.
        The trees of all families are numbered consecutively.
    seeds : ndarray of uint64 of shape (n_trees,), optional
        Seed of each tree of all families, in place of seeds from `sequence`.
    want_oob : bool
        Whether to sum the outputs of the trees for their out-of-bag rows.
    describe_nodes : bool
        Whether the trees keep impurity, weight and number of rows of each node, which take 20 of the 32 bytes of a
        node. Otherwise the trees keep their decreases of impurity by column.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    trees : GrownTrees
    out_of_bag : list of FamilyOutOfBag, one for each family; None without bags or `want_oob`
    """
    n_rows, n_features = X.shape
    target = np.asarray(target)
    regression = n_classes is None
    n_outputs = n_classes or 1
    if regression:
        options = options._replace(criterion="squared_error")
    options.check(families)
    codes = np.zeros(n_rows, dtype=np.int32) if regression else target.astype(np.int32)
    base_weight = np.ones((1, n_rows)) if weights is None else weights.reshape(1, -1).astype(np.float64)
    drawing = bootstrap and bag_counts is None
    bags = bags or Bags.of(n_rows, weights)
    by_groups = drawing and bags.row_groups is not None
    centre = 0.0
    if regression:
        uneven = weights_of(weights, bags.rows) if len(bags.ends) else None
        centre = float(np.average(target[bags.rows], weights=uneven))
    if drawing and not by_groups:
        base_weight = base_weight / base_weight.max()  # the draws ignore the scale; only out-of-bag errors use weights
    views = LinearViews.concatenate([f.views or LinearViews.identity(n_features) for f in families])
    widths = views.widths()
    if views.n_features != n_features:
        raise ValueError(f"the views have {views.n_features} columns, but X has {n_features}")
    if widths.min() < 1:
        raise ValueError("a view has no columns; at least one is needed")
    trees_at_once = max(1, CHUNK_ROWS // n_rows)
    batches, family_of_batch = batches_of(families, widths, trees_at_once)
    n_trees = int(batches["n_trees"].sum())
    if seeds is None:
        seeds = np.concatenate([tree_seeds(sequence, f, x.n_trees) for f, x in enumerate(families)])
    if by_groups:
        bag_counts = np.empty((len(seeds), n_rows), np.int32)
        for counts_of_tree, seed in zip(bag_counts, seeds, strict=True):
            counts_of_tree[:] = np.bincount(bags.drawn(seed), minlength=n_rows)
    want_oob = want_oob and (bootstrap or bag_counts is not None)
    counts = np.empty((0, 0), np.int32) if bag_counts is None else np.array(bag_counts, dtype=np.int32, order="C")
    if bag_counts is not None and counts.shape != (n_trees, n_rows):
        raise ValueError(f"bag_counts must have shape {(n_trees, n_rows)}, got {counts.shape}")
    if counts.min(initial=0) < 0:
        raise ValueError("bag_counts must be at least 0")
    tree_bags = TreeBags(seeds, bootstrap, bags.ends, bags.size, counts)
    targets = target.astype(np.float64) - centre
    # The kernel takes small differences for rounding.
    unit = unit_of(targets) if regression and np.abs(targets).max() < 1e-3 else 1.0
    targets /= unit
    table = TrainingTable.of(X[None], codes, targets, base_weight, n_outputs, options.criterion, tree_bags)
    task = GrowthTask(
        table, batches, tree_bags, views.tables(), options, describe_nodes=describe_nodes, want_oob=want_oob
    )  # fmt: skip
    chunks = list(pairwise(chunk_edges(batches, family_of_batch, trees_at_once)))
    grown, tree_errors = [], []
    sums: list[Any] = [None] * len(families)
    seen: list[Any] = [None] * len(families)
    for (begin, _), chunk in zip(chunks, run_threads(task.grow, chunks, n_jobs), strict=True):
        grown.append(chunk.trees)
        tree_errors.append(chunk.tree_errors)
        f = int(family_of_batch[begin])
        sums[f] = chunk.oob_sums if sums[f] is None else sums[f] + chunk.oob_sums
        seen[f] = chunk.oob_counts if seen[f] is None else seen[f] + chunk.oob_counts
    out_of_bag = None
    if want_oob:
        errors = np.concatenate(tree_errors)
        ends = list(accumulate(f.n_trees for f in families))
        out_of_bag = [
            FamilyOutOfBag(sums[f] * unit + centre * seen[f][:, None], seen[f], errors[end - x.n_trees : end] * unit**2)
            for f, (x, end) in enumerate(zip(families, ends, strict=True))
        ]
    tree_view = np.repeat(batches["view"], batches["n_trees"])
    trees = GrownTrees.join(grown, tree_view, views, centre, regression, unit)
    if drawing:
        usual = weights is None and bags.size == n_rows and not by_groups
        trees.seeds, trees.bags = seeds, None if usual else bags
    return trees, out_of_bag
