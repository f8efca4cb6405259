"""Random forest by scikit-learn, for comparison."""

from sklearn.ensemble import RandomForestClassifier

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
    "min_samples_leaf": {"type": "integer", "minimum": 1},
    "max_depth": {"type": ["integer", "null"], "minimum": 1},
    "oob_score": {"type": "boolean"},
}


def make(
    n_trees: int = 100,
    max_features: str | int | float | None = "sqrt",
    min_samples_leaf: int = 1,
    max_depth: int | None = None,
    oob_score: bool = True,
) -> RandomForestClassifier:
    """Make a random forest of `n_trees` bootstrapped trees, with out-of-bag scores unless told otherwise."""
    return RandomForestClassifier(
        n_estimators=n_trees,
        max_features=max_features,
        min_samples_leaf=min_samples_leaf,
        max_depth=max_depth,
        oob_score=oob_score,
    )
