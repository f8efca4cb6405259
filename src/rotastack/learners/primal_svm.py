"""Linear support vector machine, solved in the primal."""

from rotastack.linear.primal_svm import PrimalSVMClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "lam": {"type": "number", "exclusiveMinimum": 0},
    "loss_power": {"type": "number", "minimum": 1},
    "beta": {"type": "number", "minimum": 0},
}


def make(lam: float = 2.0, loss_power: float = 2, beta: float = 0.0) -> PrimalSVMClassifier:
    """Make a machine whose losses weigh `lam` against half its squared norm, and `beta` times its 1-norm."""
    return PrimalSVMClassifier(lam, loss_power=loss_power, beta=beta)
