"""Double rotation forest (DRSF): DRMF before pruning."""

from rotastack.ensembles.forests.double import DoubleRotationForestClassifier
from rotastack.learners.base_trees import base_tree_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "n_trees": {"type": "integer", "minimum": 1},
    "n_subsets": {"type": ["integer", "null"], "minimum": 1},
    "subset_size": {"type": ["integer", "null"], "minimum": 1},
    "bootstrap_ratio": {"type": "number", "exclusiveMinimum": 0},
    "tree": {"enum": ["c45", "stump", "depth2", "full", "cart"]},
    "bootstrap": {"type": "boolean"},
}


def make(
    n_trees: int = 100,
    n_subsets: int | None = None,
    subset_size: int | None = None,
    bootstrap_ratio: float = 0.75,
    tree: str = "c45",
    bootstrap: bool = False,
) -> DoubleRotationForestClassifier:
    """Make a double rotation forest of data that the pool has scaled."""
    return DoubleRotationForestClassifier(
        n_trees,
        n_subsets=n_subsets,
        subset_size=subset_size,
        bootstrap_ratio=bootstrap_ratio,
        estimator=base_tree_of(tree),
        bootstrap=bootstrap,
        scaling=None,
    )
