"""The resolved pools and combiners of a study: full paths of classes, and all their parameters, instead of short names.

A study is resolved once, when it is read. All that follows, from the checks of classes to the specs of steps, has paths.
"""

from collections.abc import Mapping
from typing import Any

from rotastack.errors import RotastackError
from rotastack.workflow.study.catalogue import PRUNERS, VIEWS, resolved
from rotastack.workflow.study.combiners import AnyCombiner, MemberDocument, Other, Prune, StackingDocument
from rotastack.workflow.study.components import ViewComponent
from rotastack.workflow.study.model import PoolDocument
from rotastack.workflow.study.specs import AnyCombinerSpec, CombinerSpec, MemberSpec, PrunerSpec
from rotastack.workflow.study.task import TASKS, Task

_CLASSES = {
    "vote": "rotastack.combine.voting.Voting",
    "stacking": "rotastack.combine.stacking.Stacking",
    "log_linear": "rotastack.combine.log_linear.LogLinearWeights",
    "weights": "rotastack.combine.rotation_weights.RotationWeights",
}
"""Kind of combiner -> its class, whose parameters are the other keys of the combiner."""


def resolved_estimator(name: str, parameters: Mapping[str, Any], task: Task, where: str) -> dict[str, Any]:
    """Return the path and the parameters of an estimator, and refuse a short name of another task."""
    for other in TASKS.values() if name not in task.estimators else ():
        if name in other.estimators:
            raise RotastackError(
                f"{where}.estimator: {name} is a {other.estimator_type}, but the study's task is {task.name}; "
                f"allowed: {', '.join(task.estimators)}, and any {task.estimator_type} by its class"
            )
    return resolved(name, parameters, task.estimators, task.estimators, where, ".estimator")


def resolved_pool(pool: PoolDocument, task: Task = TASKS["classification"], where: str = "pool") -> PoolDocument:
    """Return a pool with resolved view and estimator; errors name the place `where`."""
    if pool.of:
        return pool
    estimator, view = resolved_estimator(pool.estimator, pool.parameters, task, where), pool.view
    if view is not None:
        view = ViewComponent(**resolved(view.class_, view.parameters, VIEWS, where=f"{where}.view"))
    return pool.model_copy(
        update={"estimator": estimator["class"], "parameters": estimator["parameters"], "view": view}
    )


def resolved_combiner(
    combiner: AnyCombiner, task: Task = TASKS["classification"], where: str = "combiner"
) -> AnyCombinerSpec:
    """Return a combiner as its class with parameters; errors name the place `where`."""
    match combiner:
        case MemberDocument():
            return MemberSpec(kind="member", member=combiner.member)
        case Other():
            return CombinerSpec(kind="other", **resolved(combiner.class_, combiner.parameters, {}, where=where))
        case Prune():
            pruner = resolved(combiner.pruner, combiner.parameters, PRUNERS, where=where, key=".pruner")
            return PrunerSpec(kind="prune", selection=combiner.selection, first=combiner.first, **pruner)
        case StackingDocument():
            parameters = {"estimator": resolved_estimator(combiner.estimator, combiner.parameters, task, where)}
        case _:
            parameters = {k: v for k, v in combiner.dump().items() if (k, v) != ("scoring", None) and k != "kind"}
    return CombinerSpec(kind=combiner.kind, **{"class": _CLASSES[combiner.kind]}, parameters=parameters)
