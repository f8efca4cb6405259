"""What a study predicts, classes or numbers, and what goes with that."""

from collections.abc import Mapping
from typing import Any

from rotastack.errors import RotastackError
from rotastack.study.catalogue import ESTIMATORS, REGRESSORS, Entry
from rotastack.study.combiners import MemberDocument, StackingDocument, Vote

__all__ = ["TASKS", "Task"]


class Task:
    """Classification.

    Attributes
    ----------
    name : str
    estimators : mapping
        Short name -> class.
    estimator_type : str
        What scikit-learn calls an estimator of this task.
    staged : str
        Method of an ensemble whose members' mean decides.
    """

    name: str = "classification"
    estimators: Mapping[str, Entry] = ESTIMATORS
    estimator_type: str = "classifier"
    staged: str = "staged_predict_proba"

    def check_pool(self, pool: Any) -> None:
        """Refuse a pool that does not go with this task; ValueError with its key."""

    def check_combiner(self, combiner: Any, where: str) -> None:
        """Refuse a combiner that does not go with this task; ValueError with its key."""

    def check_dataset(self, name: str, entry: Mapping[str, Any], where: str) -> None:
        """Refuse a data set that says that it is for another task; RotastackError names it."""
        stated = entry.get("task", self.name)
        if stated != self.name:
            raise RotastackError(f"{where}: datasets: {name} is for {stated}, the study is of {self.name} (key 'task')")


class _Regression(Task):
    name = "regression"
    estimators = REGRESSORS
    estimator_type = "regressor"
    staged = "staged_predict"

    def check_pool(self, pool: Any) -> None:
        of_classes = {
            "diversity": pool.diversity, "training_error": pool.training_error, "noise.labels": pool.noise.labels,
        }  # fmt: skip
        for key, value in of_classes.items():
            if value:
                raise ValueError(f"{key} is of classes; the study's task is regression")

    def check_combiner(self, combiner: Any, where: str) -> None:
        if not isinstance(combiner, Vote | MemberDocument | StackingDocument):
            raise ValueError(
                f"{where}.kind: {combiner.kind} is of classes; in a regression it is vote (the mean), member or stacking"
            )
        if isinstance(combiner, Vote) and combiner.voting == "hard":
            raise ValueError(f"{where}.voting: numbers have no majority; in a regression it is soft, the mean")


TASKS: dict[str, Task] = {task.name: task for task in (Task(), _Regression())}
"""Name of a task -> what goes with it."""
