"""What families are grown on."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import unit_of
from rotastack.base.row_weights import some
from rotastack.ensembles.flagship.families import TreeFamily
from rotastack.ensembles.flagship.family_views import planned_families
from rotastack.ensembles.flagship.many_values import encoding_targets
from rotastack.seeds import child
from rotastack.trees.bags import Bags
from rotastack.trees.boosting import boosting_folds
from rotastack.trees.growing import TreeGroup

__all__ = ["HEAVIEST", "MOST_DRAWS", "TrainingRows"]

HEAVIEST = 2.0
"""No row is drawn for a bag more often than this on average: one in seven trees, at least, has not seen it."""

MOST_DRAWS = 40_000
"""For a tree, however many rows there are."""

TALL = 100_000
"""With more rows there are two folds in place of five: half of the rows are enough to learn from."""


@dataclass(frozen=True)
class TrainingRows:
    """What families are grown on.

    Attributes
    ----------
    X : ndarray of float32 of shape (n_rows, n_columns)
        The encoded table.
    codes : ndarray of int of shape (n_rows,)
        Class numbers, from which views learn.
    weights : ndarray of shape (n_rows,) or None
    groups : sequence of ndarray of int
        Columns that are the dummies of one category each.
    numbers : ndarray of shape (n_rows,) or None
        Targets of a regression.
    """

    X: NDArray[np.float32]
    codes: NDArray[np.integer]
    weights: NDArray[np.float64] | None = None
    groups: Sequence[NDArray[np.intp]] = ()
    numbers: NDArray[np.float64] | None = None

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None for a regression."""
        return int(self.codes.max()) + 1 if self.numbers is None else None

    @property
    def target(self) -> NDArray:
        return self.codes if self.numbers is None else self.numbers

    def bags(self) -> Bags:
        return Bags.of(len(self.X), self.weights, HEAVIEST, MOST_DRAWS)

    def parts(self) -> tuple:
        """Return the attributes, in their order."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def n_trees(self, wanted: int) -> int:
        """Return the trees of a family: fewer, down to an eighth, the more rows there are beyond the draws for a tree."""
        return max(-(-wanted // 8), min(wanted, round(wanted * MOST_DRAWS / len(self.X))))

    def folds(self, sequence: np.random.SeedSequence) -> NDArray[np.int32]:
        """Return the fold of each row, -1 without a weight."""
        n_folds = 2 if len(self.codes) > TALL else 5
        own = child(sequence, "folds")
        return boosting_folds(self.codes, n_folds, own, self.weights, int(self.codes.max()) + 1)

    def seen(self, folds: NDArray[np.integer], fold: int) -> "TrainingRows":
        """Return the rows that are grown on where a fold is left out: rows of no weight are in no fold."""
        rows = np.flatnonzero((folds != fold) & (True if self.weights is None else self.weights > 0))
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, X=self.X[rows], codes=self.codes[rows], weights=some(self.weights, rows), numbers=numbers)  # fmt: skip

    def encoding_targets(self) -> NDArray[np.float64]:
        """Return the targets that categories are encoded by, (row, target): the number, or whether the class is one of the largest."""
        numbers = self._levelled()
        if numbers is not None:
            return numbers[:, None]
        return encoding_targets(self.codes, None if self.weights is None else self.weights > 0)

    def planned(
        self, families: Sequence[TreeFamily], n_trees: int, sequence: np.random.SeedSequence, n_jobs: int | None
    ) -> list[TreeGroup]:
        """Return families as forests are grown of them; see :func:`planned_families`."""
        return planned_families(
            families, n_trees, self.X, self.codes, int(self.codes.max()) + 1, sequence,
            bags=self.bags(), n_jobs=n_jobs,
        )  # fmt: skip

    def _levelled(self) -> NDArray[np.float64] | None:
        """Return the targets of a regression from their mean and in units of their size, which float32 holds as they are."""
        if self.numbers is None:
            return None
        there = slice(None) if self.weights is None else self.weights > 0
        centred = self.numbers - self.numbers[there].mean()
        return centred / unit_of(centred[there])
