"""Diversity regularised machine."""

from rotastack.linear.diversity import DiversityRegularizedClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_estimators": {"type": "integer", "minimum": 1},
    "lam": {"type": "number", "exclusiveMinimum": 1},
    "diversity": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    "tol": {"type": "number", "exclusiveMinimum": 0},
    "max_iter": {"type": "integer", "minimum": 1},
}


def make(
    n_estimators: int = 10, lam: float = 1.2, diversity: float = 0.5, tol: float = 1e-5, max_iter: int = 20000
) -> DiversityRegularizedClassifier:
    """Make a machine of `n_estimators` members; nu is its largest possible value divided by `lam`."""
    return DiversityRegularizedClassifier(n_estimators, lam, diversity, tol=tol, max_iter=max_iter)
