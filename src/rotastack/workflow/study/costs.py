"""Costs of classes: the time of a member and the memory of a kept one, for estimates before a study runs.

One formula serves all classes; :data:`COSTS` has its numbers. They are fitted to processor times on generated data sets
of 60 to 200,000 rows, 5 to 2,000 columns and 2 to 10 classes. An estimate may be wrong by a factor of three (four for
random rotations of two columns or sixty rows), and another computer may be twice as fast or as slow. The limits of jobs,
in :mod:`rotastack.workflow.run.resources`, are many times the estimates.
"""

from functools import cache
from typing import NamedTuple

from rotastack.workflow.study.building import own_class

JOB_SECONDS = 1.5
"""Seconds that every job needs to start a process and to import libraries."""


N_REPEATS, MOST_ROWS = 5, 1000
"""An explanation shuffles a column so many times, in at most so many rows."""
MOST_SHUFFLED, SHUFFLING_SECONDS = 300, 30
"""The most columns that an explanation shuffles, and about how long it may take."""
N_SHOWN, N_VALUES, PREDICTED_ROWS, CURVE_SECONDS = 6, 20, 200, 10
"""The most columns with partial dependence, the values of each, the rows to average over, and about how long it may take."""


class Cost(NamedTuple):
    """The numbers of a class in the formula.

    Training: `microseconds` for a member on 1000 rows, 10 columns and two classes; `rows` and `columns` are the exponents
    by which they grow, and `classes` is the share that each further class adds. A model costs as much as `extra` members more.
    Prediction, in nanoseconds: `predicted` for a member and row, `mapped` for each entry of a member's matrix and row, and
    `kernel` for a column, a row and a training row of a kernel machine. The last two count in explanations alone.
    Memory: `row_bytes` for a kept member and row, and matrices of at most so many members (`matrices`) and `axes`.
    """

    microseconds: float
    rows: float
    columns: float
    predicted: float
    classes: float = 0.06
    extra: int = 0
    row_bytes: int = 0
    matrices: int = 0
    axes: int = 5000
    mapped: float = 0.0
    kernel: float = 0.0

    def training_seconds(self, members: int, rows: float, columns: float, n_classes: int) -> float:
        """Return the seconds of training all members; `n_classes` is 0 in regression."""
        each = 1e-6 * self.microseconds * (rows / 1000) ** self.rows * (columns / 10) ** self.columns
        return (members + self.extra) * each * (1 + self.classes * max(n_classes - 2, 0))

    def prediction_seconds(self, members: int, rows: float, columns: int = 0, trained: int = 0) -> float:
        """Return the seconds of predicting `rows` rows by all members that were `trained` on so many rows."""
        of_member = self.predicted + self.mapped * min(columns, 1000) ** 2
        return 1e-9 * rows * ((members + self.extra) * of_member + self.kernel * columns * min(trained, 2500))

    def explanation(
        self, members: int, rows: int, columns: int, n_classes: int = 0, inputs: int = 0
    ) -> tuple[int, int, float]:
        """Return the most columns that an explanation shuffles, the most that it draws, and its expected seconds.

        The `inputs` are the columns before encoding; 0 if they are as many as the encoded `columns`.
        """
        judged = min(rows, MOST_ROWS) + min(rows / 3, MOST_ROWS)
        each = N_REPEATS * (2e-3 + self.prediction_seconds(members, judged, columns, rows))
        curve = self.prediction_seconds(members, N_VALUES * min(rows, PREDICTED_ROWS), columns, rows)
        most, drawn = min(MOST_SHUFFLED, int(SHUFFLING_SECONDS / each)), min(N_SHOWN, int(CURVE_SECONDS / curve))
        training = self.training_seconds(members, 2 / 3 * rows, columns, n_classes)
        return most, drawn, training + min(most, inputs or columns) * each + min(drawn, inputs or columns) * curve

    def seconds(self, members: int, train: float, test: float, columns: float, n_classes: int) -> float:
        """Return the seconds of training all members on `train` rows, and of predicting `test` rows."""
        return self.training_seconds(members, train, columns, n_classes) + self.prediction_seconds(members, test)

    def kept_megabytes(self, members: int, rows: float, columns: int, n_classes: int) -> float:
        """Return the size of kept members; of two subsets of rows, a matrix has at most as many axes as rows."""
        axes = min(columns, 2 * rows, self.axes)
        matrices = 8e-6 * min(members, self.matrices) * columns * axes
        return matrices + 1e-6 * members * rows * (self.row_bytes or 16 + 4 * n_classes)


COSTS = {
    "aeon.classification.sklearn.RotationForestClassifier": Cost(990, 1.13, 0.79, 200, 0.2, matrices=5000),
    "catboost.CatBoostClassifier": Cost(370, 1.13, 0.92, 2, 0.7),
    "catboost.CatBoostRegressor": Cost(340, 1.13, 0.95, 2),
    "lightgbm.LGBMClassifier": Cost(174, 1.13, 0.96, 60, 1.1),
    "lightgbm.LGBMRegressor": Cost(174, 1.13, 0.96, 60),
    "rotastack.ensembles.flagship.classifier.RotastackClassifier":
        Cost(400, 0.84, 0.60, 80, 0.3, extra=100, kernel=0.3),
    "rotastack.ensembles.flagship.regressor.RotastackRegressor":
        Cost(870, 0.90, 0.94, 95, extra=100, kernel=1.0),
    "rotastack.ensembles.forests.random.RandomRotationForestClassifier":
        Cost(670, 0.84, 1.20, 140, matrices=50, axes=500, mapped=0.044),
    "rotastack.ensembles.forests.random.RandomRotationForestRegressor":
        Cost(960, 0.96, 1.22, 210, row_bytes=106, matrices=50, axes=500, mapped=0.044),
    "rotastack.ensembles.forests.rotation.SubsetRotationForest": Cost(460, 1.32, 1.01, 65, 0.2, matrices=5000, mapped=0.005),
    "rotastack.trees.boosted.BoostedTreesClassifier": Cost(13, 1.13, 0.94, 10, 1.3),
    "rotastack.trees.boosted.BoostedTreesRegressor": Cost(37, 1.13, 0.87, 12),
    "rotastack.trees.extra.ExtraForestClassifier": Cost(390, 1.13, 0.37, 150, row_bytes=61),
    "rotastack.trees.extra.ExtraForestRegressor": Cost(1170, 1.13, 0.90, 300, row_bytes=163),
    "rotastack.trees.forest.ForestClassifier": Cost(345, 1.13, 0.42, 130),
    "rotastack.trees.forest.ForestRegressor": Cost(840, 1.13, 0.91, 200, row_bytes=106),
    "sklearn.ensemble.HistGradientBoostingClassifier": Cost(440, 0.71, 0.92, 60, 1.0),
    "sklearn.ensemble.HistGradientBoostingRegressor": Cost(440, 0.71, 0.92, 60),
    "sklearn.linear_model.LogisticRegression": Cost(1500, 1.00, 1.00, 1500, 0.05),
    "sklearn.linear_model.Ridge": Cost(900, 1.02, 1.07, 1500),
    "xgboost.XGBClassifier": Cost(250, 0.77, 1.00, 30, 0.4),
    "xgboost.XGBRegressor": Cost(250, 0.77, 1.00, 30),
}  # fmt: skip
"""Class -> its cost; a class that is derived from one of Rotastack has the same cost, if it has none of its own."""

USUAL_COST = COSTS["rotastack.trees.forest.ForestClassifier"]
"""Cost of a class that is not in the table."""


@cache
def cost_of(path: str) -> Cost | None:
    """Return the cost of a class; None if it is unknown."""
    names = (path, *(f"{c.__module__}.{c.__qualname__}" for c in own_class(path).__mro__))
    return next((COSTS[name] for name in names if name in COSTS), None)
