"""The training rows of the families, with their targets, weights, bags and folds."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import unit_of
from rotastack.base.row_weights import weights_of
from rotastack.ensembles.flagship.families import TreeFamily
from rotastack.ensembles.flagship.family_views import planned_families
from rotastack.ensembles.flagship.many_values import encoding_targets
from rotastack.seeds import child
from rotastack.trees.bags import Bags
from rotastack.trees.boosting import boosting_folds
from rotastack.trees.growing import TreeGroup

__all__ = ["HEAVIEST", "MOST_DRAWS", "TrainingRows"]

HEAVIEST = 2.0
"""Largest mean number of draws of a row for a bag, so that at least about one tree in seven has not seen the row."""

MOST_DRAWS = 40_000
"""Largest number of draws for a bag."""

TALL = 100_000
"""With more rows there are two folds instead of five, because half of the rows are enough to train on."""


@dataclass(frozen=True)
class TrainingRows:
    """The rows that families are grown on.

    Attributes
    ----------
    X : ndarray of float32 of shape (n_rows, n_columns)
        The encoded table.
    codes : ndarray of int of shape (n_rows,)
        Class numbers, the target of views.
    weights : ndarray of shape (n_rows,) or None
    groups : sequence of ndarray of int
        For each categorical column, the columns of its dummies.
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
        """Return the values of the attributes, in order."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def n_trees(self, wanted: int) -> int:
        """Return the number of trees of a family: `wanted`, or less (at least 1/8) with more than MOST_DRAWS rows."""
        return max(-(-wanted // 8), min(wanted, round(wanted * MOST_DRAWS / len(self.X))))

    def folds(self, sequence: np.random.SeedSequence) -> NDArray[np.int32]:
        """Return the fold of each row; -1 for rows of weight 0."""
        n_folds = 2 if len(self.codes) > TALL else 5
        drawn = child(sequence, "folds")
        return boosting_folds(self.codes, n_folds, drawn, self.weights, int(self.codes.max()) + 1)

    def outside(self, folds: NDArray[np.integer], fold: int) -> "TrainingRows":
        """Return the rows of positive weight outside a fold."""
        rows = np.flatnonzero((folds != fold) & (True if self.weights is None else self.weights > 0))
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, X=self.X[rows], codes=self.codes[rows], weights=weights_of(self.weights, rows), numbers=numbers)  # fmt: skip

    def encoding_targets(self) -> NDArray[np.float64]:
        """Return the targets for encoding categories, (n_rows, n_targets): numbers or 0/1 for the largest classes."""
        numbers = self._levelled()
        if numbers is not None:
            return numbers[:, None]
        return encoding_targets(self.codes, None if self.weights is None else self.weights > 0)

    def planned(
        self, families: Sequence[TreeFamily], n_trees: int, sequence: np.random.SeedSequence, n_jobs: int | None
    ) -> list[TreeGroup]:
        """Return tree groups for ``grow_forest``; see :func:`planned_families`."""
        return planned_families(
            families, n_trees, self.X, self.codes, int(self.codes.max()) + 1, sequence,
            bags=self.bags(), n_jobs=n_jobs,
        )  # fmt: skip

    def _levelled(self) -> NDArray[np.float64] | None:
        """Return the centred targets of a regression, divided by a power of two to fit float32; None for classes."""
        if self.numbers is None:
            return None
        positive = slice(None) if self.weights is None else self.weights > 0
        centred = self.numbers - self.numbers[positive].mean()
        return centred / unit_of(centred[positive])
