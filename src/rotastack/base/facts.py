"""What a study knows of a class before it trains it: whether members look at rotated columns, how many trees there are, what these take.

Our classes have these facts as the attribute ``study_facts``; those of others stand in :mod:`rotastack.study.catalogue`.
Coefficients are fitted to processor times on generated tables of 60 to 200,000 rows, 5 to 2,000 columns and 2 to 10 classes;
a machine may well be twice as fast or as slow. They are for what people are told, and for how a study of one's own table
is laid out; limits of jobs, in :mod:`rotastack.run.resources`, are many times that.
"""

from math import inf, log2
from typing import NamedTuple

__all__ = ["JOB_SECONDS", "USUAL_COST", "Cost", "Facts"]

JOB_SECONDS = 1.5
"""Of any job: a process starts and imports its libraries."""


class Cost(NamedTuple):
    """Nanoseconds of one tree, or of 100 rounds of boosting, by the rows and columns that it is grown on.

    Attributes
    ----------
    constant, per_root, per_column : float
        For each row and doubling of rows: plus so much for each square root of columns, and for each column.
    predicted : float
        For each row that is predicted.
    per_class : float
        Share that each class beyond the second adds.
    per_row, per_cell : float
        For each row, and for each row and column.
    per_leaf : float
        For each column and leaf, of which there is one for 40 rows, at most `leaves`.
    leaves : int
    drawn, applied : float
        For each column and each of the 500 columns at most that it is turned with: once, as a rotation is drawn, and for each row.
    turned : float
        For each row, column, and each of half of the columns, or of as many as there are rows.
    most_rows : float
        Rows beyond which a tree sees no more.
    far : float
        Multiple of the first three from 65,536 rows on.
    """

    constant: float
    per_root: float
    per_column: float
    predicted: float
    per_class: float = 0.06
    per_row: float = 0.0
    per_cell: float = 0.0
    per_leaf: float = 0.0
    leaves: int = 31
    drawn: float = 0.0
    applied: float = 0.0
    turned: float = 0.0
    most_rows: float = inf
    far: float = 1.0

    def training(self, rows: float, columns: int, n_classes: int) -> float:
        """Return the nanoseconds of growing."""
        seen = max(min(rows, self.most_rows), 2.0)
        sorted_ = seen * log2(seen) * (self.far if seen >= 1 << 16 else 1.0)
        each = sorted_ * (self.constant + self.per_root * columns**0.5 + self.per_column * columns)
        each += self.per_row * rows + self.per_cell * seen * columns
        each += self.per_leaf * columns * min(rows / 40, self.leaves)
        each += (self.drawn + self.applied * rows) * columns * min(columns, 500)
        each += self.turned * rows * columns * min(columns / 2, rows)
        return each * (1 + self.per_class * max(n_classes - 2, 0))

    def prediction(self, rows: float, columns: int, trained: float) -> float:
        """Return the nanoseconds of predicting so many rows after training on so many."""
        turned = self.applied * columns * min(columns, 500) + self.turned / 2 * columns * min(columns / 2, trained)
        return rows * (self.predicted + turned)


USUAL_COST = Cost(11, 8, 0, 130)
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
    row_bytes : int
        Of a kept tree, for each row that it is grown on; 0 is 16, and 4 for each class.
    """

    rotates: bool = False
    is_drawn: bool = False
    cost: Cost | None = None
    boosted_cost: Cost | None = None
    trees: tuple[str, ...] = ()
    n_trees: int = 100
    families: int = 0
    has_matrices: bool = False
    row_bytes: int = 0

    def training_seconds(self, n_trees: int, rows: float, columns: int, n_classes: int) -> float:
        """Return what one training takes.

        Parameters
        ----------
        n_trees : int
            Trees of the whole estimator.
        rows, columns, n_classes : int
            Of the training rows; 0 classes in regression.
        """
        return 1e-9 * sum(n * cost.training(rows, columns, n_classes) for n, cost in self._costs(n_trees))

    def prediction_seconds(self, n_trees: int, rows: float, columns: int = 1, trained: float = 1) -> float:
        """Return what predicting so many rows takes, after training on so many."""
        return 1e-9 * sum(n * cost.prediction(rows, columns, trained) for n, cost in self._costs(n_trees))

    def _costs(self, n_trees: int) -> list[tuple[int, Cost]]:
        boosted = [] if self.boosted_cost is None else [(1, self.boosted_cost)]
        return [(n_trees, self.cost or USUAL_COST), *boosted]
