"""Gradient boosting on histograms by scikit-learn."""

from sklearn.ensemble import HistGradientBoostingClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rounds": {"type": "integer", "minimum": 1},
    "learning_rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
}


def make(n_rounds: int = 100, learning_rate: float = 0.1) -> HistGradientBoostingClassifier:
    """Make gradient boosting with scikit-learn's defaults but for `n_rounds` rounds and the `learning_rate`."""
    return HistGradientBoostingClassifier(max_iter=n_rounds, learning_rate=learning_rate)
