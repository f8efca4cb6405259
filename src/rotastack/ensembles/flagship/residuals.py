"""Quantiles of the target of a new row, from out-of-bag residuals in units of their local spread."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rotastack.ensembles.flagship.family_rows import HEAVIEST, MOST_DRAWS
from rotastack.trees.bags import Bags
from rotastack.trees.growing import TrainingRows, TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees

N_TREES = 100
LEAST_ROWS = 10
"""Least number of rows in a leaf of the forest that predicts spreads."""

LEAST_SPREAD = 0.1
"""This share of the mean residual is added to every spread, because near-zero residuals may be due to chance."""

LEAST_REACH = 50
"""Number of rows on each side that count as similar in their prediction; n^(2/3) of n rows if that is more."""

TAILS = np.array([0.1, 0.9])

N_POINTS = 200
"""Number of quantiles that represent the distribution of a part of a mixture."""


@dataclass
class OutOfBagResiduals:
    """Out-of-bag residuals as scores: residuals standardised by the local spread and by the prediction.

    A small forest predicts the size of a residual, the spread, from the columns; its out-of-bag predictions are the
    spreads of the training rows. Ratios of residuals to spreads still depend on the prediction: for a skewed target,
    they lean to one side, and more so for high predictions. So the quantiles .1 and .9 of the ratios among rows of
    similar predictions are computed. A score is a ratio minus the middle of the two quantiles, divided by half their
    distance. Quantiles of these scores apply to a new row.
    """

    scores: NDArray[np.float64]  # in increasing order
    weights: NDArray[np.float64]  # of the rows of the scores, with mean 1
    forest: GrownTrees | None  # predicts spreads, in units of `floor`; None if there are no residuals
    floor: float  # is added to each predicted spread
    knots: NDArray[np.float64]  # predictions in increasing order, between which `tails` are interpolated
    tails: NDArray[np.float64]  # the quantiles .1 and .9 of the ratios of residuals to spreads at each knot
    ends: NDArray[np.float64]  # smallest and largest target, between which all quantiles lie

    @classmethod
    def of(
        cls,
        rows: TrainingRows,
        predicted: NDArray[np.float64],
        sequence: np.random.SeedSequence,
        row_groups: NDArray[np.intp] | None = None,
        n_jobs: int | None = None,
    ) -> "OutOfBagResiduals":
        """Return the scores of training rows of positive weight from their out-of-bag predictions."""
        y, weights = rows.target, rows.weights
        if not len(y):
            return cls(np.empty(0), np.empty(0), None, 0.0, np.empty(0), np.empty((0, 2)), np.zeros(2))
        residuals = y - predicted
        size = np.abs(residuals)
        floor = LEAST_SPREAD * float(np.average(size, weights=weights)) or 1.0  # residuals of 0 define no unit
        groups = [TreeGroup(N_TREES, max_features=1 / 3)]
        options = TreeOptions(min_samples_leaf=LEAST_ROWS, describe_nodes=False, n_jobs=n_jobs)
        bags = Bags.of(len(y), weights, HEAVIEST, MOST_DRAWS, row_groups)
        forest, out_of_bag = grow_forest(replace(rows, target=size / floor), groups, options, sequence, bags=bags)
        assert out_of_bag is not None
        forest.decreases = None
        spread = np.nan_to_num(out_of_bag[0].means()[:, 0], nan=1 / LEAST_SPREAD)  # the mean residual of all rows
        ratios = residuals / (floor * (1 + np.maximum(spread, 0)))
        weights = np.ones(len(y)) if weights is None else weights / weights.mean()
        knots, tails = _tails(predicted, ratios, weights)
        result = cls(ratios, weights, forest, floor, knots, tails, np.array([y.min(), y.max()]))
        middle, half = result._around(predicted)
        result.scores = (ratios - middle) / half
        order = np.argsort(result.scores, kind="stable")
        result.scores, result.weights = result.scores[order], weights[order]
        return result

    def spreads(self, rows: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the predicted spread of residuals of new rows, shape (n_rows,)."""
        assert self.forest is not None
        return self.floor * (1 + np.maximum(self.forest.means(rows, n_jobs)[:, 0], 0))

    def quantiles(
        self, predicted: NDArray[np.float64], spreads: NDArray[np.float64], levels: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return quantiles of the targets of new rows from predictions and spreads, shape (n_rows, n_levels)."""
        middle, half = self._around(predicted)
        scores = _quantiles(self.scores, self.weights, levels)
        return np.clip((predicted + spreads * middle)[:, None] + (spreads * half)[:, None] * scores, *self.ends)

    def mixed_quantiles(
        self,
        shares: NDArray[np.float64],
        predicted: NDArray[np.float64],
        spreads: NDArray[np.float64],
        levels: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return quantiles of mixtures, shape (n_rows, n_levels).

        Each row has `shares`, predictions and spreads (n_parts, n_rows). A part is represented by 200 of its quantiles.
        """
        grid = (np.arange(N_POINTS) + 0.5) / N_POINTS
        found = np.empty((shares.shape[1], len(levels)))
        for row, share in enumerate(shares.T):
            points = self.quantiles(predicted[:, row], spreads[:, row], grid).ravel()
            order = np.argsort(points, kind="stable")
            ends = np.cumsum(np.repeat(share, N_POINTS)[order]) / N_POINTS
            found[row] = points[order[np.searchsorted(ends, levels - 1e-9).clip(max=len(points) - 1)]]
        return found

    def measure_in(self, unit: float) -> None:
        """Multiply the stored numbers, which are targets divided by `unit`, by `unit`."""
        self.floor *= unit
        self.knots *= unit
        self.ends *= unit

    def _around(self, predicted: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the middle of the two interpolated `tails` at each prediction, and half their distance."""
        low, high = (np.interp(predicted, self.knots, tail) for tail in self.tails.T)
        return (low + high) / 2, np.maximum((high - low) / 2, LEAST_SPREAD)


def _tails(
    predicted: NDArray[np.float64], ratios: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return knots, which are predictions, and the quantiles `TAILS` of the ratios of the nearest rows at each knot."""
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
    """Return weighted quantiles of values, with one more row of weight 1 for the new row.

    For n rows of equal weight, quantile q is order statistic (n + 1) q, rounded away from the median, from 1 to n.
    """
    n = len(values)
    order = np.argsort(values, kind="stable")
    ends, tails = np.cumsum(weights[order]), np.cumsum(weights[order[::-1]])
    total = ends[-1] + 1
    above = np.searchsorted(ends, total * levels - 1e-9 * total)
    below = n - 1 - np.searchsorted(tails, total * (1 - levels) - 1e-9 * total)
    return values[order[np.clip(np.where(levels < 0.5, below, above), 0, n - 1)]]
