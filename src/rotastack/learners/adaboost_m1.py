"""AdaBoost.M1."""

from rotastack.ensembles.adaboost import AdaBoostM1Classifier
from rotastack.errors import RotastackError
from rotastack.learners.base_inducers import base_inducer_of
from rotastack.learners.base_trees import base_tree_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "tree": {"enum": ["c45", "stump", "depth2", "full", "cart"]},
    "resample": {"type": "boolean"},
    "base": {"enum": ["nn", "j48", "nb"]},
}


def make(
    n_trees: int = 100, tree: str | None = None, resample: bool = False, base: str | None = None
) -> AdaBoostM1Classifier:
    """Make AdaBoost.M1 of `n_trees` members at most; `resample` draws rows instead of weighing them.

    The members are a kind of `tree`, by default C4.5, or another `base`; one nearest neighbour
    ("nn") knows no weights and needs `resample`.
    """
    if tree is not None and base is not None:
        raise RotastackError("tree and base exclude each other: members are of one kind")
    inducer = base_tree_of(tree or "c45") if base is None else base_inducer_of(base)
    return AdaBoostM1Classifier(n_trees, inducer, resample=resample)
