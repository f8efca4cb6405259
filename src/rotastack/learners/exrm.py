"""Exclusivity regularised machine, on the columns or on Nystroem's features of a radial kernel."""

from typing import Any

from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

from rotastack.linear.exclusivity import ExclusivityRegularizedClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_estimators": {"type": "integer", "minimum": 1},
    "lam": {"type": "number", "exclusiveMinimum": 0},
    "loss_power": {"type": "number", "minimum": 1},
    "solver": {"enum": ["exact", "alm", "admm"]},
    "tol": {"oneOf": [{"enum": ["paper", None]}, {"type": "number", "exclusiveMinimum": 0}]},
    "rho": {"type": "number", "minimum": 1},
    "init": {"enum": ["equal", "random"]},
    "beta": {"type": "number", "minimum": 0},
    "max_samples": {
        "oneOf": [
            {"enum": [None]},
            {"type": "integer", "minimum": 1},
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ]
    },
    "features": {"enum": ["nystroem", None]},
    "n_components": {"type": "integer", "minimum": 1},
}


def make(
    n_estimators: int = 10,
    lam: float = 2.0,
    loss_power: float = 2,
    solver: str = "exact",
    tol: float | str | None = None,
    rho: float = 1.1,
    init: str = "equal",
    beta: float = 0.0,
    max_samples: float | int | None = None,
    features: str | None = None,
    n_components: int = 100,
) -> Any:
    """Make a machine of `n_estimators` members; "nystroem" puts `n_components` features of a kernel before it."""
    machine = ExclusivityRegularizedClassifier(
        n_estimators,
        lam,
        loss_power=loss_power,
        solver=solver,
        rho=rho,
        tol=tol,
        beta=beta,
        init=init,
        max_samples=max_samples,
    )
    return make_pipeline(Nystroem(n_components=n_components), machine) if features else machine
