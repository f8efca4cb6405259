"""Boosters that grow in step: in threads of this process, or each by itself on a worker, ahead of what is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.boosting_options import BoostingOptions
from rotastack.trees.grown import GrownTrees
from rotastack.trees.kernel.boosting import LOSSES, Booster
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.threads import on_workers, run_threads, run_units

__all__ = ["ROUNDS_AT_ONCE", "Bag", "Boosters"]

ROUNDS_AT_ONCE = 10
"""Boosters grow so many rounds before it is looked at whether more are worth it."""

SPARE = 20
"""So many rounds more than its own losses ask for grows a booster on a worker, which does not see those of the others."""

HISTOGRAM_WORDS = 1 << 23
"""What a booster keeps at once of its histograms, in words of 8 bytes."""

MANY = np.iinfo(np.int32).max
"""More than there are rows: limits above it are none."""


class Boosters:
    """Boosters, each on its bag.

    Parameters
    ----------
    n_boosters : int
    learning : tuple
        What :meth:`Bag.of` makes of it what each learns from, beside its number.
    options : BoostingOptions
    X : ndarray of float32 of shape (n_rows, n_features)
    data : ndarray of float32 of shape (n_features, n_rows)
        The same column by column.
    weighted : bool
        Whether weights differ.
    seeds : ndarray of uint64 of shape (n_boosters,)
    views : LinearViews
    view_of : ndarray of int of shape (n_boosters,)
    n_jobs : int, optional

    Attributes
    ----------
    bags : list of Bag
    """

    def __init__(
        self, n_boosters: int, learning: tuple, options: BoostingOptions, X: NDArray[np.float32], data: NDArray[np.float32],
        weighted: bool, seeds: NDArray[np.uint64], views: LinearViews, view_of: NDArray[np.int64], n_jobs: int | None,
    ):  # fmt: skip
        self.bags = [Bag.of(b, *learning) for b in range(n_boosters)]
        self._learning = learning
        self.options, self.n_jobs = options, n_jobs
        self._X, self._views, self._view_of = X, views, view_of
        self._shared: tuple[Any, ...] = (options, data, weighted, seeds, view_of, views.widths(), *views.tables())
        self._start()

    @classmethod
    def of(cls, n_boosters: int, *arguments: Any) -> "Boosters":
        """Return boosters where `n_jobs`, the last of the arguments, says that they grow."""
        kind = _Ahead if n_boosters > 1 and on_workers(arguments[-1]) else cls
        return kind(n_boosters, *arguments)

    def _start(self) -> None:
        def started(bag: "Bag", stop: NDArray[np.uint8]) -> Booster:
            return _started(bag, stop, *self._shared)

        self._boosters = list(run_threads(started, self.bags, self.n_jobs))
        self._n_rounds = 0
        self._kept: list[list[tuple[int, NDArray]]] = [[] for _ in self.bags]  # scores of held-out rows at some rounds

    def grow(self, n_rounds: int, choosing: bool) -> list[NDArray[np.float64]]:
        """Grow more rounds; return each booster's held-out losses after these.

        Parameters
        ----------
        n_rounds : int
        choosing : bool
            Whether losses say how many rounds are worth it.
        """
        for b, booster in enumerate(self._boosters):
            recent = -self.options.n_iter_no_change // ROUNDS_AT_ONCE - 2
            self._kept[b] = [*self._kept[b][:1], *self._kept[b][1:][recent:], (self._n_rounds, booster.held_scores())]
        self._n_rounds += n_rounds
        return list(run_threads(lambda booster, stop: booster.grow(n_rounds, stop), self._boosters, self.n_jobs))

    def finish(self, n_rounds: int, of_held: Sequence[int]) -> list[tuple[tuple, NDArray[np.float64]]]:
        """Return, for each booster, the arrays of the first rounds' trees, and the held-out rows' scores (output, row).

        Parameters
        ----------
        n_rounds : int
            Rounds whose trees are returned.
        of_held : sequence of int
            Rounds after which each booster's held-out rows have their scores.
        """

        def finished(b: int, stop: NDArray[np.uint8]) -> tuple[tuple, NDArray[np.float64]]:
            booster, last = self._boosters[b], of_held[b]
            if last == self._n_rounds:
                sums = booster.held_scores()
            else:
                first, sums = next(pair for pair in reversed(self._kept[b]) if pair[0] <= last)
                booster.add_rounds(sums, first, last, stop)
            return booster.trees(n_rounds), sums

        return list(run_threads(finished, range(len(self.bags)), self.n_jobs))


class _Ahead(Boosters):
    """Boosters each of which grows by itself on a worker, to where its own losses end it, and somewhat further.

    Where all of them together want more rounds than one has grown, that one grows anew: nothing stays on workers.
    """

    def _start(self) -> None:
        self._n_rounds = 0
        self._grown: list[tuple] = [(np.empty(0),) for _ in self.bags]

    def grow(self, n_rounds: int, choosing: bool) -> list[NDArray[np.float64]]:
        before, self._n_rounds = self._n_rounds, self._n_rounds + n_rounds
        short = [b for b, (losses, *_) in enumerate(self._grown) if len(losses) < self._n_rounds]
        least = self._n_rounds if before == 0 or not choosing else self._n_rounds + SPARE
        wanted = [(b, min(least, self.options.n_rounds)) for b in short]
        shared = (len(self._learning), *self._learning, *self._shared)
        for b, grown in zip(short, run_units(_grown_ahead, wanted, shared, self.n_jobs), strict=True):
            self._grown[b] = grown
        return [losses[before : self._n_rounds] for losses, *_ in self._grown]

    def finish(self, n_rounds: int, of_held: Sequence[int]) -> list[tuple[tuple, NDArray[np.float64]]]:
        return [(self._cut(b, n_rounds), self._held_scores(b, of_held[b])) for b in range(len(self.bags))]

    def _cut(self, b: int, n_rounds: int) -> tuple:
        """Return the arrays of a booster's first rounds."""
        _, nodes, impurity, weight, counts, values, facts = self._grown[b]
        facts = facts[: n_rounds * len(self.bags[b].base)]
        n_nodes, n_values = facts[:, :2].sum(axis=0)
        described = (array[:n_nodes].copy() for array in (nodes, impurity, weight, counts))
        return (*described, values[:n_values].copy(), facts)

    def _held_scores(self, b: int, n_rounds: int) -> NDArray[np.float64]:
        bag, n_trees = self.bags[b], n_rounds * len(self.bags[b].base)
        trees = GrownTrees.join([self._cut(b, n_rounds)], np.repeat(self._view_of[b], n_trees), self._views, 0.0, False)
        groups = np.tile(np.arange(len(bag.base)), n_rounds)
        held = self._X[bag.members[bag.n_rows :]]
        return trees.group_sums(held, groups, len(bag.base), self.n_jobs)[:, :, 0]


def _started(
    bag: "Bag", stop: NDArray[np.uint8], options: BoostingOptions, data: NDArray[np.float32], weighted: bool,
    seeds: NDArray[np.uint64], view_of: NDArray[np.int64], widths: NDArray[np.int64], starts: NDArray[np.int64],
    parts: NDArray[np.int64], *maps: NDArray,
) -> Booster:  # fmt: skip
    """Return a booster with its bag in bins."""
    view = view_of[bag.number]
    booster = bag.booster(weighted, int(seeds[bag.number]), int(widths[view]), options)
    booster.put_in_bins(data, parts[starts[view] : starts[view + 1]], *maps, stop)
    return booster


def _grown_ahead(
    wanted: tuple[int, int], stop: NDArray[np.uint8], n_learning: int, *shared: Any
) -> tuple[NDArray, ...]:
    """Grow booster ``wanted[0]``, ``wanted[1]`` rounds at least; return its losses and the arrays of its trees."""
    number, least = wanted
    options = shared[n_learning]
    booster = _started(Bag.of(number, *shared[:n_learning]), stop, *shared[n_learning:])
    losses, last = np.empty(0), options.n_rounds
    while len(losses) < last:
        more = booster.grow(min(ROUNDS_AT_ONCE, last - len(losses)), stop)
        losses = np.append(losses, more)
        if last == options.n_rounds and len(losses) >= least and options.enough(losses, ROUNDS_AT_ONCE):
            last = min(len(losses) + SPARE, last)
    return (losses, *booster.trees(len(losses)))


@dataclass
class Bag:
    """What a booster learns from.

    Attributes
    ----------
    number : int
    members : ndarray of uint32
        The rows that it sees, then those that it is judged on.
    n_rows : int
        How many it sees.
    target, weights : ndarray of float64
        Of the members. A numeric target is taken from its mean in the bag, in units.
    base : ndarray of shape (n_outputs,)
        Scores to start from.
    """

    number: int
    members: NDArray[np.uint32]
    n_rows: int
    target: NDArray[np.float64]
    weights: NDArray[np.float64]
    base: NDArray[np.float64]
    loss: str

    @classmethod
    def of(
        cls, b: int, target: NDArray, unit: float, weights: NDArray[np.float64], folds: NDArray[np.int32], n_classes: int | None,
    ) -> "Bag":  # fmt: skip
        there = weights > 0
        inside = np.flatnonzero((folds != b) & there)
        members = np.concatenate([inside, np.flatnonzero((folds == b) & there)])
        n_rows, known, mass = len(inside), target[members], weights[members]
        if not n_rows:
            raise ValueError(f"all rows are in fold {b}: its booster sees none")
        if n_classes is None:
            first = known[0]  # so that the mean of equal numbers is that number
            base = unit * (first / unit + np.average(known[:n_rows] / unit - first / unit, weights=mass[:n_rows]))
            return cls(
                b, members.astype(np.uint32), n_rows, known / unit - base / unit, mass, np.array([base]), "squares"
            )  # fmt: skip
        of_class = np.bincount(known[:n_rows], weights=mass[:n_rows], minlength=n_classes)
        # A class that the bag lacks is not impossible: it counts as half a row.
        shares = np.maximum(of_class, 0.5 * mass[:n_rows].mean())
        base = np.log(shares / shares.sum())
        if n_classes <= 2:
            base = base[1:] - base[:1] if n_classes == 2 else np.zeros(1)
        return cls(
            b, members.astype(np.uint32), n_rows, known.astype(np.float64), mass, base, "logistic" if n_classes <= 2 else "softmax"
        )  # fmt: skip

    @property
    def held_weight(self) -> float:
        return float(self.weights[self.n_rows :].sum())

    def booster(self, weighted: bool, seed: int, width: int, options: BoostingOptions) -> Booster:
        start = np.zeros(1) if self.loss == "squares" else self.base
        return Booster(
            self.members, self.n_rows, self.target, self.weights, weighted, start, LOSSES[self.loss], seed, width,
            options.n_drawn(width), max(1, round(options.subsample * self.n_rows)), options.max_bins,
            options.learning_rate, min(options.max_leaf_nodes or 0, MANY), min(options.max_depth or MANY, MANY),
            min(options.min_samples_leaf, MANY), options.l2_regularization, HISTOGRAM_WORDS,
        )  # fmt: skip
