"""Check and conversion of an ensemble's parameter ``estimator`` to a tree of the compiled kernel."""

from numbers import Integral
from typing import Any

from sklearn.tree import DecisionTreeClassifier

from rotastack.trees.c45 import C45Classifier
from rotastack.trees.tree import TreeClassifier

TREES = (C45Classifier, TreeClassifier, DecisionTreeClassifier)


def base_tree(estimator: Any, otherwise: str = "") -> Any:
    """Return the unfitted tree of the compiled kernel for an ensemble's parameter ``estimator``; None is C4.5.

    `otherwise` is an advice, the end of the error message for an estimator that is no tree.
    """
    if estimator is None:
        return C45Classifier()
    if isinstance(estimator, DecisionTreeClassifier):
        parameters, usual = estimator.get_params(), DecisionTreeClassifier().get_params()
        for name in sorted(usual.keys() - TreeClassifier().get_params().keys() | {"class_weight"}):
            if parameters.pop(name) != usual[name]:
                raise ValueError(f"estimator: {name} is not supported")
        for name in ("min_samples_split", "min_samples_leaf"):
            if not isinstance(parameters[name], Integral):
                raise ValueError(f"estimator: {name} must be a number of rows, got {parameters[name]}")
        parameters["criterion"] = {"log_loss": "entropy"}.get(parameters["criterion"], parameters["criterion"])
        estimator = TreeClassifier(**parameters)
    if not isinstance(estimator, (C45Classifier, TreeClassifier)):
        raise ValueError(
            f"estimator must be a tree (C45Classifier, TreeClassifier or DecisionTreeClassifier), got "
            f"{type(estimator).__name__}; {otherwise}"
        )
    if estimator.get_params().get("class_weight") is not None:  # C45Classifier has no such parameter
        raise ValueError("estimator: class_weight is not supported")
    estimator._check_parameters()
    return estimator
