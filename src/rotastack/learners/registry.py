"""Find learners by name, and check their parameters without importing what they need."""

import ast
import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError, nearest

__all__ = ["check_learner", "learner_names", "learner_parameters", "make_learner"]

_NOT_LEARNERS = {"__init__", "base_inducers", "base_linear", "base_trees", "registry"}


def learner_names() -> list[str]:
    """List the learners there are: the files of this package."""
    return sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem not in _NOT_LEARNERS)


@cache
def learner_parameters(kind: str) -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of a learner's parameters: the literal ``PARAMETERS`` of its file."""
    tree = ast.parse((Path(__file__).parent / f"{kind}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "PARAMETERS":
            return ast.literal_eval(node.value)
    return {}


def check_learner(spec: Mapping[str, Any], where: str = "learner") -> None:
    """Check the name and parameters of a learner.

    Raises
    ------
    RotastackError
        Unknown learner or parameter, or an impossible value; the message says what is allowed.
    """
    from jsonschema import Draft202012Validator

    kind, known = spec["kind"], learner_names()
    if kind not in known:
        raise RotastackError(
            f"{where}: learner {kind!r} is unknown{nearest(kind, known)}; there are {', '.join(known)}"
        )
    allowed = learner_parameters(kind)
    for name, value in spec.items():
        if name == "kind":
            continue
        if name not in allowed:
            raise RotastackError(
                f"{where}: {name!r} is not a parameter of learner {kind!r}{nearest(name, list(allowed))}; "
                f"there are {', '.join(allowed)}"
            )
        if not Draft202012Validator(allowed[name]).is_valid(value):
            options = allowed[name].get("enum")
            rule = (
                f"be one of {', '.join(map(str, options))}{nearest(str(value), list(map(str, options)))}"
                if options
                else f"satisfy {allowed[name]}"
            )
            raise RotastackError(f"{where}.{name}: {value!r} is not allowed; it must {rule}")


def make_learner(spec: Mapping[str, Any], where: str = "learner") -> Any:
    """Make an unfitted scikit-learn classifier.

    Parameters
    ----------
    spec : mapping
        ``kind`` names the learner; the other keys are arguments of its ``make``.
    where : str
        What the error message calls the place of `spec`.

    Raises
    ------
    RotastackError
        As :func:`check_learner`.

    Examples
    --------
    >>> make_learner({"kind": "forest", "n_trees": 5}).n_estimators
    5
    """
    check_learner(spec, where)
    make = importlib.import_module(f"rotastack.learners.{spec['kind']}").make
    return make(**{name: value for name, value in spec.items() if name != "kind"})
