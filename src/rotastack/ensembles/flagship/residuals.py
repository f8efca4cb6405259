"""Where the target of a new row may lie: residuals out of bag, in units of how far they spread around there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.bags import Bags
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees

__all__ = ["OutOfBagResiduals"]

N_TREES = 100
LEAST_ROWS = 10
"""In a leaf: spreads are means over so many rows at least."""

LEAST_SPREAD = 0.1
"""This share of the mean residual is added to every spread: where residuals were next to none, others may not be."""

LEAST_REACH = 50
"""So many rows on either side have similar predictions, or n^(2/3) of n where these are more."""

TAILS = np.array([0.1, 0.9])


@dataclass
class OutOfBagResiduals:
    """Residuals of predictions out of bag, each over the spread of residuals around its row and its prediction.

    A small forest learns the size of residuals from the columns; the spreads of training rows are its predictions out of
    bag. Residuals over spreads still differ with the prediction: those of a skewed target lean to one side, and more so
    where predictions are high. So among rows of similar predictions their quantiles .1 and .9 are taken, and a score
    counts from the middle of the two, in halves of their distance. Quantiles of the scores are then as for a new row.

    Attributes
    ----------
    scores : ndarray of shape (n_scores,)
        In rising order.
    weights : ndarray of shape (n_scores,)
        Weights of their rows, 1 on average.
    forest : GrownTrees or None
        What spreads come from; None if no row has a residual.
    floor : float
        What is added to the forest's output.
    knots : ndarray of shape (n_knots,)
        Predictions, in rising order.
    tails : ndarray of shape (n_knots, 2)
        The two quantiles of residuals over spreads there; between knots they are interpolated.
    ends : ndarray of shape (2,)
        Least and largest target: no quantile lies beyond.
    """

    scores: NDArray[np.float64]
    weights: NDArray[np.float64]
    forest: GrownTrees | None
    floor: float
    knots: NDArray[np.float64]
    tails: NDArray[np.float64]
    ends: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        rows: NDArray[np.float32],
        y: NDArray[np.float64],
        predicted: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        sequence: np.random.SeedSequence,
        *,
        heaviest: float,
        most: int,
        n_jobs: int | None = None,
    ) -> "OutOfBagResiduals":
        """Learn from the rows that have a prediction out of bag.

        Parameters
        ----------
        rows : ndarray of float32 of shape (n_rows, n_columns)
        y, predicted : ndarray of shape (n_rows,)
            Targets, and predictions out of bag.
        weights : ndarray of shape (n_rows,), optional
            Above 0, 1 on average.
        sequence : numpy.random.SeedSequence
        heaviest : float
        most : int
            How bags are drawn, see :meth:`rotastack.trees.bags.Bags.of`.
        n_jobs : int, optional
            Threads.
        """
        if not len(y):
            return cls(np.empty(0), np.empty(0), None, 0.0, np.empty(0), np.empty((0, 2)), np.zeros(2))
        residuals = y - predicted
        size = np.abs(residuals)
        floor = LEAST_SPREAD * float(np.average(size, weights=weights)) or 1.0  # without residuals there is no unit
        forest, out_of_bag = grow_forest(
            rows, size / floor, [TreeGroup(N_TREES, max_features=1 / 3)], TreeOptions(min_samples_leaf=LEAST_ROWS), sequence,
            weights=weights, bags=Bags.of(len(y), weights, heaviest, most), describe_nodes=False, n_jobs=n_jobs,
        )  # fmt: skip
        assert out_of_bag is not None
        forest.decreases = None
        spread = np.nan_to_num(out_of_bag[0].means()[:, 0], nan=1 / LEAST_SPREAD)  # that of all rows
        ratios = residuals / (floor * (1 + np.maximum(spread, 0)))
        weights = np.ones(len(y)) if weights is None else weights / weights.mean()
        knots, tails = _tails(predicted, ratios, weights)
        found = cls(ratios, weights, forest, floor, knots, tails, np.array([y.min(), y.max()]))
        middle, half = found._around(predicted)
        found.scores = (ratios - middle) / half
        order = np.argsort(found.scores, kind="stable")
        found.scores, found.weights = found.scores[order], weights[order]
        return found

    def spreads(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the spread of residuals around new rows, (n_rows,)."""
        assert self.forest is not None
        return self.floor * (1 + np.maximum(self.forest.sums(rows, n_jobs)[:, 0] / len(self.forest), 0))

    def quantiles(
        self, predicted: NDArray[np.float64], spreads: NDArray[np.float64], levels: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return quantiles of the targets of new rows of these predictions and spreads, (n_rows, n_levels)."""
        middle, half = self._around(predicted)
        scores = _quantiles(self.scores, self.weights, levels)
        return np.clip((predicted + spreads * middle)[:, None] + (spreads * half)[:, None] * scores, *self.ends)

    def measure_in(self, unit: float) -> None:
        """Take what was measured in `unit` for what it is."""
        self.floor *= unit
        self.knots *= unit
        self.ends *= unit

    def _around(self, predicted: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the middle between the tails at predictions, and half their distance."""
        low, high = (np.interp(predicted, self.knots, tail) for tail in self.tails.T)
        return (low + high) / 2, np.maximum((high - low) / 2, LEAST_SPREAD)


def _tails(
    predicted: NDArray[np.float64], ratios: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return predictions, and quantiles `TAILS` of the ratios of the rows around each: the farther, the less they weigh."""
    order = np.argsort(predicted, kind="stable")
    n = len(order)
    reach = max(LEAST_REACH, round(n ** (2 / 3)))
    places = np.linspace(0, n - 1, 2 + n // reach).astype(int)
    knots, first = np.unique(predicted[order[places]], return_index=True)
    tails = np.empty((len(knots), len(TAILS)))
    for k, place in enumerate(places[first]):
        ranks = np.arange(max(0, place - reach + 1), min(n, place + reach))
        near = order[ranks]
        tails[k] = _quantiles(ratios[near], weights[near] * (1 - np.abs(ranks - place) / reach), TAILS)
    return knots, tails


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return quantiles of values, as for a new row of weight 1 among theirs.

    That is, of n rows that weigh alike, order statistic (n + 1) q, rounded away from the median; the outermost at most.
    """
    n = len(values)
    order = np.argsort(values, kind="stable")
    ends, tails = np.cumsum(weights[order]), np.cumsum(weights[order[::-1]])
    whole = ends[-1] + 1
    above = np.searchsorted(ends, whole * levels - 1e-9 * whole)
    below = n - 1 - np.searchsorted(tails, whole * (1 - levels) - 1e-9 * whole)
    return values[order[np.clip(np.where(levels < 0.5, below, above), 0, n - 1)]]
