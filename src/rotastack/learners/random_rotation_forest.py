"""Random rotation forest: a rotation for each tree, or group of trees."""

from rotastack.ensembles.forests.random import RandomRotationForestClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "tree": {"enum": ["forest", "extra"]},
    "flip": {"type": "boolean"},
    "max_features": {
        "oneOf": [
            {"enum": ["sqrt", "log2", None]},
            {"type": "integer", "minimum": 1},
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ]
    },
    "n_trees_per_rotation": {"type": "integer", "minimum": 1},
    "n_cuts": {"type": "integer", "minimum": 1},
    "drop_worst": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
}


def make(
    n_trees: int = 100,
    tree: str = "forest",
    flip: bool = False,
    max_features: str | int | float | None = "sqrt",
    n_trees_per_rotation: int = 1,
    n_cuts: int = 1,
    drop_worst: float = 0.0,
) -> RandomRotationForestClassifier:
    """Make a random rotation forest of data that the pool has scaled."""
    return RandomRotationForestClassifier(
        n_estimators=n_trees,
        tree=tree,
        flip=flip,
        scaling=None,
        max_features=max_features,
        n_trees_per_rotation=n_trees_per_rotation,
        n_cuts=n_cuts,
        drop_worst=drop_worst,
    )
