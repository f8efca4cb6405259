"""The check of a study's classes: they exist, accept their parameters, and have the methods that the study needs.

The check runs once, in the process that the user started, before any job.
"""

from collections.abc import Mapping
from contextlib import suppress
from types import NoneType
from typing import Any, get_args, get_type_hints

from sklearn.ensemble import BaseEnsemble, GradientBoostingClassifier, VotingClassifier
from sklearn.utils import get_tags

from rotastack.base.combiner import Combiner
from rotastack.base.scikit import InvalidParameterError, validate_parameter_constraints
from rotastack.base.view import needs_labels
from rotastack.combine.rotation_weights import RotationWeights
from rotastack.errors import RotastackError, in_one_line, nearest
from rotastack.workflow.study.building import build, draws_bags, is_trained, load_class, nested_specs, parameter_names
from rotastack.workflow.study.catalogue import quiet_parameters
from rotastack.workflow.study.specs import CombinerSpec, PoolSpec, PrunerSpec
from rotastack.workflow.study.study import Study
from rotastack.workflow.study.task import Task
from rotastack.workflow.tracking.model_types import REVIEWED_TYPES, is_trusted


def check_classes(study: Study, where: str) -> dict[str, list[Any]]:
    """Raise RotastackError for a class or a parameter that would fail in training; return method -> objects of its classes."""
    estimators, views, made = {}, {}, {}
    for name, pool in study.pools.items():
        if pool.of:
            continue
        place = f"{where}: pools.{name}"
        estimators[name] = checked_estimator(pool.estimator, pool.parameters, place, study.task)
        if pool.view is not None:
            view = views[name] = checked(pool.view.class_, pool.view.parameters, f"{place}.view")
            _check_methods(view, ("fit", "transform"), f"{place}.view", "a view")
            if study.task.estimator_type == "regressor" and needs_labels(view):
                raise RotastackError(
                    f"{place}.view: {type(view).__name__} needs classes, but the study's task is regression"
                )
        _check_pool(pool, estimators[name], place, study.task)
    for label, method in study.methods.items():
        place = f"{where}: methods.{label}.combiner"
        pool, combiner = study.pools[method.pool], method.combiner
        of = [estimators[name] for name in pool.of or [method.pool]]
        made[label] = of + [views[name] for name in [method.pool] if name in views]
        if isinstance(combiner, PrunerSpec):
            made[label].append(_checked_pruner(combiner, of, place))
        elif isinstance(combiner, CombinerSpec):
            made[label] += _checked_combiner(study, combiner, of[0], place)
    return made


def _checked_combiner(study: Study, combiner: CombinerSpec, estimator: Any, place: str) -> list[Any]:
    """Return the objects of a combiner of one pool, whose members are of the `estimator`."""
    if combiner.kind == "stacking":
        level = combiner.parameters["estimator"]
        return [checked_estimator(level["class"], level["parameters"], place, study.task)]
    if combiner.kind == "weights":
        if not draws_bags(estimator) or estimator.get_params(deep=False).get("oob_score", True) is False:
            raise RotastackError(
                f"{place}: weights need an estimator with an out-of-bag error, such as forest; "
                f"{type(estimator).__name__} has none"
            )
        try:
            RotationWeights(**combiner.parameters).check(study.protocol.rotations)
        except ValueError as error:
            raise RotastackError(f"{place}: {error}") from None
    if combiner.kind != "other":
        return []
    other, trained = checked(combiner.class_, combiner.parameters, place), is_trained(combiner)
    _check_methods(other, ("fit", "predict_proba") if trained else ("predict_proba",), place, "a combiner")
    if trained and study.protocol.name == "splits":
        raise RotastackError(f"{place}: other needs nested cross-validation, not random splits")
    if not isinstance(other, Combiner):
        raise RotastackError(
            f"{place}: {type(other).__name__} is not a combiner; derive the class from rotastack.base.combiner.Combiner"
        )
    return [other]


def checked(path: str, parameters: Mapping[str, Any], where: str, key: str = "") -> Any:
    """Return an unfitted object of a class, after checking the class and its parameters, at the place `where`."""
    cls = load_class(path, where + key)
    for parameter, value in parameters.items():
        for spec in nested_specs(value):
            checked(spec["class"], spec.get("parameters", {}), f"{where}.parameters.{parameter}")
    _check_names(cls, path, parameters, where)
    made = _made(path, parameters, where, key)
    for part in (made, *_deep(made).values()):
        if not isinstance(part, type):
            _check_values(part, where)
    if not hasattr(made, "_parameter_constraints"):
        _check_types(type(made), parameters, f"{where}.parameters")
    return made


def _made(path: str, parameters: Mapping[str, Any], where: str, key: str = "") -> Any:
    try:
        return build(path, parameters)
    except RotastackError:
        raise
    except ValueError as error:
        raise RotastackError(f"{where}.parameters: {in_one_line(error)}") from None
    except Exception as error:  # another package's class may raise any exception
        raise RotastackError(f"{where}{key}: {path} cannot be created: {in_one_line(error)}") from None


def _deep(made: Any) -> dict[str, Any]:
    """Return the parameters of an object and of its nested objects, by names such as ``estimator__max_depth``."""
    return made.get_params(deep=True) if hasattr(made, "get_params") else {}


def _check_names(cls: type, path: str, parameters: Mapping[str, Any], where: str) -> None:
    """Raise an error for a parameter that the class does not have; for ``a__b``, that parameter a does not have."""
    known, others = parameter_names(cls)
    new = {key for key in parameters if others and "__" not in key and not nearest(key, known)}
    new |= quiet_parameters(path).keys()  # the user has not named them
    plain = {key: value for key, value in parameters.items() if key in known or key in new}
    if len(plain) == len(parameters):
        return
    deep = list(_deep(_made(path, plain, where)))
    for key in parameters:
        if key in plain or ("__" in key and key in deep):
            continue
        inner = [name for name in deep if name.endswith(f"__{key}")]
        near = f"; did you mean {inner[0]!r}" if inner else nearest(key, [*known, *deep])
        raise RotastackError(
            f"{where}.parameters: {key!r} is not a parameter of {cls.__name__}{near}; allowed: {', '.join(known) or 'none'}"
        )


def _check_values(made: Any, where: str) -> None:
    """Check an object's values by its ``_parameter_constraints`` and its ``check_parameters``, if it has these."""
    rules = getattr(made, "_parameter_constraints", None)
    try:
        if rules:
            validate_parameter_constraints(rules, made.get_params(deep=False), type(made).__name__)
        if hasattr(made, "check_parameters"):
            made.check_parameters()
    except (InvalidParameterError, ValueError) as error:
        raise RotastackError(f"{where}.parameters: {in_one_line(error)}") from None


def _check_types(cls: type, parameters: Mapping[str, Any], where: str) -> None:
    """Check values by plain annotations, for a class that states no allowed values, such as XGBoost's."""
    hints: dict[str, Any] = {}
    for ancestor in reversed(cls.__mro__):
        with suppress(Exception):  # annotations that only a type checker understands
            hints |= get_type_hints(vars(ancestor).get("__init__"))
    for key in hints.keys() & parameters.keys():
        value, types = parameters[key], set(get_args(hints[key]) or [hints[key]])
        accepted = types | ({int} if float in types else set())
        if types <= {bool, int, float, str, NoneType} and type(value) not in accepted:
            names = " or ".join("null" if t is NoneType else t.__name__ for t in (get_args(hints[key]) or [hints[key]]))
            raise RotastackError(f"{where}: {key} of {cls.__name__} must be {names}, found {value!r}")


def checked_estimator(path: str, parameters: Mapping[str, Any], where: str, task: Task) -> Any:
    """Return the unfitted estimator of a study's task; parameters and errors as in :func:`checked`."""
    made = checked(path, parameters, where, ".estimator")
    _check_methods(made, ("fit", "predict", "get_params"), f"{where}.estimator", "an estimator")
    kind = (
        get_tags(made).estimator_type if hasattr(made, "__sklearn_tags__") else getattr(made, "_estimator_type", None)
    )
    if kind != task.estimator_type:
        found = f"a {kind}, but the study's task is {task.name}" if kind in ("classifier", "regressor") else ""
        raise RotastackError(f"{where}.estimator: {type(made).__name__} is {found or f'not a {task.estimator_type}'}")
    return made


def without_model(study: Study, made: Mapping[str, list[Any]]) -> dict[str, list[str]]:
    """Return method -> types that no model file may hold, for the methods that may become the model.

    `made` is the result of :func:`check_classes`.
    """
    found: dict[str, list[str]] = {}
    for label in study.refittable:
        parts = [part for one in made[label] for part in (one, *_deep(one).values()) if hasattr(part, "get_params")]
        names = {f"{type(part).__module__}.{type(part).__qualname__}" for part in parts}
        others = {name for name in names if name.partition(".")[0] not in ("rotastack", "sklearn")} - REVIEWED_TYPES
        if unknown := sorted(name for name in others if not is_trusted(name, study.document.trusted)):
            found[label] = unknown
    return found


def _check_methods(made: Any, methods: tuple[str, ...], where: str, role: str) -> None:
    missing = [name for name in methods if not hasattr(made, name)]
    if missing:
        raise RotastackError(f"{where}: {type(made).__name__} is not {role}: method {missing[0]} is missing")


def _can_vote(estimator: Any) -> bool:
    """Return whether an ensemble's class suggests members that vote; one of another package may still fail later."""
    if type(estimator).__module__.startswith("rotastack."):
        votes = hasattr(estimator, "tree_votes") or hasattr(estimator, "member_votes")
        return votes and "n_estimators" in estimator.get_params(deep=False)
    return isinstance(estimator, BaseEnsemble | VotingClassifier) and not isinstance(
        estimator, GradientBoostingClassifier
    )


def _n_members(estimator: Any) -> int | None:
    parameters = estimator.get_params(deep=False)
    return next((v for k in ("n_estimators", "n_rotations") if isinstance(v := parameters.get(k), int)), None)


def _check_pool(pool: PoolSpec, estimator: Any, where: str, task: Task) -> None:
    name = type(estimator).__name__
    if pool.ensemble_sizes:
        if not hasattr(type(estimator), task.staged):
            raise RotastackError(
                f"{where}.ensemble_sizes: {name} does not average its members (method {task.staged} is missing)"
            )
        n_members = _n_members(estimator)
        if n_members is not None and max(pool.ensemble_sizes) > n_members:
            raise RotastackError(
                f"{where}.ensemble_sizes: {max(pool.ensemble_sizes)} is more than the {n_members} members of the estimator"
            )
    if pool.diversity and not hasattr(estimator, "tree_votes"):
        raise RotastackError(f"{where}.diversity: {name} has no trees that vote")


def _checked_pruner(combiner: PrunerSpec, estimators: list[Any], where: str) -> Any:
    pruner = checked(combiner.class_, combiner.parameters, where, ".pruner")
    _check_methods(pruner, ("fit", "kept_shares"), f"{where}.pruner", "a pruner")
    for estimator in estimators:
        name = type(estimator).__name__
        if not _can_vote(estimator):
            raise RotastackError(f"{where}: {name} has no members that vote")
        if combiner.selection == "oob" and not draws_bags(estimator):
            raise RotastackError(
                f"{where}.selection: the members of {name} have no out-of-bag rows; choose train or test"
            )
    sizes = list(filter(None, map(_n_members, estimators)))
    if len(sizes) < len(estimators):
        return pruner
    n_members = sum(sizes)
    if combiner.first is not None and combiner.first > n_members:
        raise RotastackError(f"{where}.first: {combiner.first} is more than the {n_members} members of the pool")
    size, first = combiner.parameters.get("n_select"), combiner.first or n_members
    if isinstance(size, int) and size > first:
        raise RotastackError(f"{where}.parameters.n_select: {size} is more than the {first} members of the pool")
    return pruner
