"""Boosters that are trained in step, and their options."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.base.scikit import Interval, validate_parameter_constraints
from rotastack.trees.growing import n_candidates
from rotastack.trees.kernel.boosting import Booster
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.nodes import TreeArrays
from rotastack.trees.threads import run_threads

_LEAST_ONE = Interval(Integral, 1, None, closed="left")
OPTION_CONSTRAINTS: dict[str, list[Any]] = {
    "n_rounds": [_LEAST_ONE],
    "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [_LEAST_ONE, None],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "min_samples_leaf": [_LEAST_ONE],
    "l2_regularization": [Interval(Real, 0.0, None, closed="left")],
    "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
    "max_features": [_LEAST_ONE, Interval(Real, 0.0, 1.0, closed="right"), None],
    "early_stopping": ["boolean"],
    "n_iter_no_change": [_LEAST_ONE],
    "tol": [Interval(Real, 0.0, 1.0, closed="left")],
}
"""Constraints on the fields of BoostingOptions, in scikit-learn's form."""


class BoostingOptions(NamedTuple):
    """Options of boosters, named as in scikit-learn's histogram gradient boosting.

    :class:`rotastack.trees.BoostedTreesClassifier` describes the options.
    """

    n_rounds: int = 200
    learning_rate: float = 0.1
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    max_bins: int = 255
    min_samples_leaf: int = 20
    l2_regularization: float = 1.0
    subsample: float = 1.0
    max_features: int | float | None = None
    early_stopping: bool = True
    n_iter_no_change: int = 20  # training stops after so many rounds without a smaller held-out loss,
    tol: float = 0.0  # or if the last ten rounds have reduced the smallest loss by less than this share

    def check(self) -> None:
        """Raise InvalidParameterError, a ValueError, if a value is not allowed."""
        validate_parameter_constraints(OPTION_CONSTRAINTS, self._asdict(), type(self).__name__)

    def enough(self, losses: NDArray[np.float64], block: int) -> bool:
        """Return whether training should stop; `tol` compares the losses with those before the last `block` rounds."""
        since = len(losses) - 1 - int(losses.argmin())
        before = losses[:-block]
        stalled = len(before) > 0 and losses.min() > (1 - self.tol) * before.min()
        return bool(since >= self.n_iter_no_change or stalled)

    def n_drawn(self, width: int) -> int:
        """Return how many of `width` columns are drawn for a tree; ValueError if `max_features` exceeds `width`."""
        if self.max_features is None or isinstance(self.max_features, Integral):
            return n_candidates(self.max_features, width)
        return max(1, round(self.max_features * width))


ROUNDS_AT_ONCE = 10
"""Number of rounds between two checks of whether to stop early."""


class BoostingTask(NamedTuple):
    """The training table, the views and the options of boosters."""

    target: NDArray  # (n_rows,): class numbers, or targets of a regression
    unit: float  # the boosters divide the targets of a regression by it
    weights: NDArray[np.float64]  # (n_rows,)
    weighted: bool  # whether the weights differ
    folds: NDArray[np.int32]  # (n_rows,): number of the booster that holds the row out; -1 if none does
    n_classes: int | None
    data: NDArray[np.float32]  # (n_features, n_rows)
    views: LinearViews
    view_of: NDArray[np.int64]  # (n_boosters,)
    seeds: NDArray[np.uint64]  # (n_boosters,)
    options: BoostingOptions


class Boosters:
    """Boosters that are trained in step, in threads of this process."""

    def __init__(self, n_boosters: int, task: BoostingTask, n_jobs: int | None):
        self.rows = [BoosterRows.of(b, task) for b in range(n_boosters)]
        self.options, self.n_jobs = task.options, n_jobs
        self._boosters = list(run_threads(lambda rows, stop: Booster(rows, task, stop), self.rows, n_jobs))
        self._n_rounds = 0
        self._kept: list[list[tuple[int, NDArray]]] = [[] for _ in self.rows]  # (round, held-out scores)
        # Of the first booster, where it is ahead: held-out scores before a block of rounds, and the block's losses.
        self._ahead: list[tuple[NDArray, NDArray]] = []

    def grow_ahead(self, n_rounds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Train the first booster alone, which then waits for the others; return its held-out losses and scores."""
        losses = np.empty(0)
        while len(losses) < n_rounds and not (len(losses) and self.options.enough(losses, ROUNDS_AT_ONCE)):
            before, first = self._boosters[0].held_scores(), self._boosters[:1]
            (more,) = run_threads(lambda booster, stop: booster.grow(ROUNDS_AT_ONCE, stop), first, self.n_jobs)
            self._ahead.append((before, more))
            losses = np.append(losses, more)
        return losses, self._boosters[0].held_scores()

    def grow(self, n_rounds: int) -> list[NDArray[np.float64]]:
        """Train more rounds; return each booster's held-out losses."""
        recent = -self.options.n_iter_no_change // ROUNDS_AT_ONCE - 2
        for b, kept in enumerate(self._kept):
            kept[1:] = [*kept[1:][recent:], (self._n_rounds, self._held_scores(b))]
        self._n_rounds += n_rounds
        ahead = [self._ahead.pop(0)[1]] if self._ahead else []
        behind = self._boosters[len(ahead) :]
        return [*ahead, *run_threads(lambda booster, stop: booster.grow(n_rounds, stop), behind, self.n_jobs)]

    def _held_scores(self, b: int) -> NDArray[np.float64]:
        """Return a booster's held-out scores after the rounds that all boosters have."""
        return self._ahead[0][0] if self._ahead and b == 0 else self._boosters[b].held_scores()

    def finish(self, n_rounds: int, held_rounds: Sequence[int]) -> list[tuple[TreeArrays, NDArray[np.float64]]]:
        """Return each booster's trees of the first rounds, and its held-out scores (output, row) after `held_rounds` rounds."""

        def finished(b: int, stop: NDArray[np.uint8]) -> tuple[TreeArrays, NDArray[np.float64]]:
            booster, last = self._boosters[b], held_rounds[b]
            kept = [*self._kept[b], (self._n_rounds, self._held_scores(b))]
            first, sums = next(pair for pair in reversed(kept) if pair[0] <= last)
            booster.add_rounds(sums, first, last, stop)
            return TreeArrays(*booster.trees(n_rounds)), sums

        return list(run_threads(finished, range(len(self.rows)), self.n_jobs))


@dataclass
class BoosterRows:
    """The training rows and the held-out rows of a booster."""

    number: int
    members: NDArray[np.uint32]  # the training rows, then the held-out rows
    n_rows: int  # number of training rows
    target: NDArray[np.float64]  # of the members; in a regression the difference from `base`, in units of the task
    weights: NDArray[np.float64]  # of the members
    base: NDArray[np.float64]  # (n_outputs,): initial scores
    loss: str  # squares, logistic or softmax

    @property
    def start(self) -> NDArray[np.float64]:
        """Initial scores for targets as `target` holds them."""
        return np.zeros(1) if self.loss == "squares" else self.base

    @classmethod
    def of(cls, number: int, task: BoostingTask) -> "BoosterRows":
        """Return the rows of a booster: all rows with a weight; the rows of fold `number` are held out."""
        unit, n_classes = task.unit, task.n_classes
        weighted = task.weights > 0
        inside = np.flatnonzero((task.folds != number) & weighted)
        members = np.concatenate([inside, np.flatnonzero((task.folds == number) & weighted)])
        n_rows, target, mass = len(inside), task.target[members], task.weights[members]
        if not n_rows:
            raise ValueError(f"all rows are in fold {number}; the booster of this fold has no training rows")
        if n_classes is None:
            first = target[0]  # subtracted, so that the mean of equal numbers is exactly that number
            base = unit * (first / unit + np.average(target[:n_rows] / unit - first / unit, weights=mass[:n_rows]))
            target = target / unit - base / unit
            return cls(number, members.astype(np.uint32), n_rows, target, mass, np.array([base]), "squares")
        of_class = np.bincount(target[:n_rows], weights=mass[:n_rows], minlength=n_classes)
        # A class that the training rows lack counts as half a row, so its probability is not 0.
        shares = np.maximum(of_class, 0.5 * mass[:n_rows].mean())
        base = np.log(shares / shares.sum())
        if n_classes <= 2:
            base = base[1:] - base[:1] if n_classes == 2 else np.zeros(1)
        loss = "logistic" if n_classes <= 2 else "softmax"
        return cls(number, members.astype(np.uint32), n_rows, target.astype(np.float64), mass, base, loss)

    @property
    def held_weight(self) -> float:
        return float(self.weights[self.n_rows :].sum())
