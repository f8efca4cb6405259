"""The comparison on a user's own table: its methods, how they are tested, and the time that this takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, NamedTuple

import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from rotastack.base.columns import column_kind
from rotastack.base.reading import beyond_floats
from rotastack.data.target import TaskName
from rotastack.workflow.study.catalogue import find
from rotastack.workflow.study.costs import JOB_SECONDS, USUAL_COST
from rotastack.workflow.study.task import TASKS

__all__ = [
    "BUDGETS",
    "CONTROL",
    "METHODS",
    "SIZES",
    "Layout",
    "Shape",
    "block_of",
    "counts_among",
    "default_score",
    "labels_of",
    "laid_out",
    "training_limit",
]

SIZES = ("small", "medium", "full")
BUDGETS = {"small": 60.0, "medium": 200.0, "full": float("inf")}
"""Size -> seconds that a study may take, unless the user sets another number."""


class Named(NamedTuple):
    """A method: its pool, the short name of its estimator, and whether the layout sets its number of trees."""

    pool: str
    estimator: str
    is_forest: bool = True


METHODS = {
    "Rotastack": Named("rotastack", "rotastack"),
    "Random forest": Named("forest", "forest"),
    "Extra trees": Named("extra_trees", "extra_forest"),
    "Random rotations": Named("random_rotations", "random_rotation_forest"),
    "Rotation Forest": Named("rotation_forest", "rotation_forest"),
    "HistGradientBoosting": Named("hist_gradient_boosting", "hist_gradient_boosting", is_forest=False),
    "LightGBM": Named("lightgbm", "lightgbm", is_forest=False),
    "XGBoost": Named("xgboost", "boosted", is_forest=False),
    "CatBoost": Named("catboost", "catboost", is_forest=False),
    "Logistic regression": Named("logistic_regression", "logistic_regression", is_forest=False),
    "Ridge": Named("ridge", "ridge", is_forest=False),
}
"""Label -> method, in the order of the report. A method whose package is not installed is not compared."""
CONTROL = "Random forest"
BLOCK_SECONDS = 30
"""Splits that together take about this long are one job."""
LIMIT_SECONDS, LIMIT_TIMES = 60, 10
"""A training is stopped after these seconds plus this multiple of its expected seconds; the study goes on."""
SPLITS, TESTED = 5, 20_000
"""Number of splits of a large table, and the most test rows of each."""
CELL_SECONDS = 3e-6
"""Seconds for each entry of the table, to read and write it in several steps that wait for each other."""
LEAST_ROWS = 20
RARE = 0.4
"""A class is rare below this multiple of an equal share; of two classes, below a fifth of the rows."""
LESS = [(100, 300), (30, 100)]
"""Numbers of trees in a family of the flagship, and in other forests, if time is short."""
FEW, SOME = 1000, 5000
"""Most rows with which tests are repeated often, and most rows with which they are repeated a few times."""


@dataclass(frozen=True)
class Shape:
    """The task and size of a table before its study runs; columns are counted after encoding as numbers."""

    task: TaskName
    rows: int
    columns: int
    n_classes: int


@dataclass(frozen=True)
class Layout:
    """How the methods are tested, and how many trees they have."""

    protocol: dict[str, Any]
    trees_per_family: int
    n_estimators: int
    seconds: float = 0.0
    shortened: bool = False
    given: tuple[float, float] = (0.0, 0.0)

    @property
    def n_splits(self) -> int:
        """Number of splits, on each of which each method is trained and tested."""
        if self.protocol["kind"] == "given":
            return int(self.protocol["splits"])
        return int(self.protocol["repeats"] * self.protocol.get("folds", 1))

    @property
    def test_in_words(self) -> str:
        """How rows are divided, in words."""
        if self.protocol["kind"] == "given":
            return (
                f"the {self.n_splits} splits of column {self.protocol['columns'][0]}"
                if self.n_splits > 1
                else (f"the training and test rows of column {self.protocol['columns'][0]}")
            )
        repeats, folds = self.protocol["repeats"], self.protocol.get("folds")
        groups, time = self.protocol.get("groups"), self.protocol.get("time")
        together = f", rows of one {groups} together" if groups else ""
        together += ", copies of a row together" if self.protocol.get("copies_together") else ""
        if folds and time:
            return f"{folds} spans of {time}, each tested after training on earlier rows"
        if folds:
            return f"{folds}-fold cross-validation" + (f", {repeats} times" if repeats > 1 else "") + together
        train, test = self.protocol["train"], self.protocol.get("test")
        share = f"{train:.0%}" if train < 1 else f"{train:,}"
        tested = f" and {test:,} for test" if test else ""
        kind = f"spans of {time}" if time else "random splits"
        return f"{repeats} {kind}, {share} of the rows for training{tested}{together}"

    def parameters(self, label: str) -> dict[str, int]:
        """Return the parameters that the layout sets for a method's estimator; none for boosters."""
        if label == "Rotastack":
            return {"trees_per_family": self.trees_per_family}
        return {"n_estimators": self.n_estimators} if METHODS[label].is_forest else {}

    def rows(self, shape: Shape) -> tuple[float, float]:
        """Return the numbers of training and test rows of a split; for spans of time, their means."""
        folds = self.protocol.get("folds")
        if self.protocol["kind"] == "given":
            return self.given
        if folds and self.protocol.get("time"):
            return shape.rows / 2, shape.rows / (folds + 1)
        if folds:
            return shape.rows * (1 - 1 / folds), shape.rows / folds
        train = self.protocol["train"] * (shape.rows if self.protocol["train"] < 1 else 1)
        return train, self.protocol.get("test") or shape.rows - train

    def split_seconds(self, label: str, shape: Shape) -> float:
        """Return the expected seconds to train and test a method on one split, on one core."""
        return self._seconds(label, shape, *self.rows(shape))

    def model_seconds(self, shape: Shape) -> float:
        """Return the expected seconds to train the flagship on all rows and to predict these, on one core."""
        return self._seconds("Rotastack", shape, shape.rows, shape.rows)

    def _seconds(self, label: str, shape: Shape, train: float, test: float) -> float:
        entry = find(METHODS[label].estimator, TASKS[shape.task].estimators)
        facts, cost = entry.known_facts, entry.cost or USUAL_COST
        trees = next(iter(self.parameters(label).values()), facts.n_trees) * (facts.families or 1)
        trained = cost.training_seconds(trees, train, shape.columns, shape.n_classes)
        return trained + cost.prediction_seconds(trees, test)


def default_score(target: pd.Series, task: TaskName) -> tuple[str, str]:
    """Return the score that fits a target, and the reason: the error misleads if a class is rare."""
    if task == "regression":
        return "rmse", "because the target is a number"
    counts = target.value_counts()
    share = counts.min() / len(target)
    if share * len(counts) >= RARE:
        return "error", "because no class is rare"
    score = "roc_auc" if len(counts) == 2 else "log_loss"
    return score, (
        f"because class {str(counts.index[-1])!r} is {share:.0%} of the rows, and always predicting the largest class has a low error"
        if len(counts) == 2
        else f"because class {str(counts.index[-1])!r} of {len(counts)} classes is {share:.1%} of the rows"
    )


def counts_among(features: pd.DataFrame) -> list[str]:
    """Return the columns of whole numbers with more than two values that the usual rules make categories of.

    As numbers, such counts and grades keep their order, and trees can cut them into the same sets.
    """
    found = []
    for name, column in features.items():
        is_number = is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype) and not beyond_floats(column)
        if is_number and column.nunique() > 2 and column_kind(column).kind == "categorical":
            numbers = column.dropna().to_numpy(dtype=float)
            if (numbers == numbers.round()).all():
                found.append(str(name))
    return found


def labels_of(task: TaskName) -> list[str]:
    """Return the labels of a task's methods whose packages are installed."""
    known = TASKS[task].estimators
    of_task = {label: method.estimator for label, method in METHODS.items() if method.estimator in known}
    return [label for label, name in of_task.items() if find_spec(known[name].path.partition(".")[0]) is not None]


def _candidates(
    size: str, rows: int, divided_by: Mapping[str, Any], splits: Sequence[tuple[NDArray, NDArray]]
) -> Iterator[Layout]:
    """Yield layouts, from the usual one of a size downwards: fewer repeats, folds, trees and training rows.

    A split has enough test rows to show a difference of a point of error. With enough rows, splits share none.
    """
    many = 0 if rows <= FEW else 1 if rows <= SOME else 2
    folds, repeats, trees = {
        "small": (3, 1, (30, 100)), "medium": (5, (4, 2, 1)[many], (100, 300)), "full": (10, (10, 4, 1)[many], (300, 500)),
    }[size]  # fmt: skip
    less = [(10, 4), (10, 1), (5, 4), (5, 2), (5, 1), (3, 1)]
    if splits:
        protocol = {"kind": "given", "columns": list(divided_by.values()), "splits": len(splits)}
        sizes = (
            sum(len(train) for train, _ in splits) / len(splits),
            sum(len(test) for _, test in splits) / len(splits),
        )
        yield from (Layout(protocol, *few, given=sizes) for few in [trees, *(few for few in LESS if few < trees)])
        return
    splits = [(folds, repeats), *((f, r) for f, r in less if f * r < folds * repeats)]
    fewer = [trees, *(few for few in LESS if few < trees)]
    if "time" in divided_by:
        splits = list(dict.fromkeys((f, 1) for f, _ in splits))
    whole = [(split, count) for count in fewer[:2] for split in splits]
    if rows <= FEW:  # on few rows, splits matter more than trees
        whole.sort(key=lambda pair: splits.index(pair[0]))
    for (f, r), (per_family, others) in whole:
        yield Layout({"kind": "crossval", "folds": f, "repeats": r, **divided_by}, per_family, others)
    for train in (100_000, 50_000, 20_000, 10_000, 5_000, 2_000):
        if train < rows / 2:
            apart = min(TESTED, rows // SPLITS - train)
            test = apart if apart >= train / 2 else train // 2
            yield Layout({"kind": "holdout", "repeats": SPLITS, "train": train, "test": test, **divided_by}, *fewer[-1])


def laid_out(
    shape: Shape,
    size: str,
    budget: float | None,
    n_cores: int,
    divided_by: Mapping[str, Any] | None = None,
    splits: Sequence[tuple[NDArray, NDArray]] = (),
    labels: Sequence[str] | None = None,
) -> Layout:
    """Return the first layout of a size that fits into a budget, else the fastest one."""
    budget = BUDGETS[size] if budget is None else budget
    labels = labels_of(shape.task) if labels is None else labels
    found = None
    for k, layout in enumerate(_candidates(size, shape.rows, divided_by or {}, splits)):
        work = sum(layout.n_splits * layout.split_seconds(label, shape) for label in labels)
        n_jobs = 12 + len(labels) * (1 + -(-layout.n_splits // block_of(layout, shape)))
        # The model is trained alone, on all cores.
        seconds = (work + n_jobs * JOB_SECONDS + layout.model_seconds(shape)) / n_cores + 4 * JOB_SECONDS
        seconds += CELL_SECONDS * shape.rows * shape.columns
        if found is None or seconds < found.seconds:
            found = replace(layout, seconds=seconds, shortened=k > 0)
        if seconds <= budget:
            break
    assert found is not None
    return found


def block_of(layout: Layout, shape: Shape) -> int:
    """Return the number of splits in a job, which the slowest method decides for all methods."""
    slowest = max(layout.split_seconds(label, shape) for label in labels_of(shape.task))
    return max(1, min(layout.n_splits, int(BLOCK_SECONDS / max(slowest, 1e-3))))


def training_limit(layout: Layout, label: str, shape: Shape) -> int:
    """Return the seconds that a training of a method may take."""
    return round(LIMIT_SECONDS + LIMIT_TIMES * layout.split_seconds(label, shape))
