"""Restore the numbers of nodes from the compact form of trees in files."""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.structures cimport Node


def place_nodes(const int64_t[::1] starts, int32_t first_entry, Node[::1] nodes):
    """Number the children of inner nodes and the values of leaves depth first, as `writing.pxd` does.

    The trees start at the nodes `starts`, int64 (n_trees + 1,). Inner nodes have their column and cut. Leaves have the
    column -1, and the `child` ``-1 - c`` if all their rows are of class c, otherwise 0. Values are numbered from
    `first_entry` on. Returns the number after the last value, or -1 if the nodes do not form trees.
    """
    cdef list kept = []
    cdef Py_ssize_t n_trees = starts.shape[0] - 1, most = 1, tree, size, n_open, n_placed
    cdef int32_t entry = first_entry, node
    cdef Node* nodes_of
    cdef int32_t* open
    cdef bint fits = True
    for tree in range(n_trees):
        most = max(most, starts[tree + 1] - starts[tree])
    open = <int32_t*> take(kept, most + 1, sizeof(int32_t))
    with nogil:
        for tree in range(n_trees):
            nodes_of = &nodes[0] + starts[tree]
            size = starts[tree + 1] - starts[tree]
            if size < 1:
                fits = False
                break
            open[0] = 0
            n_open = n_placed = 1
            while n_open > 0:
                n_open -= 1
                node = open[n_open]
                if nodes_of[node].column < 0:
                    if nodes_of[node].child >= 0:
                        nodes_of[node].child = entry
                        entry += 1
                    continue
                if n_placed + 2 > size:
                    fits = False
                    break
                nodes_of[node].child = <int32_t> n_placed
                open[n_open] = <int32_t> n_placed + 1
                open[n_open + 1] = <int32_t> n_placed
                n_open += 2
                n_placed += 2
            if not fits or n_placed != size:
                fits = False
                break
    return entry if fits else -1
