"""Bagged C4.5 trees."""

from rotastack.trees.forest import ForestClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {"n_trees": {"type": "integer", "minimum": 1}}


def make(n_trees: int = 100) -> ForestClassifier:
    """Make bagging of `n_trees` trees of C4.5, which look at all columns; class shares are averaged."""
    return ForestClassifier(n_trees, criterion="c45", max_features=None, min_samples_leaf=2)
