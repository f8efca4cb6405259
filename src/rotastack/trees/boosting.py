"""Grow boosted trees: boosters, each on its bag, whose number of rounds is chosen on the rows they do not see."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from rotastack.base.outputs import mean_of, unit_of
from rotastack.base.row_weights import relative_weights
from rotastack.seeds import child
from rotastack.trees.bags import kernel_seeds
from rotastack.trees.boosters import ROUNDS_AT_ONCE, Boosters, BoostingTask
from rotastack.trees.boosting_options import BoostingOptions
from rotastack.trees.chunks import by_column
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.missing import missing_columns

__all__ = ["BoostedTrees", "boosting_folds", "grow_boosted", "probabilities"]


@dataclass
class BoostedTrees:
    """Boosters, each with its trees.

    Attributes
    ----------
    trees : GrownTrees
        Booster after booster, round after round, a tree for each output. Their leaves hold scores, already times the
        learning rate. The impurity of a node is what the splits below it gain, over its weight; if targets have no
        squares, being above 1e100 or below 1e-100, it is in a unit of its own.
    base : ndarray of shape (n_boosters, n_outputs)
        Scores that boosters start from.
    folds : ndarray of int32 of shape (n_rows,)
        The booster that has not seen the row; -1 if there is none.
    n_rounds : int
        Chosen rounds.
    losses : ndarray of shape (n_rounds_tried,)
        Mean held-out loss after each round, by weight; NaN without held-out rows.
    held_out : ndarray of shape (n_rows, n_outputs)
        Scores that the booster which has not seen the row gives it, after as many rounds as the rows of other folds ask
        for; NaN if there is none.
    n_classes : int or None
    """

    trees: GrownTrees
    base: NDArray[np.float64]
    folds: NDArray[np.int32]
    n_rounds: int
    losses: NDArray[np.float64]
    held_out: NDArray[np.float64]
    n_classes: int | None

    def scores(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the scores that every booster gives, (booster, row, output)."""
        n_boosters, n_outputs = self.base.shape
        groups = np.arange(n_boosters * n_outputs).reshape(n_boosters, 1, n_outputs)
        groups = np.broadcast_to(groups, (n_boosters, self.n_rounds, n_outputs)).reshape(-1)
        sums = self.trees.group_sums(X, groups, n_boosters * n_outputs, n_jobs)
        return self.base[:, None, :] + sums.reshape(n_boosters, n_outputs, len(X)).transpose(0, 2, 1)

    def raw(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the mean scores of the boosters, (row, output).

        Parameters
        ----------
        X : C-contiguous ndarray of float32 of shape (n_rows, n_features)
        n_jobs : int, optional
            Threads over rows; the result does not depend on it.
        """
        return mean_of(self.scores(X, n_jobs))

    def importances(self) -> NDArray[np.float64]:
        """Return the share of each data column in the gain of all splits, (n_features,); 0 without a split.

        What a split on a weighted sum of columns gains is shared among these in proportion to their squared weights.
        """
        gains, views = self.trees.column_decreases(), self.trees.views
        by_view = np.zeros((len(views), gains.shape[1]))
        np.add.at(by_view, self.trees.tree_view, gains)
        total = views.spread(by_view).sum(axis=0)
        return total / total.sum() if total.any() else total


def probabilities(raw: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the class probabilities (row, class) behind scores: one a row for two classes, else one a class."""
    if n_classes == 1:
        return np.where(np.isnan(raw), np.nan, 1.0)
    if raw.shape[1] == 1:
        second = expit(raw[:, 0])
        return np.column_stack([1 - second, second])
    return softmax(raw, axis=1)


def boosting_folds(
    target: NDArray,
    n_bags: int,
    sequence: np.random.SeedSequence,
    weights: NDArray[np.float64] | None = None,
    n_classes: int | None = None,
) -> NDArray[np.int32]:
    """Draw the fold of each row: the number of the booster that does not see it.

    Each class is spread over the folds as evenly as can be, and so is a numeric target, by its order.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        Class numbers, or numbers for a regression.
    n_bags : int
        Folds; at most as many as rows that have a weight. With 1 fold no row is held out.
    sequence : numpy.random.SeedSequence
    weights : ndarray of shape (n_rows,), optional
    n_classes : int, optional
        None for a regression.

    Returns
    -------
    ndarray of int32 of shape (n_rows,)
        -1 for rows of weight 0, which no booster sees.

    Examples
    --------
    >>> boosting_folds(np.array([0, 0, 1, 1]), 2, np.random.SeedSequence(0), n_classes=2).tolist()
    [1, 0, 0, 1]
    """
    rng = np.random.default_rng(child(sequence, "folds"))
    there = np.arange(len(target)) if weights is None else np.flatnonzero(weights > 0)
    n_bags = min(n_bags, len(there))
    folds = np.full(len(target), -1, np.int32)
    if n_bags < 2:
        return folds
    shuffled = rng.permutation(there)
    order = shuffled[np.argsort(target[shuffled], kind="stable")]
    if n_classes is not None:
        # Class after class is dealt in turn, so both classes and folds come out even.
        folds[order] = np.arange(len(order)) % n_bags
        return folds
    # Of each stretch of the order, every fold gets a row.
    n_whole = len(order) // n_bags
    dealt = np.argsort(rng.random((n_whole, n_bags)), axis=1).ravel()
    rest = rng.permutation(n_bags)[: len(order) - len(dealt)]
    folds[order] = np.concatenate([dealt, rest])
    return folds


def grow_boosted(
    X: NDArray[np.float32],
    target: NDArray,
    options: BoostingOptions,
    sequence: np.random.SeedSequence,
    *,
    n_classes: int | None = None,
    folds: NDArray[np.int32] | None = None,
    weights: NDArray[np.float64] | None = None,
    views: LinearViews | None = None,
    n_jobs: int | None = None,
) -> BoostedTrees:
    """Grow boosters, one for each fold on the rows outside of it, or a single one on all.

    Losses are squared error, the logistic loss of two classes, and that of the softmax of more, with one tree a class
    and round. Boosters grow in step. The number of rounds is the same for all: that after which the loss of the
    held-out rows, summed over the boosters, is least. The scores of held-out rows are those after the rounds for which the other
    boosters' losses are least: no row has a say in its own. The result depends on neither `n_jobs` nor where rounds are cut
    into blocks.

    Memory, in bytes, for n rows and a view of q columns: 4 n p for a copy of X, and for each booster at work 5 n q (n q
    if its view maps no columns) + 32 n n_outputs, and 64 MB of histograms at most.

    Parameters
    ----------
    X : ndarray of float32 of shape (n_rows, n_features)
        Values that are not infinite; NaN is missing.
    target : ndarray of shape (n_rows,)
        Class numbers, or finite numbers for a regression.
    options : BoostingOptions
    sequence : numpy.random.SeedSequence
    n_classes : int, optional
        None for a regression.
    folds : ndarray of int of shape (n_rows,), optional
        See :func:`boosting_folds`; rows of -1 are not held out, and seen by all boosters if they have a weight.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row; its gradients and hessians are multiplied by it, over the mean weight. A row of weight 0
        is not seen at all.
    views : LinearViews, optional
        One view for each booster, or one for all; the data themselves by default.
    n_jobs : int, optional
        Threads, or workers, over boosters.

    Returns
    -------
    BoostedTrees

    Raises
    ------
    ValueError
        Options that are not allowed, folds or views that do not fit the rows, or scores that grow beyond all numbers.
    """
    options.check()
    n_rows, n_features = X.shape
    weights = relative_weights(weights)
    if n_classes == 1:  # nothing to learn
        options = options._replace(n_rounds=1)
    folds = np.full(n_rows, -1, np.int32) if folds is None else np.asarray(folds, dtype=np.int32)
    if folds.shape != (n_rows,):
        raise ValueError(f"folds are of shape {folds.shape}, not {(n_rows,)}")
    n_boosters = max(1, int(folds.max(initial=-1)) + 1)
    views = LinearViews.identity(n_features) if views is None else views
    if views.n_features != n_features:
        raise ValueError(f"views of {views.n_features} columns for data of {n_features}")
    if len(views) not in (1, n_boosters):
        raise ValueError(f"{len(views)} views for {n_boosters} boosters")
    view_of = np.arange(n_boosters) if len(views) > 1 else np.zeros(n_boosters, np.int64)
    weight_of_row = np.ones(n_rows) if weights is None else weights
    seeds = kernel_seeds(child(sequence, "boosting"), n_boosters)
    unit = 1.0 if n_classes is not None else unit_of(target[weight_of_row > 0])
    task = BoostingTask(
        target, unit, weight_of_row, weights is not None, folds, n_classes, by_column(X[None])[0], views, view_of, seeds, options,
    )  # fmt: skip
    boosters = Boosters.of(n_boosters, task, n_jobs)
    held_weight = sum(bag.held_weight for bag in boosters.bags)
    choosing = options.early_stopping and held_weight > 0
    by_booster = np.empty((n_boosters, 0))
    losses = np.empty(0)
    while len(losses) < options.n_rounds:
        n_more = min(ROUNDS_AT_ONCE if choosing else options.n_rounds, options.n_rounds - len(losses))
        by_booster = np.hstack([by_booster, boosters.grow(n_more, choosing)])
        losses = by_booster.sum(axis=0)
        if choosing and options.enough(losses, ROUNDS_AT_ONCE):
            break
    n_rounds, of_held = options.n_rounds, np.full(n_boosters, options.n_rounds)
    if choosing:
        n_rounds = int(losses.argmin()) + 1
        of_held = (losses - by_booster).argmin(axis=1) + 1
    n_outputs = 1 if n_classes is None or n_classes <= 2 else n_classes
    held_out = np.full((n_rows, n_outputs), np.nan)
    grown = []
    for bag, (arrays, sums) in zip(boosters.bags, boosters.finish(n_rounds, of_held.tolist()), strict=True):
        held_out[bag.members[bag.n_rows :]] = bag.base + (sums * unit).T
        if 1e-200 < unit * unit < 1e200:
            arrays.impurity[:] *= unit * unit
        arrays.values[:] *= unit
        grown.append(arrays)
    trees = GrownTrees.join(grown, np.repeat(view_of, n_rounds * n_outputs), views, 0.0, False)
    missing = missing_columns(X)
    with np.errstate(over="ignore"):
        mean_losses = losses * unit * unit / held_weight if held_weight > 0 else np.full(len(losses), np.nan)
    trees.missing = missing.astype(bool) if len(missing) else None
    return BoostedTrees(
        trees, np.stack([bag.base for bag in boosters.bags]), folds, n_rounds, mean_losses, held_out, n_classes
    )  # fmt: skip
