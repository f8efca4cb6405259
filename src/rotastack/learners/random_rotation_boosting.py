"""Boosted trees on each of several rotations."""

from rotastack.ensembles.pooled.boosting import RandomRotationBoostingClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rotations": {"type": "integer", "minimum": 1},
    "trees_per_rotation": {"type": "integer", "minimum": 1},
    "learning_rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "max_depth": {"type": "integer", "minimum": 1, "maximum": 30},
    "engine": {"enum": ["xgboost", "histogram"]},
    "flip": {"type": "boolean"},
}


def make(
    n_rotations: int = 100,
    trees_per_rotation: int = 50,
    learning_rate: float = 0.05,
    max_depth: int = 3,
    engine: str = "xgboost",
    flip: bool = False,
) -> RandomRotationBoostingClassifier:
    """Make boosting on `n_rotations` rotations of data that the pool has scaled."""
    return RandomRotationBoostingClassifier(
        n_rotations=n_rotations,
        trees_per_rotation=trees_per_rotation,
        learning_rate=learning_rate,
        max_depth=max_depth,
        engine=engine,
        flip=flip,
        scaling=None,
    )
