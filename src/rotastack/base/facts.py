"""What a study knows of a class before it trains it: whether members look at rotated columns, how many trees there are, what these take.

Our classes have these facts as the attribute ``study_facts``; those of others stand in :mod:`rotastack.study.catalogue`.
Coefficients are fitted to measurements on generated tables of 500 to 16,000 rows, 5 to 100 columns and 2 or 10 classes;
a machine may well be twice as fast or as slow. They are for what people are told, and for how a study of one's own table
is laid out; limits of jobs, in :mod:`rotastack.run.resources`, are many times that.
"""

from math import log2
from typing import NamedTuple

__all__ = ["JOB_SECONDS", "USUAL_COST", "Cost", "Facts"]

JOB_SECONDS = 3.0
"""Of any job: a process starts and imports its libraries."""


class Cost(NamedTuple):
    """Nanoseconds of one tree, or of all boosted families: for each row and doubling of rows in training, for each row in prediction."""

    constant: float
    per_root: float
    per_column: float
    predicted: float
    per_class: float = 0.06
    """Share that each class beyond the second adds."""

    def training(self, columns: int, n_classes: int) -> float:
        """Return the nanoseconds for each row and doubling of rows."""
        each = self.constant + self.per_root * columns**0.5 + self.per_column * columns
        return each * (1 + self.per_class * max(n_classes - 2, 0))


USUAL_COST = Cost(20, 12, 0, 130)
"""Of a random forest's trees, for which those of unknown classes are taken."""


class Facts(NamedTuple):
    """Facts of an estimator or view.

    Attributes
    ----------
    rotates : bool
        Members look at rotated columns: the verdict sets them against the others.
    is_drawn : bool
        Of a view: it depends on a seed and the number of columns alone, and nested cross-validation draws it before any training.
    cost : Cost or None
        What a tree takes; None where nobody measured it. Boosters have trees in all rounds that they may take.
    boosted_cost : Cost or None
        What boosted families take, whose trees are not counted.
    trees : tuple of str
        Parameters whose product is the number of trees, or of trees in each family; without them it is `n_estimators`, where a study sets it.
    n_trees : int
        The number where these do not say it.
    families : int
        Of the flagship at its defaults, where no column is categorical and without boosted ones; 0 of others.
    has_matrices : bool
        Each tree keeps a matrix.
    """

    rotates: bool = False
    is_drawn: bool = False
    cost: Cost | None = None
    boosted_cost: Cost | None = None
    trees: tuple[str, ...] = ()
    n_trees: int = 100
    families: int = 0
    has_matrices: bool = False

    def training_seconds(self, n_trees: int, rows: float, columns: int, n_classes: int) -> float:
        """Return what one training takes.

        Parameters
        ----------
        n_trees : int
            Trees of the whole estimator.
        rows, columns, n_classes : int
            Of the training rows; 0 classes in regression.
        """
        each = sum(n * cost.training(columns, n_classes) for n, cost in self._costs(n_trees))
        return 1e-9 * each * rows * log2(max(rows, 2.0))

    def prediction_seconds(self, n_trees: int, rows: float) -> float:
        """Return what predicting so many rows takes."""
        return 1e-9 * rows * sum(n * cost.predicted for n, cost in self._costs(n_trees))

    def _costs(self, n_trees: int) -> list[tuple[int, Cost]]:
        boosted = [] if self.boosted_cost is None else [(1, self.boosted_cost)]
        return [(n_trees, self.cost or USUAL_COST), *boosted]
