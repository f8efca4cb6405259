"""The tasks of a study, classification and regression: their estimators and checks."""

from collections.abc import Mapping
from typing import Any

from rotastack.base.traits import TaskName
from rotastack.errors import RotastackError
from rotastack.workflow.study.catalogue import ESTIMATORS, REGRESSORS, Entry
from rotastack.workflow.study.specs import AnyCombinerSpec, CombinerSpec, PoolSpec


class Task:
    """Classification, and the base class of the other task."""

    name: TaskName = "classification"
    estimators: Mapping[str, Entry] = ESTIMATORS
    estimator_type: str = "classifier"
    staged: str = "staged_predict_proba"

    def check_pool(self, pool: PoolSpec) -> None:
        """Raise a ValueError, with the key, if the task does not support a pool."""

    def check_combiner(self, combiner: AnyCombinerSpec, where: str) -> None:
        """Raise a ValueError, with the key, if the task does not support a combiner."""

    def check_dataset(self, name: str, entry: Mapping[str, Any], where: str) -> None:
        """Raise a RotastackError if the entry of a data set names another task."""
        stated = entry.get("task", self.name)
        if stated != self.name:
            raise RotastackError(
                f"{where}: datasets: {name} is for {stated}, but the study's task is {self.name} (key 'task')"
            )


class _Regression(Task):
    name: TaskName = "regression"
    estimators = REGRESSORS
    estimator_type = "regressor"
    staged = "staged_predict"

    def check_dataset(self, name: str, entry: Mapping[str, Any], where: str) -> None:
        super().check_dataset(name, entry, where)
        if entry.get("smallest_class"):
            raise RotastackError(
                f"{where}: datasets: {name}.smallest_class is for classification, not for a regression"
            )

    def check_pool(self, pool: PoolSpec) -> None:
        of_classes = {
            "diversity": pool.diversity,
            "training_error": pool.training_error,
            "noise.labels": pool.noise.labels,
        }
        for key, value in of_classes.items():
            if value:
                raise ValueError(f"{key} is for classification, but the study's task is regression")

    def check_combiner(self, combiner: AnyCombinerSpec, where: str) -> None:
        if combiner.kind not in ("vote", "member", "stacking"):
            raise ValueError(
                f"{where}.kind: {combiner.kind} is for classification; allowed for a regression: vote (the mean), member, stacking"
            )
        parameters = combiner.parameters if isinstance(combiner, CombinerSpec) else {}
        if parameters.get("voting") == "hard":
            raise ValueError(f"{where}.voting must be soft (the mean) for a regression")
        if "scoring" in parameters:
            raise ValueError(f"{where}.scoring is for classification, but the study's task is regression")


TASKS: dict[str, Task] = {task.name: task for task in (Task(), _Regression())}
"""Name -> task."""
