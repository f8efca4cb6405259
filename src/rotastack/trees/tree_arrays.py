"""The arrays of trees: as the kernel returns them, and as scikit-learn's ``tree_``."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.nodes import missing_go_left, split_columns

__all__ = ["TreeArrays", "tree_arrays"]


class TreeArrays(NamedTuple):
    """The nodes of consecutive trees; :class:`rotastack.trees.GrownTrees` describes the arrays.

    Either `decreases` is None or `impurity`, `weight` and `counts` are empty.
    """

    nodes: NDArray
    impurity: NDArray[np.float64]
    weight: NDArray[np.float64]
    counts: NDArray[np.int32]
    values: NDArray[np.float64]
    facts: NDArray[np.int64]
    decreases: NDArray[np.float64] | None = None


def tree_arrays(
    nodes: NDArray, impurity: NDArray[np.float64], weight: NDArray[np.float64], counts: NDArray[np.int32],
    values: NDArray[np.float64],
) -> dict[str, NDArray]:  # fmt: skip
    """Return a tree in new arrays; the output of an inner node is the weighted mean of the outputs of its leaves.

    Parameters
    ----------
    nodes, impurity, weight, counts : ndarray of shape (n_nodes,)
        Arrays of :class:`rotastack.trees.GrownTrees`, for the nodes of this tree.
    values : ndarray of shape (n_values, n_outputs)
        Outputs of all leaves of the forest.
    """
    leaf = nodes["column"] < 0
    n_outputs = values.shape[1]
    table = np.concatenate([values, np.eye(n_outputs)[::-1]])
    value = np.zeros((len(nodes), n_outputs))
    value[leaf] = table[nodes["child"][leaf]]
    for node in np.flatnonzero(~leaf)[::-1]:  # a child has a larger number than its parent
        child = nodes["child"][node]
        share = weight[child : child + 2] / weight[child : child + 2].sum()
        value[node] = share @ value[child : child + 2]
    return {
        "children_left": np.where(leaf, -1, nodes["child"]).astype(np.int64),
        "children_right": np.where(leaf, -1, nodes["child"] + 1).astype(np.int64),
        "feature": np.where(leaf, -2, split_columns(nodes)).astype(np.int64),
        "threshold": np.where(leaf, -2.0, nodes["cut"]).astype(np.float64),
        "impurity": impurity.copy(),
        "n_node_samples": counts.astype(np.int64),
        "weighted_n_node_samples": weight.copy(),
        "value": value,
        "missing_go_to_left": missing_go_left(nodes).astype(np.uint8),
    }
