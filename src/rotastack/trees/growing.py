"""Grow single trees with scikit-learn's compiled builder, without an estimator around each.

On small data scikit-learn spends about twenty times longer on a tree's estimator object than
on the tree. This is the only module that touches its private classes, whose signatures a test
compares with the installed version by growing the same tree both ways.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.tree._criterion import Gini
from sklearn.tree._splitter import BestSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

__all__ = ["grow_tree", "pack_trees", "unpack_trees"]


def grow_tree(
    X: NDArray[np.float32],
    y: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    n_classes: int,
    random_state: np.random.RandomState,
    max_features: int,
    max_depth: int,
    min_samples_leaf: int,
) -> Tree:
    """Grow one classification tree: gini, best splits, depth first.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features), C-contiguous
    y : ndarray of shape (n_rows, 1)
        Class numbers, as floats.
    weights : ndarray of shape (n_rows,) or None
        How often each row counts; 0 leaves it out.
    """
    counts = np.array([n_classes], dtype=np.intp)
    splitter = BestSplitter(Gini(1, counts), max_features, min_samples_leaf, 0.0, random_state, None)
    tree = Tree(X.shape[1], counts, 1)
    builder = DepthFirstTreeBuilder(splitter, 2, min_samples_leaf, 0.0, max_depth, 0.0)
    builder.build(tree, X, y, weights, None)
    return tree


def pack_trees(trees: list[Tree]) -> dict[str, NDArray]:
    """Return all trees as a few arrays, for model files."""
    states = [tree.__getstate__() for tree in trees]
    return {
        "nodes": np.concatenate([state["nodes"] for state in states]),
        "values": np.concatenate([state["values"] for state in states]),
        "node_counts": np.array([state["node_count"] for state in states]),
        "max_depths": np.array([state["max_depth"] for state in states]),
    }


def unpack_trees(packed: dict[str, NDArray], n_features: int, n_classes: int) -> list[Tree]:
    """Return the trees that :func:`pack_trees` packed."""
    ends = np.cumsum(packed["node_counts"])
    trees = []
    for end, count, depth in zip(ends, packed["node_counts"], packed["max_depths"], strict=True):
        tree = Tree(n_features, np.array([n_classes], dtype=np.intp), 1)
        rows = slice(end - count, end)
        tree.__setstate__(
            {
                "max_depth": int(depth),
                "node_count": int(count),
                "nodes": np.ascontiguousarray(packed["nodes"][rows]),
                "values": np.ascontiguousarray(packed["values"][rows]),
            }
        )
        trees.append(tree)
    return trees
