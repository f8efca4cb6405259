"""Gradient boosting by scikit-learn, with the defaults of R's gbm where they differ."""

from sklearn.ensemble import GradientBoostingClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rounds": {"type": "integer", "minimum": 1},
    "learning_rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "max_depth": {"type": "integer", "minimum": 1, "maximum": 30},
    "subsample": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "min_samples_leaf": {"type": "integer", "minimum": 1},
}


def make(
    n_rounds: int = 100,
    learning_rate: float = 0.1,
    max_depth: int = 1,
    subsample: float = 0.5,
    min_samples_leaf: int = 10,
) -> GradientBoostingClassifier:
    """Make gradient boosting: stumps, half of the rows in each round, and 10 rows in a leaf, as gbm has it."""
    return GradientBoostingClassifier(
        n_estimators=n_rounds,
        learning_rate=learning_rate,
        max_depth=max_depth,
        subsample=subsample,
        min_samples_leaf=min_samples_leaf,
    )
