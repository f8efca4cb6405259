"""Bagging of linear machines, on rows, on columns (random subspaces), or on both."""

from sklearn.ensemble import BaggingClassifier

from rotastack.learners.base_linear import base_linear_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_bags": {"type": "integer", "minimum": 1},
    "base": {"enum": ["psvm", "exrm"]},
    "members": {"type": "integer", "minimum": 1},
    "lam": {"type": "number", "exclusiveMinimum": 0},
    "loss_power": {"type": "number", "minimum": 1},
    "max_samples": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "max_features": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "bootstrap": {"type": "boolean"},
}


def make(
    n_bags: int = 10,
    base: str = "psvm",
    members: int = 10,
    lam: float = 2.0,
    loss_power: float = 2,
    max_samples: float = 1.0,
    max_features: float = 1.0,
    bootstrap: bool = True,
) -> BaggingClassifier:
    """Make a majority vote of `n_bags` machines, each on a share of the rows and of the columns."""
    return BaggingClassifier(
        base_linear_of(base, members, lam, loss_power),
        n_estimators=n_bags,
        max_samples=float(max_samples),
        max_features=float(max_features),
        bootstrap=bootstrap,
    )
