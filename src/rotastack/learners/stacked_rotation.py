"""Stacking over random rotations (S-RRE), for random splits: it does its own nested cross-validation."""

from rotastack.ensembles.pooled.stacked import StackedRotationClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_rotations": {"type": "integer", "minimum": 1},
    "n_trees": {"type": "integer", "minimum": 1},
    "folds": {"type": "integer", "minimum": 3},
}


def make(n_rotations: int = 20, n_trees: int = 20, folds: int = 5) -> StackedRotationClassifier:
    """Make a forest at level 1 over forests of `n_trees` trees on `n_rotations` rotations of columns that the pool has scaled."""
    return StackedRotationClassifier(n_rotations, n_trees=n_trees, cv=folds, scaling=None)
