"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen & Stone 1984, chapter 3)."""

from rotastack.trees.kernel.compiling import compiled


@compiled
def prune(nodes, n_nodes, impurity, node_weight, alpha, cost):
    """Turn nodes into leaves until no subtree is worth `alpha` for each of its extra leaves.

    That is the smallest tree which minimises (impurity of the leaves, weighted by their share
    of the weight) + alpha x (number of leaves). Children come after their parents in `nodes`,
    so one pass from the end finds it.
    """
    for node in range(n_nodes - 1, -1, -1):
        own = impurity[node] * node_weight[node] / node_weight[0] + alpha
        cost[node] = own
        if nodes[node].column >= 0:
            child = nodes[node].child
            below = cost[child] + cost[child + 1]
            if below < own - 1e-14:
                cost[node] = below
            else:
                nodes[node].column = -1
