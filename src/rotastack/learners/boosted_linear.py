"""AdaBoost of linear machines."""

from sklearn.ensemble import AdaBoostClassifier

from rotastack.learners.base_linear import base_linear_of
from rotastack.linear.mean_weight import MeanWeightClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rounds": {"type": "integer", "minimum": 1},
    "base": {"enum": ["psvm", "exrm"]},
    "members": {"type": "integer", "minimum": 1},
    "lam": {"type": "number", "exclusiveMinimum": 0},
    "loss_power": {"type": "number", "minimum": 1},
}


def make(
    n_rounds: int = 10, base: str = "psvm", members: int = 10, lam: float = 2.0, loss_power: float = 2
) -> AdaBoostClassifier:
    """Make AdaBoost (SAMME) of `n_rounds` machines at most."""
    machine = MeanWeightClassifier(base_linear_of(base, members, lam, loss_power))
    return AdaBoostClassifier(machine, n_estimators=n_rounds)
