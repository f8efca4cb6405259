"""Gradient-boosted trees by XGBoost."""

from xgboost import XGBClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rounds": {"type": "integer", "minimum": 1},
    "learning_rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "max_depth": {"type": "integer", "minimum": 1, "maximum": 30},
    "subsample": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "tree_method": {"enum": ["auto", "exact", "approx", "hist"]},
}


def make(
    n_rounds: int = 100,
    learning_rate: float = 0.3,
    max_depth: int = 6,
    subsample: float = 1.0,
    tree_method: str = "auto",
) -> XGBClassifier:
    """Make XGBoost with `n_rounds` rounds and, unless said otherwise, its own defaults."""
    return XGBClassifier(
        n_estimators=n_rounds,
        learning_rate=learning_rate,
        max_depth=max_depth,
        subsample=subsample,
        tree_method=tree_method,
        n_jobs=1,
        verbosity=0,
    )
