"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen & Stone 1984, chapter 3)."""

from rotastack.trees.kernel.structures cimport Growing


cdef inline void prune(Growing* tree, Py_ssize_t n_nodes, double alpha) noexcept nogil:
    """Turn nodes into leaves until each subtree lowers the impurity by more than `alpha` per extra leaf.

    The result is the smallest tree that minimises (impurity of the leaves, weighted by their share of the weight) +
    alpha x (number of leaves). Children have larger numbers than their parents, so one pass from the end suffices.
    """
    cdef double* cost = tree.errors
    cdef double own, below
    cdef Py_ssize_t node, child
    for node in range(n_nodes - 1, -1, -1):
        own = tree.impurity[node] * tree.weight[node] / tree.weight[0] + alpha
        cost[node] = own
        if tree.nodes[node].column >= 0:
            child = tree.nodes[node].child
            below = cost[child] + cost[child + 1]
            if below < own - 1e-14:
                cost[node] = below
            else:
                tree.nodes[node].column = -1
