"""Multi-rotation forest: trees that see several rotations at once."""

from rotastack.ensembles.forests.multi import MultiRotationForestClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "n_rotations": {"type": "integer", "minimum": 1},
    "flip": {"type": "boolean"},
    "max_features": {
        "oneOf": [
            {"enum": ["sqrt", "log2", None]},
            {"type": "integer", "minimum": 1},
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ]
    },
    "n_best": {"type": ["integer", "null"], "minimum": 1},
}


def make(
    n_trees: int = 500,
    n_rotations: int = 30,
    flip: bool = False,
    max_features: str | int | float | None = "sqrt",
    n_best: int | None = None,
) -> MultiRotationForestClassifier:
    """Make a forest on the columns and ``n_rotations - 1`` rotations of them, scaled by the pool."""
    return MultiRotationForestClassifier(
        n_rotations=n_rotations,
        n_estimators=n_trees,
        flip=flip,
        scaling=None,
        max_features=max_features,
        n_best=n_best,
    )
