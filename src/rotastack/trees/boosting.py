"""Train boosters, each without its held-out rows; the number of rounds is chosen on the held-out rows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from rotastack.base.outputs import mean_of, unit_of
from rotastack.base.row_weights import relative_weights
from rotastack.seeds import child, kernel_seeds
from rotastack.trees.boosters import ROUNDS_AT_ONCE, Boosters, BoostingOptions, BoostingTask
from rotastack.trees.chunks import by_column
from rotastack.trees.growing import TrainingRows
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews

ROUNDS_AHEAD = 30
"""Number of rounds of the first booster after which a caller may end the training."""


@dataclass
class BoostedTrees:
    """Trained boosters: their trees, initial scores and held-out scores.

    The trees are in the order booster, round, output. Leaves hold scores, already multiplied by the learning rate. The
    impurity of a node is the gain of the splits below the node, divided by its weight. If the squares of the targets
    overflow or underflow (above 1e100 or below 1e-100), the impurity keeps the boosters' internal unit.
    """

    trees: GrownTrees
    base: NDArray[np.float64]  # (n_boosters, n_outputs): initial scores
    folds: NDArray[np.int32]  # (n_rows,): number of the booster that holds the row out; -1 if none does
    n_rounds: int
    losses: NDArray[np.float64]  # (n_rounds_tried,): weighted mean held-out losses; NaN without held-out rows
    held_out: NDArray[np.float64]  # (n_rows, n_outputs): scores of rows from the booster that holds them out, or NaN,
    # after the number of rounds that the rows of the other folds choose
    n_classes: int | None

    def scores(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the scores of every booster, (booster, row, output)."""
        n_boosters, n_outputs = self.base.shape
        groups = np.arange(n_boosters * n_outputs).reshape(n_boosters, 1, n_outputs)
        groups = np.broadcast_to(groups, (n_boosters, self.n_rounds, n_outputs)).reshape(-1)
        sums = self.trees.group_sums(X, groups, n_boosters * n_outputs, n_jobs)
        return self.base[:, None, :] + sums.reshape(n_boosters, n_outputs, len(X)).transpose(0, 2, 1)

    def raw(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the mean scores of the boosters, (row, output)."""
        return mean_of(self.scores(X, n_jobs))

    def importances(self) -> NDArray[np.float64]:
        """Return the share of each data column in the total gain of all splits, (n_features,); zeros without a split.

        The gain of a split on a weighted sum of columns is shared among these columns in proportion to the squared
        weights.
        """
        gains, views = self.trees.column_decreases(), self.trees.views
        by_view = np.zeros((len(views), gains.shape[1]))
        np.add.at(by_view, self.trees.tree_view, gains)
        total = views.spread(by_view).sum(axis=0)
        return total / total.sum() if total.any() else total

    def gains(self) -> NDArray[np.float64]:
        """Return the gain of all splits on each data column by booster, shape (n_boosters, n_features)."""
        by_tree = self.trees.column_decreases()
        n_boosters = len(self.base)
        of_booster = self.trees.tree_view.reshape(n_boosters, -1)[:, 0]  # all trees of a booster have one view
        return self.trees.views.take(of_booster).spread(by_tree.reshape(n_boosters, -1, by_tree.shape[1]).sum(axis=1))


def probabilities(raw: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the class probabilities (row, class) of scores (row, output); two classes have one output."""
    if n_classes == 1:
        return np.where(np.isnan(raw), np.nan, 1.0)
    if raw.shape[1] == 1:
        second = expit(raw[:, 0])
        return np.column_stack([1 - second, second])
    return softmax(raw, axis=1)


def boosting_folds(
    target: NDArray,
    n_folds: int,
    sequence: np.random.SeedSequence,
    weights: NDArray[np.float64] | None = None,
    n_classes: int | None = None,
) -> NDArray[np.int32]:
    """Draw the fold of each row: the number of the booster that holds the row out.

    Folds are stratified: each class is spread over the folds as evenly as possible, and so are the ordered values of a
    numeric target. There are at most as many folds as rows with a weight. Rows of weight 0 are in fold -1, and all rows
    if there are fewer than 2 folds: such rows are not held out. Without `n_classes` the target is numeric.

    Examples
    --------
    >>> boosting_folds(np.array([0, 0, 1, 1]), 2, np.random.SeedSequence(0), n_classes=2).tolist()
    [1, 0, 0, 1]
    """
    rng = np.random.default_rng(child(sequence, "folds"))
    weighted_rows = np.arange(len(target)) if weights is None else np.flatnonzero(weights > 0)
    n_folds = min(n_folds, len(weighted_rows))
    folds = np.full(len(target), -1, np.int32)
    if n_folds < 2:
        return folds
    shuffled = rng.permutation(weighted_rows)
    order = shuffled[np.argsort(target[shuffled], kind="stable")]
    if n_classes is not None:
        # The rows, sorted by class, go to the folds in turn: so classes are spread and folds have equal sizes.
        folds[order] = np.arange(len(order)) % n_folds
        return folds
    # Each run of n_folds neighbours in the order gives every fold one row.
    n_whole = len(order) // n_folds
    dealt = np.argsort(rng.random((n_whole, n_folds)), axis=1).ravel()
    rest = rng.permutation(n_folds)[: len(order) - len(dealt)]
    folds[order] = np.concatenate([dealt, rest])
    return folds


def grow_boosted(
    rows: TrainingRows,
    options: BoostingOptions,
    sequence: np.random.SeedSequence,
    *,
    folds: NDArray[np.int32] | None = None,
    views: LinearViews | None = None,
    n_jobs: int | None = None,
    after_first: Callable[[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]], None] | None = None,
) -> BoostedTrees:
    """Train one booster for each fold, on the rows outside the fold; without folds, one booster on all rows.

    The loss is the squared error, the logistic loss for two classes, or the softmax loss for more classes, with one
    tree for each class and round. All boosters have the same number of rounds: the one with the smallest held-out loss,
    summed over the boosters. The score of a held-out row is taken after the number of rounds with the smallest loss of
    the other boosters, so a row has no influence on its own number of rounds. The result depends neither on `n_jobs`
    nor on the number of rounds trained at once.

    Memory in bytes, for n rows of p columns and a view of q columns: 4 n p for a copy of X; for each booster at work
    5 n q + 32 n n_outputs (n q in place of 5 n q if the view maps no columns), and at most 64 MB of histograms.

    Rows of fold -1 are not held out: see :func:`boosting_folds`. Gradients and hessians are multiplied by the weight of
    the row, divided by the mean of the weights above 0; a row of weight 0 takes no part. `views` are one for each booster, or one for all; by default the
    data themselves.

    `after_first` is called once, after up to ROUNDS_AHEAD rounds of the first booster alone, with its held-out rows, their
    scores (row, output), and the mean held-out loss after each round. An exception that it raises ends the training.

    Raises
    ------
    ValueError
        Options that are not allowed, folds or views that do not fit the rows, or scores that overflow.
    """
    options.check()
    n_rows, n_features = rows.X.shape
    n_classes, weights = rows.n_classes, relative_weights(rows.weights)
    if n_classes == 1:  # more rounds would change nothing
        options = options._replace(n_rounds=1)
    folds = np.full(n_rows, -1, np.int32) if folds is None else np.asarray(folds, dtype=np.int32)
    if folds.shape != (n_rows,):
        raise ValueError(f"folds must have shape {(n_rows,)}, got {folds.shape}")
    n_boosters = max(1, int(folds.max(initial=-1)) + 1)
    views = LinearViews.identity(n_features) if views is None else views
    if views.n_features != n_features:
        raise ValueError(f"the views have {views.n_features} columns, but X has {n_features}")
    if len(views) not in (1, n_boosters):
        raise ValueError(f"views must have one entry for each of {n_boosters} boosters, got {len(views)}")
    view_of = np.arange(n_boosters) if len(views) > 1 else np.zeros(n_boosters, np.int64)
    weight_of_row = np.ones(n_rows) if weights is None else weights
    seeds = kernel_seeds(child(sequence, "boosting"), n_boosters)
    unit = 1.0 if n_classes is not None else unit_of(rows.target[weight_of_row > 0])
    task = BoostingTask(
        rows.target,
        unit,
        weight_of_row,
        weights is not None,
        folds,
        n_classes,
        by_column(rows.X[None])[0],
        views,
        view_of,
        seeds,
        options,
    )
    boosters = Boosters(n_boosters, task, n_jobs)
    held_weight = sum(mine.held_weight for mine in boosters.rows)
    choosing = options.early_stopping and held_weight > 0
    n_ahead = min(ROUNDS_AHEAD, options.n_rounds) // ROUNDS_AT_ONCE * ROUNDS_AT_ONCE
    first = boosters.rows[0]
    if after_first is not None and choosing and first.held_weight > 0 and n_ahead:
        losses, scores = boosters.grow_ahead(n_ahead)
        after_first(first.members[first.n_rows :], first.base + scores.T * unit, losses / first.held_weight)
    by_booster = np.empty((n_boosters, 0))
    losses = np.empty(0)
    while len(losses) < options.n_rounds:
        n_more = min(ROUNDS_AT_ONCE if choosing else options.n_rounds, options.n_rounds - len(losses))
        by_booster = np.hstack([by_booster, boosters.grow(n_more)])
        losses = by_booster.sum(axis=0)
        if choosing and options.enough(losses, ROUNDS_AT_ONCE):
            break
    n_rounds, held_rounds = options.n_rounds, np.full(n_boosters, options.n_rounds)
    if choosing:
        n_rounds = int(losses.argmin()) + 1
        held_rounds = (losses - by_booster).argmin(axis=1) + 1
    n_outputs = 1 if n_classes is None or n_classes <= 2 else n_classes
    held_out = np.full((n_rows, n_outputs), np.nan)
    grown = []
    for mine, (arrays, sums) in zip(boosters.rows, boosters.finish(n_rounds, held_rounds.tolist()), strict=True):
        held_out[mine.members[mine.n_rows :]] = mine.base + (sums * unit).T
        if 1e-200 < unit * unit < 1e200:
            arrays.impurity[:] *= unit * unit
        arrays.values[:] *= unit
        grown.append(arrays)
    trees = GrownTrees.join(grown, np.repeat(view_of, n_rounds * n_outputs), views, 0.0, False)
    with np.errstate(over="ignore"):
        mean_losses = losses * unit * unit / held_weight if held_weight > 0 else np.full(len(losses), np.nan)
    return BoostedTrees(
        trees, np.stack([mine.base for mine in boosters.rows]), folds, n_rounds, mean_losses, held_out, n_classes
    )
