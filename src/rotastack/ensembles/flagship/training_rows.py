"""The training rows of the families, with their targets, weights, bags and folds."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import unit_of
from rotastack.base.row_weights import weights_of
from rotastack.seeds import child
from rotastack.trees.bags import Bags
from rotastack.trees.boosting import boosting_folds

__all__ = ["HEAVIEST", "MOST_DRAWS", "TrainingRows", "category_targets", "draw_folds"]

HEAVIEST = 2.0
"""Largest mean number of draws of a row for a bag, so that at least about one tree in seven has not seen the row."""

MOST_DRAWS = 40_000
"""Largest number of draws for a bag."""

TALL = 100_000
"""With more rows there are two folds instead of five, because half of the rows are enough to train on."""

MOST_CLASSES = 4
"""Largest number of classes whose shares encode a category; the largest classes are used."""


class TrainingRows(NamedTuple):
    """The rows that families are grown on."""

    X: NDArray[np.float32]  # the encoded table
    codes: NDArray[np.integer]  # class numbers, the target of views
    weights: NDArray[np.float64] | None = None
    groups: Sequence[NDArray[np.intp]] = ()  # for each categorical column, the columns of its dummies
    numbers: NDArray[np.float64] | None = None  # targets of a regression

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None for a regression."""
        return int(self.codes.max()) + 1 if self.numbers is None else None

    @property
    def target(self) -> NDArray:
        return self.codes if self.numbers is None else self.numbers

    def bags(self) -> Bags:
        return Bags.of(len(self.X), self.weights, HEAVIEST, MOST_DRAWS)

    def n_trees(self, wanted: int) -> int:
        """Return the number of trees of a family: `wanted`, or less (at least 1/8) with more than MOST_DRAWS rows."""
        return max(-(-wanted // 8), min(wanted, round(wanted * MOST_DRAWS / len(self.X))))

    def outside(self, folds: NDArray[np.integer], fold: int) -> "TrainingRows":
        """Return the rows of positive weight outside a fold."""
        rows = np.flatnonzero((folds != fold) & (True if self.weights is None else self.weights > 0))
        numbers = None if self.numbers is None else self.numbers[rows]
        return TrainingRows(self.X[rows], self.codes[rows], weights_of(self.weights, rows), self.groups, numbers)


def draw_folds(
    codes: NDArray[np.integer], weights: NDArray[np.float64] | None, sequence: np.random.SeedSequence
) -> NDArray[np.int32]:
    """Return the fold of each row; -1 for rows of weight 0."""
    n_folds = 2 if len(codes) > TALL else 5
    return boosting_folds(codes, n_folds, child(sequence, "folds"), weights, int(codes.max()) + 1)


def category_targets(
    codes: NDArray[np.integer], weights: NDArray[np.float64] | None, numbers: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the targets whose means encode categories, shape (n_rows, n_targets).

    For classes these are 0/1 targets: of the larger of two classes, otherwise of the four largest by rows of positive
    weight. Numbers are centred and divided by a power of two, to fit float32.
    """
    positive = slice(None) if weights is None else weights > 0
    if numbers is not None:
        centred = numbers - numbers[positive].mean()
        return (centred / unit_of(centred[positive]))[:, None]
    sizes = np.bincount(codes[positive], minlength=int(codes.max()) + 1)
    largest = np.argsort(-sizes, kind="stable")[: 1 if len(sizes) == 2 else MOST_CLASSES]
    return (codes[:, None] == largest).astype(np.float64)
