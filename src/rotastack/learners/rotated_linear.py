"""Linear machines on random rotations."""

from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.learners.base_linear import base_linear_of
from rotastack.views.rotation import RandomRotation

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rotations": {"type": "integer", "minimum": 1},
    "base": {"enum": ["psvm", "exrm"]},
    "members": {"type": "integer", "minimum": 1},
    "lam": {"type": "number", "exclusiveMinimum": 0},
    "loss_power": {"type": "number", "minimum": 1},
    "bootstrap": {"type": "boolean"},
}


def make(
    n_rotations: int = 10,
    base: str = "exrm",
    members: int = 10,
    lam: float = 2.0,
    loss_power: float = 2,
    bootstrap: bool = False,
) -> PooledEnsembleClassifier:
    """Make a vote of a machine on each of `n_rotations` rotations of columns that the pool has scaled.

    Machines whose penalty is a 2-norm do not notice a rotation: without a bootstrap all are the same.
    """
    return PooledEnsembleClassifier(
        RandomRotation(),
        base_linear_of(base, members, lam, loss_power),
        n_estimators=n_rotations,
        scaling=None,
        bootstrap=bootstrap,
    )
