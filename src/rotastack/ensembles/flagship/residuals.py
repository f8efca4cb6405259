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


@dataclass
class OutOfBagResiduals:
    """Residuals of predictions out of bag, each over the spread of residuals around its row.

    A small forest learns the size of residuals from the columns and the prediction; the spreads of training rows are its
    predictions out of bag. So a residual over its spread is as for a new row, and quantiles of these, times the
    spread of a new row, are quantiles of its residual.

    Attributes
    ----------
    scores : ndarray of shape (n_scores,)
        Residuals over spreads, in rising order.
    weights : ndarray of shape (n_scores,)
        Weights of their rows, 1 on average.
    forest : GrownTrees or None
        What spreads come from; None if no row has a residual.
    floor : float
        What is added to the forest's output.
    low, width : float
        Least target and range of the training rows: predictions are a column of the forest, from 0 to 1.
    """

    scores: NDArray[np.float64]
    weights: NDArray[np.float64]
    forest: GrownTrees | None
    floor: float
    low: float
    width: float

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
            return cls(np.empty(0), np.empty(0), None, 0.0, 0.0, 1.0)
        residuals = y - predicted
        size = np.abs(residuals)
        mean = float(np.average(size, weights=weights))
        found = cls(residuals, np.ones(len(y)), None, LEAST_SPREAD * mean, float(y.min()), float(np.ptp(y)) or 1.0)
        if mean == 0:  # there is nothing to learn, and no unit
            found.floor = 1.0
        found.forest, out_of_bag = grow_forest(
            found._columns(rows, predicted), size / found.floor, [TreeGroup(N_TREES, max_features=1 / 3)],
            TreeOptions(min_samples_leaf=LEAST_ROWS), sequence, weights=weights,
            bags=Bags.of(len(y), weights, heaviest, most), describe_nodes=False, n_jobs=n_jobs,
        )  # fmt: skip
        assert out_of_bag is not None
        found.forest.decreases = None
        spread = np.nan_to_num(out_of_bag[0].means()[:, 0], nan=1 / LEAST_SPREAD)  # that of all rows
        scores = residuals / (found.floor * (1 + np.maximum(spread, 0)))
        order = np.argsort(scores, kind="stable")
        found.scores = scores[order]
        if weights is not None:
            found.weights = weights[order] / weights.mean()
        return found

    def spreads(
        self, rows: NDArray[np.float32], predicted: NDArray[np.float64], n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the spread of residuals around new rows of these predictions, (n_rows,)."""
        assert self.forest is not None
        sums = self.forest.sums(self._columns(rows, predicted), n_jobs)[:, 0]
        return self.floor * (1 + np.maximum(sums / len(self.forest), 0))

    def measure_in(self, unit: float) -> None:
        """Take what was measured in `unit` for what it is."""
        self.floor *= unit
        self.low *= unit
        self.width *= unit

    def quantiles(self, levels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return quantiles of the scores, as for a new row of mean weight among them.

        That is, of n rows that weigh alike, order statistic (n + 1) q, rounded away from the median; the outermost at most.
        """
        n = len(self.scores)
        ends = np.cumsum(self.weights)
        whole = ends[-1] + 1
        above = np.searchsorted(ends, whole * levels - 1e-9 * whole)
        tails = np.cumsum(self.weights[::-1])
        below = n - 1 - np.searchsorted(tails, whole * (1 - levels) - 1e-9 * whole)
        return self.scores[np.clip(np.where(levels < 0.5, below, above), 0, n - 1)]

    def _columns(self, rows: NDArray[np.float32], predicted: NDArray[np.float64]) -> NDArray[np.float32]:
        unit = (predicted - self.low) / self.width
        return np.column_stack([rows, np.clip(unit, -10, 10).astype(np.float32)])
