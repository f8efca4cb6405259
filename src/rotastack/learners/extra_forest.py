"""Extremely randomised trees."""

from rotastack.trees.extra import ExtraForestClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "max_features": {
        "oneOf": [
            {"enum": ["sqrt", "log2", None]},
            {"type": "integer", "minimum": 1},
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ]
    },
    "n_cuts": {"type": "integer", "minimum": 1},
}


def make(
    n_trees: int = 100, max_features: str | int | float | None = "sqrt", n_cuts: int = 1
) -> ExtraForestClassifier:
    """Make a forest of `n_trees` trees on all rows, with `n_cuts` random cuts for each column."""
    return ExtraForestClassifier(n_estimators=n_trees, max_features=max_features, n_cuts=n_cuts)
