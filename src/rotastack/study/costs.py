"""What training and prediction take of a processor: estimates by rows, columns, classes and trees.

Coefficients are nanoseconds, fitted to measurements on generated tables of 500 to 16,000 rows, 5 to 100 columns and 2
or 10 classes; a machine may well be twice as fast or as slow. They are for what people are told, and for how a
study of one's own table is laid out; limits of jobs, in :mod:`~rotastack.run.resources`, are many times that.
"""

from math import log2
from typing import NamedTuple

__all__ = ["COSTS", "FAMILIES", "JOB_SECONDS", "prediction_seconds", "training_seconds"]

JOB_SECONDS = 3.0
"""Of any job: a process starts and imports its libraries."""
FAMILIES = {"RotastackClassifier": 7, "RotastackRegressor": 8}
"""Of the flagship at its defaults, where no column is categorical and without boosted ones: `trees_per_family` counts so often."""


class Cost(NamedTuple):
    """Nanoseconds of one tree, or of all boosted families: for each row and doubling of rows in training, for each row in prediction."""

    constant: float
    per_root: float
    per_column: float
    predicted: float
    per_class: float = 0.06
    """Share that each class beyond the second adds."""


_USUAL = Cost(20, 12, 0, 130)
COSTS = {
    "ForestClassifier": Cost(20, 12, 0, 130),
    "ExtraForestClassifier": Cost(40, 10, 0, 150),
    "RandomRotationForestClassifier": Cost(20, 10, 1, 250),
    "RotationForestClassifier": Cost(50, 0, 5, 200, 0.2),
    "RotastackClassifier": Cost(0, 9, 0.65, 60, 0.08),
    "BoostedTreesClassifier": Cost(0.2, 0, 0.11, 10, 1.3),
    "XGBClassifier": Cost(60, 0, 2.5, 30, 1.0),
    "CatBoostClassifier": Cost(8, 0, 3, 2, 0.7),
    "LGBMClassifier": Cost(2, 0, 1.6, 60, 1.1),
    "ForestRegressor": Cost(60, 0, 9, 250),
    "ExtraForestRegressor": Cost(80, 0, 14, 300),
    "RandomRotationForestRegressor": Cost(60, 0, 9, 350),
    "RotastackRegressor": Cost(33, 0, 6.2, 120),
    "BoostedTreesRegressor": Cost(0, 0.55, 0.22, 12),
    "XGBRegressor": Cost(60, 0, 3, 30),
    "CatBoostRegressor": Cost(5, 0, 3, 2),
    "LGBMRegressor": Cost(2, 0, 1.6, 60),
}
"""Class -> what its trees cost; others are taken for a random forest. Boosters have trees in all rounds that they may take."""
BOOSTED = {"RotastackClassifier": Cost(420, 0, 60, 10_000, 1.15), "RotastackRegressor": Cost(1200, 0, 340, 4_000)}
"""Class -> what its boosted families cost, whose trees `trees_per_family` does not count."""


def training_seconds(path: str, n_trees: int, rows: float, columns: int, n_classes: int) -> float:
    """Return what one training takes, by the path of the class.

    Parameters
    ----------
    path : str
        Dotted path of the class.
    n_trees : int
        Trees of the whole estimator.
    rows, columns, n_classes : int
        Of the training rows; 0 classes in regression.
    """
    each = sum(n * _training(cost, columns, n_classes) for n, cost in _costs(path, n_trees))
    return 1e-9 * each * rows * log2(max(rows, 2.0))


def prediction_seconds(path: str, n_trees: int, rows: float) -> float:
    """Return what predicting so many rows takes; parameters as for :func:`training_seconds`."""
    return 1e-9 * rows * sum(n * cost.predicted for n, cost in _costs(path, n_trees))


def _costs(path: str, n_trees: int) -> list[tuple[int, Cost]]:
    name = path.rpartition(".")[2]
    found = [(n_trees, COSTS.get(name, _USUAL))]
    return [*found, (1, BOOSTED[name])] if name in BOOSTED else found


def _training(cost: Cost, columns: int, n_classes: int) -> float:
    each = cost.constant + cost.per_root * columns**0.5 + cost.per_column * columns
    return each * (1 + cost.per_class * max(n_classes - 2, 0))
