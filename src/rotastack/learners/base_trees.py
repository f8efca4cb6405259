"""The trees that ensembles of a study may be made of, by name."""

from typing import Any

from rotastack.trees.c45 import C45Classifier
from rotastack.trees.tree import TreeClassifier

__all__ = ["base_tree_of"]


def base_tree_of(name: str) -> Any:
    """Return an unfitted tree.

    "c45" is C4.5; "stump" and "depth2" have one split and three at most; "full" is grown until leaves are
    pure; "cart" as rpart's defaults have it: nodes of 20 rows are split, leaves have 7 at least, and splits
    are pruned that lower the weighted Gini impurity by less than .005, a hundredth of that of two equal classes
    (rpart's cp is a share of the root's wrong weight).
    """
    return {
        "c45": lambda: C45Classifier(),
        "stump": lambda: TreeClassifier(max_depth=1),
        "depth2": lambda: TreeClassifier(max_depth=2),
        "full": lambda: TreeClassifier(criterion="entropy"),
        "cart": lambda: TreeClassifier(min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.005),
    }[name]()
