"""Sizes of grown trees."""

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

__all__ = ["forest_complexity"]


def forest_complexity(estimator: BaseEstimator) -> dict[str, NDArray[np.int64]]:
    """Return the number of nodes (leaves included), number of leaves and depth of each tree of an estimator.

    Parameters
    ----------
    estimator : fitted estimator of :mod:`rotastack.trees`

    Returns
    -------
    dict of ndarray of int64 of shape (n_trees,)
        ``n_nodes``, ``n_leaves`` and ``depth`` (0 if the root is a leaf).

    Examples
    --------
    >>> from rotastack.trees import TreeClassifier, forest_complexity
    >>> tree = TreeClassifier(random_state=0).fit([[0], [1]], [0, 1])
    >>> {k: v.tolist() for k, v in forest_complexity(tree).items()}
    {'n_nodes': [3], 'n_leaves': [2], 'depth': [1]}
    """
    check_is_fitted(estimator, "forest_")
    return estimator.forest_.complexity()
