"""Bagging of C4.5 trees, nearest neighbours or naive Bayes."""

from sklearn.ensemble import BaggingClassifier

from rotastack.learners.base_inducers import base_inducer_of
from rotastack.trees.forest import ForestClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {"n_trees": {"type": "integer", "minimum": 1}, "base": {"enum": ["nn", "j48", "nb"]}}


def make(n_trees: int = 100, base: str = "j48") -> ForestClassifier | BaggingClassifier:
    """Make bagging of `n_trees` members, which look at all columns; class shares are averaged.

    Those of "j48", trees of C4.5, are grown by the compiled kernel.
    """
    if base == "j48":
        return ForestClassifier(n_trees, criterion="c45", max_features=None, min_samples_leaf=2)
    return BaggingClassifier(base_inducer_of(base), n_estimators=n_trees)
