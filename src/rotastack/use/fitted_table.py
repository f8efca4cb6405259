"""An estimator of the catalogue fitted to one's own table, in one process or in parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from rotastack.data.preprocessing import TablePreprocessor
from rotastack.data.tables import move_target_last, read_with_notes
from rotastack.data.target import Task, check_target, decide_task
from rotastack.ensembles.rows import takes_tables, told
from rotastack.errors import RotastackError
from rotastack.run.fingerprint import fingerprint
from rotastack.study.classes import checked_estimator
from rotastack.study.task import TASKS
from rotastack.tracking.model_files import dump_model, load_model
from rotastack.trees.parts import Gathering, Part, Scattered, in_parts
from rotastack.use.own_table import counts_among

__all__ = ["FittedTable", "part_file"]

NAMES = {"classification": "classifier", "regression": "regressor"}
"""Of the model's last step."""


def part_file(model: str | Path, number: int) -> Path:
    """Return where a part of a model's fit is kept until it is gathered."""
    return Path(f"{model}.parts") / f"{number}.skops"


@dataclass
class FittedTable:
    """A table, and the estimator that is to be fitted to it.

    Parameters
    ----------
    table : str
        A file or address that ``rotastack run`` reads.
    target : str
    task : {"classification", "regression"} or None
        By default the target decides.
    estimator : str
        A short name, one of our public classes, or a dotted path.
    parameters : mapping
    seed : int
    """

    table: str
    target: str
    task: Task | None
    estimator: str
    parameters: Mapping[str, Any]
    seed: int

    def __post_init__(self) -> None:
        frame, self.reading = read_with_notes(self.table, self.target)
        frame = move_target_last(frame, self.target, self.table)
        self._task: Task = self.task or decide_task(frame["target"])[0]
        self._y = check_target(frame["target"], self.table, self._task).to_numpy()
        self._X: pd.DataFrame = frame.drop(columns="target")

    @property
    def megabytes(self) -> int:
        """About what a process takes that fits to this table."""
        return 1000 + round(1.3e-4 * self._X.size)

    @property
    def code(self) -> str:
        """A hash of the code that fits: parts that other code left behind are not gathered."""
        return fingerprint(__name__, type(self._estimator()).__module__)

    def _estimator(self) -> Any:
        return checked_estimator(self.estimator, self.parameters, "--estimator, --set", TASKS[self._task])

    def fit(self, n_jobs: int) -> Pipeline:
        """Return the model, a pipeline from the table's columns to the target."""
        estimator = self._estimator()
        known = estimator.get_params()
        given = {"random_state": self.seed, "n_jobs": n_jobs}
        estimator.set_params(**{name: value for name, value in given.items() if name in known})
        whole = takes_tables(estimator)
        kinds = dict.fromkeys(counts_among(self._X), "numeric")
        reader = TablePreprocessor(kinds, encoding="codes" if whole else "onehot").fit(self._X)
        frame = None
        if whole:
            frame, estimator = told(estimator, np.flatnonzero(reader.categorical_).tolist())
        steps = [("table", reader), *([] if frame is None else [("frame", frame)]), (NAMES[self._task], estimator)]
        model = Pipeline(steps).fit(self._X, self._y)
        if "n_jobs" in known:
            estimator.set_params(n_jobs=None)
        return model

    def fit_part(self, model: str | Path, number: int, n_parts: int, n_jobs: int) -> None:
        """Do one of `n_parts` parts of the fit, and keep what it finds beside the model.

        Raises
        ------
        RotastackError
            The estimator is not fitted in parts.
        """
        kept: dict[str, list] = {}
        try:
            with in_parts(Part(number, n_parts, kept.__setitem__)):
                self.fit(n_jobs)
        except Scattered:
            dump_model(kept, part_file(model, number))
            return
        raise RotastackError(f"--estimator: {self.estimator} is not fitted in parts; leave --parts away")

    def gather(self, model: str | Path, n_parts: int, n_jobs: int) -> Pipeline:
        """Return the model from its parts."""
        kept = [load_model(part_file(model, k)) for k in range(n_parts)]
        found = {name: lists for part in kept for name, lists in part.items()}
        with in_parts(Gathering(n_parts, found.get)):
            return self.fit(n_jobs)
