"""Regularised rotation forests: one member for each weighting, on shared trees."""

from collections.abc import Sequence

from rotastack.ensembles.forests.weightings import RotationWeightingsClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "n_rotations": {"type": "integer", "minimum": 1},
    "micro_forest_size": {"type": "integer", "minimum": 1},
    "weightings": {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"enum": ["equal", "cut", "exp", "best", "new", "linear", "oob", "joint"]},
    },
    "flip": {"type": "boolean"},
    "max_features": {
        "oneOf": [
            {"enum": ["sqrt", "log2", None]},
            {"type": "integer", "minimum": 1},
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ]
    },
}


def make(
    n_trees: int = 500,
    n_rotations: int = 25,
    micro_forest_size: int = 10,
    weightings: Sequence[str] = ("exp",),
    flip: bool = False,
    max_features: str | int | float | None = "sqrt",
) -> RotationWeightingsClassifier:
    """Make forests of `n_trees` trees on `n_rotations` rotations of data that the pool has scaled."""
    return RotationWeightingsClassifier(
        n_estimators=n_trees,
        n_rotations=n_rotations,
        micro_forest_size=micro_forest_size,
        weightings=tuple(weightings),
        flip=flip,
        scaling=None,
        max_features=max_features,
    )
