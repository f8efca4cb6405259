"""Facts of a class that a study needs before training: whether it rotates columns, its number of trees, its costs.

Classes of Rotastack have the attribute ``study_facts``. Facts of other classes are in :mod:`rotastack.study.catalogue`.
Costs are fitted to processor times on generated data sets of 60 to 200,000 rows, 5 to 2,000 columns and 2 to 10
classes. Another computer may be twice as fast or as slow. Costs serve printed estimates and the layout of a study of a
user's own data set. The limits of jobs, in :mod:`rotastack.run.resources`, are many times the estimates.
"""

from math import inf, log2
from typing import NamedTuple

__all__ = ["JOB_SECONDS", "USUAL_COST", "Cost", "Facts"]

JOB_SECONDS = 1.5
"""Seconds that every job needs to start a process and to import libraries."""


class Cost(NamedTuple):
    """Coefficients of the time of one tree, or of 100 rounds of boosting, with n training rows and p columns.

    The time in nanoseconds is the sum of the terms below, each the coefficient times the expression behind it.

    Attributes
    ----------
    constant, per_root, per_column : float
        Of n log2(n), n log2(n) sqrt(p) and n log2(n) p.
    predicted : float
        Of the number of predicted rows.
    per_class : float
        Share of the training time that each class beyond the second adds.
    per_row, per_cell : float
        Of n, and of n p.
    per_leaf : float
        Of p times the number of leaves: n / 40, but at most `leaves`.
    leaves : int
    drawn, applied : float
        Of p min(p, 500), to draw a rotation, and of n p min(p, 500), to apply it.
    turned : float
        Of n p min(p / 2, n).
    most_rows : float
        Largest n of the terms in n log2(n) and n p: a tree uses no more rows.
    far : float
        Factor of n log2(n) from 65,536 rows on.
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
        """Return the nanoseconds of one training."""
        used = max(min(rows, self.most_rows), 2.0)
        sorted_ = used * log2(used) * (self.far if used >= 1 << 16 else 1.0)
        total = sorted_ * (self.constant + self.per_root * columns**0.5 + self.per_column * columns)
        total += self.per_row * rows + self.per_cell * used * columns
        total += self.per_leaf * columns * min(rows / 40, self.leaves)
        total += (self.drawn + self.applied * rows) * columns * min(columns, 500)
        total += self.turned * rows * columns * min(columns / 2, rows)
        return total * (1 + self.per_class * max(n_classes - 2, 0))

    def prediction(self, rows: float, columns: int, trained: float) -> float:
        """Return the nanoseconds of predicting `rows` rows by a tree trained on `trained` rows."""
        turned = self.applied * columns * min(columns, 500) + self.turned / 2 * columns * min(columns / 2, trained)
        return rows * (self.predicted + turned)


USUAL_COST = Cost(11, 8, 0, 130)
"""Cost of a tree of a random forest, used for classes without a measured cost."""


class Facts(NamedTuple):
    """Facts of an estimator class or a view class.

    Attributes
    ----------
    rotates : bool
        The members see rotated columns. The verdict of a study compares a method that rotates with the same one that does not.
    rotated_families : tuple of str
        Names of the flagship's families on rotated columns; without them it does not rotate.
    is_drawn : bool
        The view depends on a seed and the number of columns alone: nested cross-validation draws it before training.
    cost : Cost or None
        Cost of a tree; None if not measured. The trees of a booster are counted for its largest number of rounds.
    boosted_cost : Cost or None
        Cost of all boosted families together; their trees are not counted.
    trees : tuple of str
        Parameters whose product is the number of trees, or of trees in each family; empty for `n_estimators`.
    n_trees : int
        Number of trees if the parameters do not determine it.
    families : int
        Number of families of the flagship at its defaults, without boosted families and categorical columns; else 0.
    has_matrices : bool
        Each tree keeps a matrix.
    row_bytes : int
        Bytes that a kept tree needs for each of its training rows; 0 means 16 plus 4 for each class.
    """

    rotates: bool = False
    rotated_families: tuple[str, ...] = ()
    is_drawn: bool = False
    cost: Cost | None = None
    boosted_cost: Cost | None = None
    trees: tuple[str, ...] = ()
    n_trees: int = 100
    families: int = 0
    has_matrices: bool = False
    row_bytes: int = 0

    def training_seconds(self, n_trees: int, rows: float, columns: int, n_classes: int) -> float:
        """Return the seconds of one training.

        Parameters
        ----------
        n_trees : int
            Trees of the whole estimator.
        rows, columns, n_classes : int
            Sizes of the training set; `n_classes` is 0 in regression.
        """
        return 1e-9 * sum(n * cost.training(rows, columns, n_classes) for n, cost in self._costs(n_trees))

    def prediction_seconds(self, n_trees: int, rows: float, columns: int = 1, trained: float = 1) -> float:
        """Return the seconds of predicting `rows` rows by an estimator trained on `trained` rows."""
        return 1e-9 * sum(n * cost.prediction(rows, columns, trained) for n, cost in self._costs(n_trees))

    def _costs(self, n_trees: int) -> list[tuple[int, Cost]]:
        boosted = [] if self.boosted_cost is None else [(1, self.boosted_cost)]
        return [(n_trees, self.cost or USUAL_COST), *boosted]
