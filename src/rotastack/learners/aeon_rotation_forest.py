"""Rotation Forest of the aeon toolkit, for comparison: comes with the extra ``bench``."""

from typing import Any

from rotastack.errors import RotastackError

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {"n_trees": {"type": "integer", "minimum": 1}}


def make(n_trees: int = 200) -> Any:
    """Make aeon's Rotation Forest with its defaults: `n_trees` trees by entropy, groups of three columns, half of the rows for each.

    Raises
    ------
    RotastackError
        aeon is not installed.
    """
    try:
        from aeon.classification.sklearn import RotationForestClassifier
    except ModuleNotFoundError:
        raise RotastackError(
            "learner 'aeon_rotation_forest' needs the package aeon: pip install 'rotastack[bench]'"
        ) from None
    return RotationForestClassifier(n_estimators=n_trees)
