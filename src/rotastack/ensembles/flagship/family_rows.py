"""The training rows of the families, with their bags and folds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rotastack.base.outputs import unit_of
from rotastack.base.row_weights import weights_of
from rotastack.seeds import child
from rotastack.trees.bags import Bags
from rotastack.trees.boosting import boosting_folds
from rotastack.trees.growing import TrainingRows

HEAVIEST = 2.0
"""Largest mean number of draws of a row for a bag, so that at least about one tree in seven has not seen the row."""

MOST_DRAWS = 40_000
"""Largest number of draws for a bag."""

TALL = 100_000
"""With more rows there are two folds instead of five, because half of the rows are enough to train on."""

MOST_SHARES = 4
"""Largest number of classes whose shares encode a category; the largest classes are used."""


@dataclass(frozen=True, kw_only=True)
class FamilyRows(TrainingRows):
    """The rows that families are grown on."""

    codes: NDArray[np.integer]  # class numbers, the target of views
    folds: NDArray[np.int32]  # the fold of each row; -1 for rows of weight 0
    dummies: Sequence[NDArray[np.intp]] = ()  # for each categorical column, the columns of its dummies
    row_groups: NDArray[np.intp] | None = None  # numbers of the groups of rows that share bags and folds

    @property
    def weighted(self) -> NDArray[np.bool_]:
        """The mask of the rows of positive weight."""
        return weighted_rows(self.weights, len(self.X))

    def bags(self) -> Bags:
        return Bags.of(len(self.X), self.weights, HEAVIEST, MOST_DRAWS, self.row_groups)

    def n_trees(self, wanted: int) -> int:
        """Return the number of trees of a family: `wanted`, or less (at least 1/8) with more than MOST_DRAWS rows."""
        return max(-(-wanted // 8), min(wanted, round(wanted * MOST_DRAWS / len(self.X))))

    def outside(self, fold: int) -> "FamilyRows":
        """Return the rows of positive weight outside a fold, without numbers of groups: a fold holds out whole groups."""
        rows = np.flatnonzero((self.folds != fold) & self.weighted)
        return FamilyRows(
            self.X[rows],
            self.target[rows],
            self.n_classes,
            weights_of(self.weights, rows),
            codes=self.codes[rows],
            folds=self.folds[rows],
            dummies=self.dummies,
        )


def weighted_rows(weights: NDArray[np.float64] | None, n_rows: int) -> NDArray[np.bool_]:
    """Return the mask of the rows of positive weight."""
    return np.ones(n_rows, dtype=bool) if weights is None else weights > 0


def group_numbers(groups: ArrayLike, weighted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of each row's group, from 0; `weighted` is the mask of the rows of positive weight.

    Raises
    ------
    ValueError
        A wrong number of rows, missing values, or one group only among the rows of positive weight.
    """
    shape, wanted = np.shape(groups), weighted.shape
    if shape != wanted:
        raise ValueError(f"groups must have shape {wanted}, one entry for each row, got {shape}")
    numbers = pd.factorize(pd.Series(groups))[0]
    if numbers.min() < 0:
        missing = np.flatnonzero(numbers < 0)
        raise ValueError(
            f"groups: missing in {len(missing)} of {len(numbers)} rows, the first is row {missing[0]}; each row needs a group"
        )
    if np.ptp(numbers[weighted]) == 0:
        raise ValueError("groups: rows with a positive weight have only one group; at least 2 groups are needed")
    return numbers


def draw_folds(
    codes: NDArray[np.integer],
    weights: NDArray[np.float64] | None,
    sequence: np.random.SeedSequence,
    row_groups: NDArray[np.intp] | None = None,
) -> NDArray[np.int32]:
    """Return the fold of each row; -1 for rows of weight 0.

    With `row_groups`, rows of a group share a fold. The groups, the largest first, go to the fold that has the fewest
    rows of their classes.
    """
    most, sequence = 2 if len(codes) > TALL else 5, child(sequence, "folds")
    if row_groups is None:
        return boosting_folds(codes, most, sequence, weights, int(codes.max()) + 1)
    weighted = weighted_rows(weights, len(codes))
    shape = int(row_groups.max()) + 1, int(codes.max()) + 2
    counts = np.zeros(shape)  # of rows by group and class; in the last column of all rows
    np.add.at(counts, (row_groups[weighted], codes[weighted]), 1)
    counts[:, -1] = counts.sum(axis=1)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    filled = np.zeros((min(most, int(np.count_nonzero(counts[:, -1]))), shape[1]))
    fold_of = np.empty(len(counts), np.int32)
    order = np.random.default_rng(sequence).permutation(len(counts))
    for group in order[np.argsort(-counts[order, -1], kind="stable")]:
        fold_of[group] = (filled @ shares[group]).argmin()
        filled[fold_of[group]] += shares[group]
    return np.where(weighted, fold_of[row_groups], -1).astype(np.int32)


def n_folds(folds: NDArray[np.integer]) -> int:
    """Return the number of folds; 1 if there are too few rows for folds, so that no row is held out."""
    return max(1, int(folds.max()) + 1)


def category_targets(rows: TrainingRows) -> NDArray[np.float64]:
    """Return the targets whose means encode categories, shape (n_rows, n_targets).

    For classes these are 0/1 targets: of the larger of two classes, otherwise of the four largest by rows of positive
    weight. Numbers are centred and divided by a power of two, to fit float32.
    """
    positive = weighted_rows(rows.weights, len(rows.target))
    if rows.n_classes is None:
        centred = rows.target - rows.target[positive].mean()
        return (centred / unit_of(centred[positive]))[:, None]
    sizes = np.bincount(rows.target[positive], minlength=int(rows.target.max()) + 1)
    largest = np.argsort(-sizes, kind="stable")[: 1 if len(sizes) == 2 else MOST_SHARES]
    return (rows.target[:, None] == largest).astype(np.float64)
