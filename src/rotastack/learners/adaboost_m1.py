"""AdaBoost.M1."""

from rotastack.ensembles.adaboost_m1 import AdaBoostM1Classifier
from rotastack.learners.base_trees import base_tree_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "tree": {"enum": ["c45", "stump", "depth2", "full", "cart"]},
    "resample": {"type": "boolean"},
}


def make(n_trees: int = 100, tree: str = "c45", resample: bool = False) -> AdaBoostM1Classifier:
    """Make AdaBoost.M1 of `n_trees` trees at most; `resample` draws rows instead of weighing them."""
    return AdaBoostM1Classifier(n_trees, base_tree_of(tree), resample=resample)
