"""The tree that an ensemble of compiled trees is made of."""

from numbers import Integral
from typing import Any

from sklearn.tree import DecisionTreeClassifier

from rotastack.trees.c45 import C45Classifier
from rotastack.trees.tree import TreeClassifier

__all__ = ["TREES", "base_tree"]

TREES = (C45Classifier, TreeClassifier, DecisionTreeClassifier)


def base_tree(estimator: Any, otherwise: str = "") -> Any:
    """Return the tree that the kernel is to grow.

    Parameters
    ----------
    estimator : tree or None
        None is C4.5.
    otherwise : str
        What to do with any other estimator, for the message.

    Raises
    ------
    ValueError
        No tree, or one with parameters that the kernel does not have.
    """
    if estimator is None:
        return C45Classifier()
    if isinstance(estimator, DecisionTreeClassifier):
        given = estimator.get_params()
        for name in ("class_weight", "monotonic_cst"):
            if given.pop(name, None) is not None:
                raise ValueError(f"estimator: {name} is not supported")
        for name in ("min_samples_split", "min_samples_leaf"):
            if not isinstance(given[name], Integral):
                raise ValueError(f"estimator: {name} must be a number of rows, got {given[name]}")
        given["criterion"] = {"log_loss": "entropy"}.get(given["criterion"], given["criterion"])
        estimator = TreeClassifier(**given)
    if not isinstance(estimator, (C45Classifier, TreeClassifier)):
        raise ValueError(
            f"estimator must be a tree (C45Classifier, TreeClassifier or DecisionTreeClassifier), got "
            f"{type(estimator).__name__}; {otherwise}"
        )
    if estimator.get_params().get("class_weight") is not None:  # which C4.5 does not have
        raise ValueError("estimator: class_weight is not supported")
    estimator._check_parameters()
    return estimator
