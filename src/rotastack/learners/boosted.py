"""Gradient-boosted trees by XGBoost."""

from xgboost import XGBClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rounds": {"type": "integer", "minimum": 1},
    "learning_rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "max_depth": {"type": "integer", "minimum": 1, "maximum": 30},
    "subsample": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "max_bin": {"type": "integer", "minimum": 2},
}


def make(
    n_rounds: int = 100,
    learning_rate: float = 0.3,
    max_depth: int = 6,
    subsample: float = 1.0,
    max_bin: int = 256,
) -> XGBClassifier:
    """Make XGBoost with `n_rounds` rounds and, unless said otherwise, its own defaults."""
    return XGBClassifier(
        n_estimators=n_rounds,
        learning_rate=learning_rate,
        max_depth=max_depth,
        subsample=subsample,
        max_bin=max_bin,
        n_jobs=1,
        verbosity=0,
    )
