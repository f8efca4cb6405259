"""Find learners by name."""

import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError, nearest

__all__ = ["learner_names", "make_learner"]


def learner_names() -> list[str]:
    """List the learners there are: the files of this package."""
    return sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem not in ("__init__", "fitting", "registry"))


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
        Unknown learner or parameter.

    Examples
    --------
    >>> make_learner({"kind": "forest", "n_trees": 5}).n_estimators
    5
    """
    parameters = dict(spec)
    kind = parameters.pop("kind")
    known = learner_names()
    if kind not in known:
        raise RotastackError(
            f"{where}: learner {kind!r} is unknown{nearest(kind, known)}; there are {', '.join(known)}"
        )
    make = importlib.import_module(f"rotastack.learners.{kind}").make
    allowed = list(inspect.signature(make).parameters)
    for name in parameters:
        if name not in allowed:
            raise RotastackError(
                f"{where}: {name!r} is not a parameter of learner {kind!r}{nearest(name, allowed)}; "
                f"there are {', '.join(allowed)}"
            )
    return make(**parameters)
