"""Rotation Forest, of trees or of other classifiers."""

from rotastack.ensembles.forests.rotation import RotationForestClassifier
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.learners.base_inducers import base_inducer_of
from rotastack.learners.base_trees import base_tree_of
from rotastack.views.principal import PrincipalRotation

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "n_subsets": {"type": ["integer", "null"], "minimum": 1},
    "subset_size": {"type": ["integer", "null"], "minimum": 1},
    "bootstrap_ratio": {"type": "number", "exclusiveMinimum": 0},
    "tree": {"enum": ["c45", "stump", "depth2", "full", "cart"]},
    "bootstrap": {"type": "boolean"},
    "base": {"enum": ["nn", "j48", "nb"]},
}


def make(
    n_trees: int = 100,
    n_subsets: int | None = None,
    subset_size: int | None = None,
    bootstrap_ratio: float = 0.75,
    tree: str = "c45",
    bootstrap: bool = False,
    base: str | None = None,
) -> RotationForestClassifier | PooledEnsembleClassifier:
    """Make a Rotation Forest of data that the pool has scaled: of a kind of `tree`, by default C4.5, or of another `base`."""
    if base not in (None, "j48"):
        view = PrincipalRotation(n_subsets, subset_size, bootstrap_ratio)
        inducer = base_inducer_of(base)
        return PooledEnsembleClassifier(
            view, inducer, n_estimators=n_trees, bootstrap=bootstrap, scaling=None
        )
    return RotationForestClassifier(
        n_trees,
        n_subsets=n_subsets,
        subset_size=subset_size,
        bootstrap_ratio=bootstrap_ratio,
        estimator=base_tree_of(tree),
        bootstrap=bootstrap,
        scaling=None,
    )
