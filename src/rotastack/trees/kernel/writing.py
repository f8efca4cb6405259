"""Write a grown tree to the arrays that hold all trees of a lot."""

import numpy as np

from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.criteria import SQUARED_ERROR


@compiled
def longer(array, n_used, n_needed):
    """Return `array`, or a longer copy of its first `n_used` entries."""
    if array.shape[0] >= n_needed:
        return array
    longer = np.empty(max(2 * array.shape[0], n_needed), array.dtype)
    longer[:n_used] = array[:n_used]
    return longer


@compiled
def more_rows(array, n_used, n_needed):
    if array.shape[0] >= n_needed:
        return array
    longer = np.empty((max(2 * array.shape[0], n_needed), array.shape[1]), array.dtype)
    longer[:n_used] = array[:n_used]
    return longer


@compiled
def count_values(nodes, n_nodes, impurity, criterion):
    """Count the leaves that need an entry in the table of values."""
    n = 0
    for node in range(n_nodes):
        if nodes[node].column < 0 and (criterion == SQUARED_ERROR or impurity[node] > 0.0):
            n += 1
    return n


@compiled
def write_tree(
    nodes, n_nodes, impurity, node_weight, node_first, node_last, rows, y, target, pairs, criterion,
    number, out_nodes, out_impurity, out_weight, out_count, begin, values, n_values, open_nodes,
):  # fmt: skip
    """Copy the nodes that the root still reaches, give leaves their values; return (nodes, leaves).

    `number` is scratch; `n_values` an array of one, the entries of `values` in use.
    """
    n_out = 1
    n_leaves = 0
    n_open = 1
    open_nodes[0] = 0
    number[0] = 0
    # Depth first, so that the nodes which a row meets lie close together.
    while n_open > 0:
        n_open -= 1
        node = open_nodes[n_open]
        place = begin + number[node]
        out_nodes[place].column = nodes[node].column
        out_nodes[place].cut = nodes[node].cut
        out_impurity[place] = impurity[node]
        out_weight[place] = node_weight[node]
        first = node_first[node]
        out_count[place] = node_last[node] - first
        if nodes[node].column >= 0:
            child = nodes[node].child
            out_nodes[place].child = n_out
            number[child] = n_out
            number[child + 1] = n_out + 1
            n_out += 2
            open_nodes[n_open] = child + 1
            open_nodes[n_open + 1] = child
            n_open += 2
            continue
        n_leaves += 1
        out_nodes[place].cut = np.float32(0.0)
        if criterion != SQUARED_ERROR and not impurity[node] > 0.0:
            out_nodes[place].child = -1 - y[rows[first]]
            continue
        entry = n_values[0]
        n_values[0] = entry + 1
        out_nodes[place].child = entry
        whole = 0.0
        for c in range(values.shape[1]):
            values[entry, c] = 0.0
        for i in range(first, node_last[node]):
            row = rows[i]
            whole += pairs[row, 0]
            if criterion == SQUARED_ERROR:
                values[entry, 0] += pairs[row, 1]
            else:
                values[entry, np.uint64(y[row])] += pairs[row, 0]
        for c in range(values.shape[1]):
            values[entry, c] /= whole
    return n_out, n_leaves


@compiled
def depth_of(nodes, begin, n_nodes, depth):
    """Return the depth of the deepest leaf of a written tree; children come after parents."""
    deepest = 0
    depth[0] = 0
    for node in range(n_nodes):
        deepest = max(deepest, depth[node])
        if nodes[begin + node].column >= 0:
            depth[nodes[begin + node].child] = depth[node] + 1
            depth[nodes[begin + node].child + 1] = depth[node] + 1
    return deepest
