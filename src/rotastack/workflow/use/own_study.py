"""The study of the user's own table: its methods, its design (splits, numbers of trees, expected time) and its content."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from rotastack.base.columns import column_kind
from rotastack.base.reading import beyond_floats
from rotastack.base.traits import TaskName
from rotastack.workflow.study.catalogue import find
from rotastack.workflow.study.costs import JOB_SECONDS, USUAL_COST, Cost
from rotastack.workflow.study.task import TASKS
from rotastack.workflow.use.study_file import division_in_words, study_name

SIZES = ("small", "medium", "full")
BUDGETS = {"small": 60.0, "medium": 200.0, "full": float("inf")}
"""Size -> seconds that a study may take, unless the user sets another number."""


class OwnMethod(NamedTuple):
    """A method: its pool, the name and parameters of its estimator, and whether the design sets its number of trees."""

    pool: str
    estimator: str
    is_forest: bool = True
    parameters: Mapping[str, Any] = MappingProxyType({})


METHODS = {
    "Rotastack": OwnMethod("rotastack", "rotastack"),
    "Random forest": OwnMethod("forest", "forest"),
    "Extra trees": OwnMethod("extra_trees", "extra_forest"),
    "Random rotations": OwnMethod("random_rotations", "random_rotation_forest"),
    "Rotation Forest": OwnMethod("rotation_forest", "rotation_forest"),
    "HistGradientBoosting": OwnMethod("hist_gradient_boosting", "hist_gradient_boosting", is_forest=False),
    "LightGBM": OwnMethod("lightgbm", "lightgbm", is_forest=False),
    "XGBoost": OwnMethod("xgboost", "boosted", is_forest=False),
    "CatBoost": OwnMethod("catboost", "catboost", is_forest=False),
    "Logistic regression": OwnMethod("logistic_regression", "logistic_regression", is_forest=False),
    "Ridge": OwnMethod("ridge", "ridge", is_forest=False),
}
"""Label -> method, in the order of the report. A method whose package is not installed is not compared."""
BOOSTERS = ("HistGradientBoosting", "LightGBM", "XGBoost", "CatBoost")
MOST_CLASSES = 100
"""Most classes with which boosters are compared unless they are named: they grow a tree for each class in each round."""
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
SEED = 20260701
RARE = 0.4
"""A class is rare below this multiple of an equal share; of two classes, below a fifth of the rows."""
FEWER_TREES = [(100, 300), (30, 100)]
"""Numbers of trees in a family of the flagship, and in other forests, if time is short."""
FEW_ROWS, SOME_ROWS = 1000, 5000
"""Most rows with which tests are repeated often, and most rows with which they are repeated a few times."""


@dataclass(frozen=True)
class Shape:
    """The task and size of a table before its study runs; columns are counted after encoding as numbers."""

    task: TaskName
    rows: int
    columns: int
    n_classes: int
    inputs: int = 0  # columns before encoding, if they are other than these


@dataclass(frozen=True)
class Design:
    """The protocol of a table's study, and the numbers of trees of its methods."""

    shape: Shape
    protocol: dict[str, Any]  # of the study
    trees_per_family: int  # of the flagship
    n_estimators: int  # of each other forest
    seconds: float = 0.0  # expected on the given cores, by rotastack.workflow.study.costs
    shortened: bool = False  # whether the usual design of the size would take longer than the budget
    given: tuple[float, float] = (0.0, 0.0)  # mean numbers of training and test rows, if the table brings its splits
    others: Mapping[str, OwnMethod] = field(default_factory=dict)  # label -> method, of the user's own choice

    def method(self, label: str) -> OwnMethod:
        """Return the method of a label."""
        return self.others.get(label) or METHODS[label]

    @property
    def n_splits(self) -> int:
        """Number of splits, on each of which each method is trained and tested."""
        if self.protocol["kind"] == "given":
            return int(self.protocol["splits"])
        return int(self.protocol["repeats"] * self.protocol.get("folds", 1))

    @property
    def block(self) -> int:
        """Number of splits in a job, which the slowest method decides for all methods."""
        slowest = max(self.split_seconds(label) for label in [*labels_of(self.shape.task), *self.others])
        return max(1, min(self.n_splits, int(BLOCK_SECONDS / max(slowest, 1e-3))))

    @property
    def rows(self) -> tuple[float, float]:
        """Numbers of training and test rows of a split; for spans of time, their means."""
        rows, folds, test = self.shape.rows, self.protocol.get("folds"), self.protocol.get("test")
        if self.protocol["kind"] == "given":
            return self.given
        if folds and self.protocol.get("time"):
            return rows / 2, rows / (folds + 1)
        if folds:
            return rows * (1 - 1 / folds), rows / folds
        train = self.protocol["train"] * (rows if self.protocol["train"] < 1 else 1)
        return train, test or rows - train

    def trees(self, label: str) -> dict[str, int]:
        """Return the parameter by which the design sets a method's number of trees; none for boosters and others."""
        if label == "Rotastack":
            return {"trees_per_family": self.trees_per_family}
        return {"n_estimators": self.n_estimators} if self.method(label).is_forest else {}

    def split_seconds(self, label: str) -> float:
        """Return the expected seconds to train and test a method on one split, on one core."""
        return self._seconds(label, *self.rows)

    def model_seconds(self, label: str, n_cores: int) -> float:
        """Return the expected seconds to train a method on all rows, on all cores, and to explain it, on one."""
        cost, trees = self._cost(label)
        _, *shape = astuple(self.shape)
        return self._seconds(label, shape[0], shape[0]) / n_cores + cost.explanation(trees, *shape)[2]

    def _seconds(self, label: str, train: float, test: float) -> float:
        cost, trees = self._cost(label)
        return cost.seconds(trees, train, test, self.shape.columns, self.shape.n_classes)

    def _cost(self, label: str) -> tuple[Cost, int]:
        """Return the cost of a method's estimator and its number of trees."""
        entry = find(self.method(label).estimator, TASKS[self.shape.task].estimators)
        trees = next(iter(self.trees(label).values()), entry.known_traits.n_trees)
        return entry.cost or USUAL_COST, trees * (entry.known_traits.families or 1)


def default_score(target: pd.Series, task: TaskName) -> tuple[str, str]:
    """Return the score that fits a target, and the reason: the error misleads if a class is rare."""
    if task == "regression":
        return "rmse", "because the target is a number"
    counts = target.value_counts()
    share = counts.min() / len(target)
    if share * len(counts) >= RARE:
        return "error", "because no class is rare"
    rarest = f"because class {str(counts.index[-1])!r}"
    if len(counts) > 2:
        return "clipped_log_loss", f"{rarest} of {len(counts)} classes is {share:.1%} of the rows"
    return "roc_auc", f"{rarest} is {100 * share:.2g}% of the rows, so predicting the majority class has a low error"


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
    return [label for label, package in packages_of(task).items() if find_spec(package) is not None]


def packages_of(task: TaskName) -> dict[str, str]:
    """Return label -> package of a task's methods, also of packages that are not installed."""
    known = TASKS[task].estimators
    of_task = {label: method.estimator for label, method in METHODS.items() if method.estimator in known}
    return {label: known[name].path.partition(".")[0] for label, name in of_task.items()}


def _candidates(
    shape: Shape, size: str, divided_by: Mapping[str, Any], splits: Sequence[tuple[NDArray, NDArray]]
) -> Iterator[Design]:
    """Yield designs, from the usual one of a size downwards: fewer repeats, folds, trees and training rows.

    A split has enough test rows to show a difference of a point of error. With enough rows, splits share none.
    """
    rows = shape.rows
    k = (rows > FEW_ROWS) + (rows > SOME_ROWS)
    folds, repeats, trees = {
        "small": (3, 1, (30, 100)),
        "medium": (5, (4, 2, 1)[k], (100, 300)),
        "full": (10, (10, 4, 1)[k], (300, 500)),
    }[size]
    counts = [trees, *(fewer for fewer in FEWER_TREES if fewer < trees)]
    if splits:
        protocol = {"kind": "given", "columns": list(divided_by.values()), "splits": len(splits)}
        train, test = (sum(map(len, part)) / len(splits) for part in zip(*splits, strict=True))
        yield from (Design(shape, protocol, *count, given=(train, test)) for count in counts)
        return
    shorter = [(10, 4), (10, 1), (5, 4), (5, 2), (5, 1), (3, 1)]
    all_folds = [(folds, repeats), *((f, r) for f, r in shorter if f * r < folds * repeats)]
    if "time" in divided_by:
        all_folds = list(dict.fromkeys((f, 1) for f, _ in all_folds))
    whole = [(split, count) for count in counts[:2] for split in all_folds]
    if rows <= FEW_ROWS:  # on few rows, splits matter more than trees
        whole.sort(key=lambda pair: all_folds.index(pair[0]))
    for (f, r), count in whole:
        yield Design(shape, {"kind": "crossval", "folds": f, "repeats": r, **divided_by}, *count)
    for train in (100_000, 50_000, 20_000, 10_000, 5_000, 2_000):
        if train < rows / 2:
            apart = min(TESTED, rows // SPLITS - train)
            test = apart if apart >= train / 2 else train // 2
            protocol = {"kind": "holdout", "repeats": SPLITS, "train": train, "test": test, **divided_by}
            yield Design(shape, protocol, *counts[-1])


def choose_design(
    shape: Shape,
    size: str,
    budget: float | None,
    n_cores: int,
    labels: Sequence[str],
    divided_by: Mapping[str, Any],
    splits: Sequence[tuple[NDArray, NDArray]] = (),
    others: Mapping[str, OwnMethod] = {},
) -> Design:
    """Return the first design of a size that fits into a budget of seconds (None: the size's), else the fastest one.

    The rows are divided by columns: `divided_by` maps ``groups``, ``time`` or ``split 1`` to a column, and
    ``copies_together`` to True; `splits` are the training and test rows of the splits that the table brings.
    """
    budget = BUDGETS[size] if budget is None else budget
    found = None
    for k, usual in enumerate(_candidates(shape, size, divided_by, splits)):
        design = replace(usual, others=others)
        work = sum(design.n_splits * design.split_seconds(label) for label in labels)
        n_jobs = 12 + len(labels) * (1 + -(-design.n_splits // design.block))
        seconds = (work + n_jobs * JOB_SECONDS) / n_cores + 4 * JOB_SECONDS
        seconds += max(design.model_seconds(label, n_cores) for label in labels)  # any of them may become the model
        seconds += CELL_SECONDS * shape.rows * shape.columns
        if found is None or seconds < found.seconds:
            found = replace(design, seconds=seconds, shortened=k > 0)
        if seconds <= budget:
            break
    assert found is not None
    return found


def study_of(
    table: str,
    target: str,
    design: Design,
    score: str,
    kinds: Mapping[str, str | list[str]],
    labels: Sequence[str],
    seed: int = SEED,
    trusted: Sequence[str] = (),
    test: str | None = None,
) -> dict[str, Any]:
    """Return the study of a table and its target, as the content of its YAML file; `kinds` replace the usual kinds of columns."""
    name, file, shape = study_name(table, target), Path(table).name, design.shape
    roughly = {"rows": shape.rows, "columns": shape.columns, "classes": shape.n_classes}
    by_kind: dict[str, Any] = {}
    for column, kind in kinds.items():
        if isinstance(kind, list):
            by_kind.setdefault("ordered", {})[column] = kind
        else:
            by_kind.setdefault(kind, []).append(column)
    return {
        "name": name,
        "title": f"Which method predicts {target} in {file} best, and do rotations help?",
        "description": f"Made from {file}, target {target}: {division_in_words(design.protocol, test)}.",
        "task": shape.task,
        "seed": seed,
        "datasets": [
            {
                "name": name,
                "sources": [{"file": {"path": table, "target": target, **({"test": test} if test else {})}}],
                "encoding": "onehot",
                **({"kinds": {**by_kind, "others": "auto"}} if by_kind else {}),
                "roughly": {key: number for key, number in roughly.items() if number},
            }
        ],
        "protocol": design.protocol,
        "blocks": {"splits": design.block},
        "pools": {
            design.method(label).pool: {
                "estimator": design.method(label).estimator,
                **(
                    {"parameters": found}
                    if (found := {**design.method(label).parameters, **design.trees(label)})
                    else {}
                ),
                "training_limit": round(LIMIT_SECONDS + LIMIT_TIMES * design.split_seconds(label)),
            }
            for label in labels
        },
        "methods": {label: {"pool": design.method(label).pool, "combiner": {"kind": "vote"}} for label in labels},
        "evaluation": {"control": CONTROL if CONTROL in labels else labels[0], "score": score},
        "model": {"refit": "best", "explain": True},
        **({"trusted": list(trusted)} if trusted else {}),
    }
