"""Pairs of methods that differ by rotations alone: the effect of rotations is the difference within a pair."""

from collections.abc import Mapping
from typing import Any

from rotastack.workflow.study.building import make_estimator
from rotastack.workflow.study.catalogue import defaults_of, traits_of
from rotastack.workflow.study.specs import MethodSpec, PoolSpec


def rotates(pool: PoolSpec) -> bool:
    """Return whether the members of a pool see rotated columns, by the traits of its view and estimator."""
    if pool.view is not None and traits_of(pool.view.class_).rotates:
        return True
    families = pool.parameters.get("families")
    return traits_of(pool.estimator).rotates and (
        families is None or _unrotated(pool.estimator, families) != list(families)
    )


def rotation_pairs(methods: Mapping[str, MethodSpec], rotations: int) -> list[list[str]]:
    """Return pairs of labels: a method on rotated columns, and the same method without rotations.

    The two have the same combiner, scaling and other keys of their pools. The pool without rotations has the estimator
    of the view's pool, of as many trees in all or as each member, or the estimator that the rotating one is without
    rotations. The flagship's counterpart has no family on rotated columns. A pool with a view has `rotations` members.
    """
    known = {label: (_filled(m.pool), m.combiner) for label, m in methods.items() if m.pool.view is None}
    pairs = []
    for label, method in methods.items():
        if rotates(method.pool):
            wanted = [(_filled(plain), method.combiner) for plain in _without_rotations(method.pool, rotations)]
            pairs += [[label, other] for traits in wanted for other in known if known[other] == traits][:1]
    return pairs


def _filled(pool: PoolSpec) -> PoolSpec:
    """Return the pool with all parameters of its estimator, and without keys that do not change its members."""
    given = {**defaults_of(pool.estimator), **pool.parameters}.items()
    parameters = {k: list(v) if isinstance(v, tuple) else v for k, v in given if k not in ("n_jobs", "random_state")}
    return pool.model_copy(update={"training_limit": None, "parameters": parameters})


def _without_rotations(pool: PoolSpec, rotations: int) -> list[PoolSpec]:
    """Return the pools that this one may be without its rotations, the nearest one first."""
    traits, parameters = traits_of(pool.estimator), {**defaults_of(pool.estimator), **pool.parameters}
    if pool.view is not None:
        counts = [name for name in traits.trees or ("n_estimators",) if isinstance(parameters.get(name), int)]
        in_all = {name: parameters[name] * rotations for name in counts[:1]}
        return [pool.model_copy(update={"view": None, "parameters": parameters | more}) for more in (in_all, {})]
    if traits.rotated_families:
        plain = {**parameters, "families": _unrotated(pool.estimator, parameters["families"])}
        return [pool.model_copy(update={"parameters": plain})]
    if not hasattr(estimator := make_estimator(pool), "unrotated"):
        return []
    plain = estimator.unrotated()
    path = f"{type(plain).__module__}.{type(plain).__name__}"
    return [pool.model_copy(update={"estimator": path, "parameters": plain.get_params(deep=False)})]


def _unrotated(path: str, families: Any) -> list[Any]:
    """Return the flagship's families without its own on rotated columns, and without all custom ones."""
    turned = traits_of(path).rotated_families
    return [family for family in families if isinstance(family, str) and family not in turned]
