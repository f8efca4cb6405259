"""An estimator of the catalogue, fitted to a user's own table."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.tables import Reading, read_with_notes
from rotastack.data.target import TaskName, check_target, decide_task, typed_labels, with_target
from rotastack.ensembles.rows import takes_tables, with_categories
from rotastack.workflow.study.classes import checked_estimator
from rotastack.workflow.study.task import TASKS
from rotastack.workflow.use.own_table import counts_among

__all__ = ["fit_table"]

NAMES = {"classification": "classifier", "regression": "regressor"}
"""TaskName -> name of the model's last step."""


def fit_table(
    table: str,
    target: str,
    task: TaskName | None,
    name: str,
    parameters: Mapping[str, Any],
    seed: int,
    n_jobs: int,
    declared: Mapping[str, str] | None = None,
) -> tuple[Pipeline, Reading]:
    """Fit an estimator to all rows of a table."""
    frame, reading = read_with_notes(table, target, declared)
    frame, left_out = with_target(frame, target, table)
    chosen: TaskName = task or decide_task(frame["target"])[0]
    y = check_target(frame["target"], table, chosen).to_numpy()
    y = y if chosen == "regression" else typed_labels(frame["target"])
    X = frame.drop(columns="target")
    estimator = checked_estimator(name, parameters, "--estimator, --set", TASKS[chosen])
    known = estimator.get_params()
    given = {"random_state": seed, "n_jobs": n_jobs}
    estimator.set_params(**{key: value for key, value in given.items() if key in known})
    whole = takes_tables(estimator)
    kinds = dict.fromkeys(counts_among(X), "numeric") | dict(declared or {})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        reader = TablePreprocessor(kinds, encoding="codes" if whole else "onehot").fit(X)
    steps: list[tuple[str, Any]] = [("table", reader)]
    if whole:
        tell, estimator = with_categories(estimator, np.flatnonzero(reader.categorical_).tolist())
        steps += [] if tell is None else [("frame", tell)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "columns left out")  # the notes say so
        model = Pipeline([*steps, (NAMES[chosen], estimator)]).fit(X, y)
    if "n_jobs" in known:
        estimator.set_params(n_jobs=None)
    return model, replace(reading, notes=(*reading.notes, *left_out, *(str(w.message) for w in caught)))
