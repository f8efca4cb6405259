"""A user's own table with its target, and an estimator of the catalogue that is fitted to it."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from rotastack.base.preprocessing import TablePreprocessor, describe_columns
from rotastack.base.traits import TaskName
from rotastack.data.tables import Reading, read_with_notes
from rotastack.data.target import check_target, decide_task, typed_labels, with_target
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.ensembles.rows import takes_tables, with_categories
from rotastack.errors import RotastackError, in_one_line
from rotastack.workflow.study.classes import checked_estimator
from rotastack.workflow.study.resolving import resolved_estimator
from rotastack.workflow.study.task import TASKS
from rotastack.workflow.use.own_study import counts_among


@dataclass(frozen=True)
class TargetTable:
    """The columns of a table and their declared kinds, its target, and the task with its reason."""

    features: pd.DataFrame
    raw_target: pd.Series
    target: pd.Series  # as numbers, or as text
    task: TaskName
    reason: str
    kinds: dict[str, str | list[str]]
    reading: Reading
    notes: list[str]

    def described(self, reader: TablePreprocessor) -> tuple[TablePreprocessor, list[str]]:
        """Return a reader that knows the columns, but no words of free text, and its warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            describe_columns(reader, self.features)
        return reader, [str(w.message) for w in caught]


def read_target(
    table: str,
    target: str,
    task: TaskName | None,
    declared: Mapping[str, str | list[str]],
    source: pd.DataFrame | None = None,
    test: str | None = None,
) -> TargetTable:
    """Read a table, from memory if there is a `source`, and its target, whose values decide the task if `task` is None."""
    frame, reading = read_with_notes(table if source is None else source, target, declared, test=test)
    frame, left_out = with_target(frame, target, table)
    usual, reason = decide_task(frame["target"])
    if task is not None and task != usual:
        reason = f"--task; default {usual}: {reason}"
    chosen: TaskName = task or usual
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = check_target(frame["target"], table, chosen)
        features = frame.drop(columns="target")
        kinds = dict.fromkeys(counts_among(features), "numeric") | dict(declared)
    notes = [*reading.notes, *left_out, *(str(w.message).removeprefix(f"{table}: ") for w in caught)]
    return TargetTable(features, frame["target"], y, chosen, reason, kinds, reading, notes)


def fit_table(
    read: TargetTable, name: str, parameters: Mapping[str, Any], seed: int, n_jobs: int
) -> tuple[Pipeline, list[str]]:
    """Fit the estimator of a short name, a public class or a dotted path to all rows; return the model and notes."""
    y = read.target.to_numpy() if read.task == "regression" else typed_labels(read.raw_target)
    task, where = TASKS[read.task], "--estimator, --set"
    found = resolved_estimator(name, parameters, task, where)
    estimator = checked_estimator(found["class"], found["parameters"], where, task)
    known = estimator.get_params()
    estimator.set_params(**{k: v for k, v in {"random_state": seed, "n_jobs": n_jobs}.items() if k in known})
    whole = takes_tables(estimator)
    reader, notes = read.described(TablePreprocessor(read.kinds, encoding="codes" if whole else "onehot"))
    steps: list[tuple[str, Any]] = [("table", reader)]
    if whole:
        frame, estimator = with_categories(estimator, np.flatnonzero(reader.categorical_).tolist())
        steps += [] if frame is None else [("frame", frame)]
    elif read.task == "classification" and type(estimator).__module__.startswith("xgboost."):  # takes classes by number
        estimator = PooledEnsembleClassifier(None, estimator, None, 1, scaling=None)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "columns? ")  # the notes say so
        try:
            model = Pipeline([*steps, (TASKS[read.task].estimator_type, estimator)]).fit(read.features, y)
        except ValueError as error:
            raise RotastackError(f"--estimator {name}: {in_one_line(error)}") from error
    if "n_jobs" in known:
        estimator.set_params(n_jobs=None)
    return model, [*read.notes, *notes]
