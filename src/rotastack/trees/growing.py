"""Grow forests: groups of trees, each tree on its view."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import unit_of
from rotastack.base.row_weights import weights_of
from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.chunks import CHUNK_ROWS, GrowthTask, TrainingTable, TreeBags
from rotastack.trees.grown import GrownTrees
from rotastack.trees.kernel.batches import BATCH, SPLITTERS
from rotastack.trees.linear_views import LinearViews


@dataclass(frozen=True)
class TrainingRows:
    """The rows that an ensemble is trained on.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Trees need float32, finite values, and NaN for a missing value.
    target : ndarray of shape (n_rows,)
        Class numbers, or numbers for a regression.
    n_classes : int, optional
        None for a regression.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row; a row of weight 0 is left out.
    """

    X: NDArray[Any]
    target: NDArray[Any]
    n_classes: int | None = None
    weights: NDArray[np.float64] | None = None

    def take(self, rows: NDArray) -> "TrainingRows":
        """Return the rows of the given numbers or mask."""
        return TrainingRows(self.X[rows], self.target[rows], self.n_classes, weights_of(self.weights, rows))


@dataclass(frozen=True)
class TreeGroup:
    """Trees that are grown alike: their number, their fitted views and their rule for splits.

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
    columns of their view, and of the limits of a tree they only use `max_depth` and `min_samples_leaf` (here a weight);
    `confidence` and `subtree_raising` are theirs alone. :class:`rotastack.trees.ForestClassifier` describes
    `constant_leaf`.
    """

    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    ccp_alpha: float = 0.0
    confidence: float | None = 0.25
    subtree_raising: bool = True
    constant_leaf: bool = False
    bootstrap: bool = True  # grow each tree on a bag of the rows; in the tree all draws have equal weight
    want_oob: bool = True  # sum the outputs of the trees for their out-of-bag rows
    describe_nodes: bool = True  # keep impurity, weight and number of rows of nodes (20 of 32 bytes), not decreases
    n_jobs: int | None = None  # the result does not depend on it

    def check(self, groups: Sequence[TreeGroup]) -> None:
        """Raise ValueError if trees of C4.5 are not possible with these options or groups."""
        if self.criterion != "c45":
            return
        for name in ("min_samples_split", "ccp_alpha", "constant_leaf"):
            if getattr(self, name) != self._field_defaults[name]:
                raise ValueError(f"C4.5 trees do not support {name}")
        if any(group.splitter != "best" for group in groups):
            raise ValueError("C4.5 trees do not support random cuts")
        if self.confidence is not None and not 0 < self.confidence <= 0.5:
            raise ValueError(f"confidence must be above 0 and at most 0.5, got {self.confidence}")


@dataclass
class OutOfBag:
    """The outputs of trees for rows that they have not seen."""

    sums: NDArray[np.float64]  # (n_rows, n_outputs): over the trees whose bag lacks the row
    counts: NDArray[np.integer]  # (n_rows,): number of these trees
    tree_errors: NDArray[np.float64] = field(repr=False)  # (n_trees,): weighted errors; NaN without out-of-bag rows

    def means(self) -> NDArray[np.float64]:
        """Return the mean outputs (row, output); NaN for rows in the bag of every tree."""
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


def batches_of(groups: Sequence[TreeGroup], widths: NDArray[np.int64], most: int) -> tuple[NDArray, NDArray[np.int64]]:
    """Return batches of at most `most` trees, and the number of each batch's group."""
    parts, owners = [], []
    first_view = first_tree = 0
    for g, group in enumerate(groups):
        n_views = 1 if group.views is None else len(group.views)
        if group.n_trees < 1 or n_views < 1 or group.n_trees % n_views:
            raise ValueError(f"group {group.name}: {group.n_trees} trees are not a multiple of {n_views} views")
        each = group.n_trees // n_views
        per_view = -(-each // most)
        view, piece = np.divmod(np.arange(n_views * per_view), per_view)
        width = widths[first_view : first_view + n_views].tolist()
        candidates = {w: n_candidates(group.max_features, w) for w in set(width)}
        batches = np.zeros(n_views * per_view, BATCH)
        batches["view"] = first_view + view
        batches["first_tree"] = first_tree + each * view + most * piece
        batches["n_trees"] = np.minimum(most, each - most * piece)
        batches["splitter"] = SPLITTERS[group.splitter]
        batches["max_features"] = np.repeat([candidates[w] for w in width], per_view)
        batches["n_cuts"] = group.n_cuts
        parts.append(batches)
        owners.append(np.full(len(batches), g))
        first_view += n_views
        first_tree += group.n_trees
    return (parts[0], owners[0]) if len(parts) == 1 else (np.concatenate(parts), np.concatenate(owners))


def grow_forest(
    rows: TrainingRows,
    groups: Sequence[TreeGroup],
    options: TreeOptions,
    sequence: np.random.SeedSequence,
    *,
    bags: Bags | None = None,
    seeds: NDArray[np.uint64] | None = None,
) -> tuple[GrownTrees, list[OutOfBag] | None]:
    """Grow a forest.

    The seed of tree k of group g is the k-th number of ``child(sequence, "trees", g)``. So the forest does not depend
    on the number of threads, and a group does not depend on the other groups.

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
    rows : TrainingRows
    groups : sequence of TreeGroup
    options : TreeOptions
    sequence : numpy.random.SeedSequence
    bags : Bags, optional
        Rule for drawing the bags, or the bags themselves (``Bags.given``), for views that were fitted to the same rows.
        Default: ``Bags.of(n_rows, weights)``. If rows have groups, a draw of a row counts by the weight of the row.
        Only used with a bootstrap.
    seeds : ndarray of uint64 of shape (n_trees,), optional
        Seed of each tree, group after group, in place of seeds from `sequence`.

    Returns
    -------
    trees : GrownTrees
    out_of_bag : list of OutOfBag, one for each group; None without bags or `want_oob`
    """
    n_rows, n_features = rows.X.shape
    regression = rows.n_classes is None
    options = options._replace(
        criterion="squared_error" if regression else options.criterion, want_oob=options.want_oob and options.bootstrap
    )
    options.check(groups)
    views = LinearViews.concatenate([group.views or LinearViews.identity(n_features) for group in groups])
    widths = views.widths()
    if views.n_features != n_features:
        raise ValueError(f"the views have {views.n_features} columns, but X has {n_features}")
    if widths.min() < 1:
        raise ValueError("a view has no columns; at least one is needed")
    trees_at_once = max(1, CHUNK_ROWS // n_rows)
    batches, group_of_batch = batches_of(groups, widths, trees_at_once)
    if seeds is None:
        seeds = np.concatenate([tree_seeds(sequence, g, group.n_trees) for g, group in enumerate(groups)])
    bags = bags or Bags.of(n_rows, rows.weights)
    tree_bags = TreeBags.of(seeds, bags, options.bootstrap, n_rows)
    targets: Any
    targets, centre, unit = _centred(rows, bags) if regression else (rows.target, 0.0, 1.0)
    weights = np.ones((1, n_rows)) if rows.weights is None else rows.weights.reshape(1, -1).astype(np.float64)
    if tree_bags.drawn:
        weights = weights / weights.max()  # the draws ignore the scale; only out-of-bag errors use weights
    codes = np.zeros(n_rows, np.int32) if regression else targets
    table = TrainingTable.of(rows.X[None], codes, targets, weights, rows.n_classes or 1, options.criterion, tree_bags)
    task = GrowthTask(table, batches, tree_bags, views.tables(), options)
    grown, tree_errors = [], []
    sums = np.zeros((len(groups), n_rows, table.n_outputs)) if options.want_oob else np.empty(0)
    counts = np.zeros((len(groups), n_rows), np.int32)
    for (begin, _), chunk in task.chunks(group_of_batch, trees_at_once):
        grown.append(chunk.trees)
        if options.want_oob:
            tree_errors.append(chunk.tree_errors)
            sums[group_of_batch[begin]] += chunk.oob_sums
            counts[group_of_batch[begin]] += chunk.oob_counts
    tree_view = np.repeat(batches["view"], batches["n_trees"])
    trees = GrownTrees.join(grown, tree_view, views, centre, regression, unit)
    if options.bootstrap and bags.counts is None:
        usual = rows.weights is None and bags.size == n_rows and bags.row_groups is None
        trees.seeds, trees.bags = seeds, None if usual else bags
    if not options.want_oob:
        return trees, None
    errors = np.split(np.concatenate(tree_errors) * unit**2, np.cumsum([group.n_trees for group in groups])[:-1])
    sums = sums * unit + centre * counts[:, :, None]
    return trees, [OutOfBag(*of_group) for of_group in zip(sums, counts, errors, strict=True)]


def _centred(rows: TrainingRows, bags: Bags) -> tuple[NDArray[np.float64], float, float]:
    """Return the targets of a regression minus their mean and in a unit that the kernel can tell apart, the mean and the unit."""
    uneven = weights_of(rows.weights, bags.rows) if len(bags.ends) else None
    centre = float(np.average(rows.target[bags.rows], weights=uneven))
    targets = rows.target.astype(np.float64) - centre
    unit = unit_of(targets) if np.abs(targets).max() < 1e-3 else 1.0  # the kernel takes small differences for rounding
    return targets / unit, centre, unit
