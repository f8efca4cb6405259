"""Complexity and out-of-bag error of fitted tree ensembles."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier


def tree_complexity(estimator: Any) -> dict[str, NDArray[np.int64]] | None:
    """Return the numbers of nodes and leaves, and the depth, of each tree of a fitted ensemble.

    Parameters
    ----------
    estimator : estimator
        A fitted forest of this package, a tree or a forest of scikit-learn, or a model of XGBoost.

    Returns
    -------
    dict of ndarray of shape (n_trees,), or None for an estimator without trees
        ``n_nodes`` (leaves included), ``n_leaves``, and ``depth`` (a lone root has depth 0).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> {k: v.tolist() for k, v in tree_complexity(tree).items()}
    {'n_nodes': [3], 'n_leaves': [2], 'depth': [1]}
    """
    if isinstance(estimator, DummyClassifier):  # replaces a tree if training rows have one class: a lone root
        counts = [(1, 1, 0)]
    elif hasattr(estimator, "get_booster"):
        dumps = estimator.get_booster().get_dump()
        lines = [dump.rstrip("\n").split("\n") for dump in dumps]
        counts = [
            (len(tree), sum("leaf=" in line for line in tree), max(line.count("\t") for line in tree)) for tree in lines
        ]
    elif hasattr(estimator, "forest_"):
        return estimator.forest_.complexity()
    else:
        members = getattr(estimator, "estimators_", [estimator])
        if isinstance(members, np.ndarray):  # NumPy would unpack a list of pipelines into their steps
            members = members.ravel()
        trees = [member.tree_ for member in members if hasattr(member, "tree_")]
        counts = [(t.node_count, t.n_leaves, t.max_depth) for t in trees]
    if not counts:
        return None
    table = np.array(counts, dtype=np.int64)
    return {"n_nodes": table[:, 0], "n_leaves": table[:, 1], "depth": table[:, 2]}


def oob_error(estimator: Any, y: NDArray) -> float:
    """Return the out-of-bag error of a fitted forest, or a regressor's mean squared error; NaN without predictions.

    Only the rows with an out-of-bag prediction count; `y` has the class numbers or the target of the training rows.
    """
    predicted = getattr(estimator, "oob_prediction_", None)
    if predicted is not None:
        losses = (np.asarray(predicted) - y) ** 2
        return float(np.nanmean(losses)) if np.isfinite(losses).any() else float("nan")
    votes = getattr(estimator, "oob_decision_function_", None)
    if votes is None:
        return float("nan")
    votes = np.asarray(votes)
    predicted_rows = np.isfinite(votes).all(axis=1) & (votes.sum(axis=1) > 0)
    if not predicted_rows.any():
        return float("nan")
    return float(np.mean(votes[predicted_rows].argmax(axis=1) != np.asarray(y)[predicted_rows]))
