"""Multinomial logistic regression on standardised inputs."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "C": {"type": "number", "exclusiveMinimum": 0},
    "max_iter": {"type": "integer", "minimum": 1},
}


def make(C: float = 1.0, max_iter: int = 1000) -> Pipeline:
    """Make an L2-penalised logistic regression; `C` is the inverse strength of the penalty."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=max_iter))
