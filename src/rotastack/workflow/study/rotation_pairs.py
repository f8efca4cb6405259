"""Pairs of methods that differ by rotations alone: the effect of rotations is the difference within a pair."""

from collections.abc import Mapping
from typing import Any

from rotastack.workflow.study.building import make_estimator
from rotastack.workflow.study.catalogue import defaults_of, facts_of

__all__ = ["rotates", "rotation_pairs"]

_NO_MATTER = ("training_limit", "repeats")
"""Keys of a pool that do not change its members."""


def rotates(pool: Mapping[str, Any]) -> bool:
    """Return whether the members of a resolved pool see rotated columns, by the facts of its view and estimator."""
    if pool["view"] is not None and facts_of(pool["view"]["class"]).rotates:
        return True
    families = pool["parameters"].get("families")
    return facts_of(pool["estimator"]).rotates and (families is None or _unrotated(pool) != list(families))


def rotation_pairs(methods: Mapping[str, Mapping[str, Any]], rotations: int) -> list[list[str]]:
    """Return pairs of labels: a method on rotated columns, and the same method without rotations.

    The two have the same combiner, scaling and other keys of their pools. The pool without rotations has the estimator
    of the view's pool, of as many trees in all or as each member, or the estimator that the rotating one is without
    rotations. The flagship's counterpart has no family on rotated columns.

    Parameters
    ----------
    methods : mapping
        Label -> the resolved ``pool`` and ``combiner`` of a method.
    rotations : int
        Members of a pool with a view.
    """
    pairs = []
    for label, method in methods.items():
        if not rotates(method["pool"]):
            continue
        known = {other: _facts(m["pool"], m["combiner"]) for other, m in methods.items() if m["pool"]["view"] is None}
        wanted = [_facts(plain, method["combiner"]) for plain in _without_rotations(method["pool"], rotations)]
        pairs += [[label, other] for facts in wanted for other in known if known[other] == facts][:1]
    return pairs


def _facts(pool: Mapping[str, Any], combiner: Any) -> tuple[dict[str, Any], Any]:
    """Return what two pools and their combiners must share."""
    given = {**defaults_of(pool["estimator"]), **pool["parameters"]}.items()
    parameters = {k: list(v) if isinstance(v, tuple) else v for k, v in given if k not in ("n_jobs", "random_state")}
    return {k: v for k, v in pool.items() if k not in _NO_MATTER} | {"parameters": parameters}, combiner


def _without_rotations(pool: Mapping[str, Any], rotations: int) -> list[dict[str, Any]]:
    """Return the pools that this one may be without its rotations, the nearest one first."""
    path, parameters = pool["estimator"], {**defaults_of(pool["estimator"]), **pool["parameters"]}
    if pool["view"] is not None:
        counts = [name for name in facts_of(path).trees or ("n_estimators",) if isinstance(parameters.get(name), int)]
        in_all = {name: parameters[name] * rotations for name in counts[:1]}
        return [{**pool, "view": None, "parameters": {**parameters, **more}} for more in (in_all, {})]
    if facts_of(path).rotated_families:
        return [{**pool, "parameters": {**parameters, "families": _unrotated({**pool, "parameters": parameters})}}]
    if not hasattr(estimator := make_estimator(pool), "unrotated"):
        return []
    plain = estimator.unrotated()
    path = f"{type(plain).__module__}.{type(plain).__name__}"
    return [{**pool, "estimator": path, "parameters": plain.get_params(deep=False)}]


def _unrotated(pool: Mapping[str, Any]) -> list[Any]:
    """Return the flagship's families without its own on rotated columns, and without all custom ones."""
    turned = facts_of(pool["estimator"]).rotated_families
    return [family for family in pool["parameters"]["families"] if isinstance(family, str) and family not in turned]
