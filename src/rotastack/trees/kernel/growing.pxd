"""Grow one tree: by the criteria of `criteria.pxd`, or as C4.5 does (see `c45.pxd`)."""

from libc.stdint cimport int32_t

from rotastack.trees.kernel.c45 cimport find_gain_split, least_weight, may_gain
from rotastack.trees.kernel.compact cimport part_compact
from rotastack.trees.kernel.describing cimport describe
from rotastack.trees.kernel.error_pruning cimport largest
from rotastack.trees.kernel.missing cimport misses_some
from rotastack.trees.kernel.partition cimport part_rows, split_orders
from rotastack.trees.kernel.sparse cimport mark_places
from rotastack.trees.kernel.splitting cimport find_split, has_ones
from rotastack.trees.kernel.structures cimport C45, MISSING_RIGHT, Described, Grower, Growing, Limits, Split, View


cdef inline Py_ssize_t grow_tree(Grower* grower, Py_ssize_t n_bag) except -1 nogil:
    """Grow a tree on the first `n_bag` rows, and reorder these rows; return the number of nodes.

    At the end, the rows of each node are ``rows[first[node]:last[node]]``. Nodes are split depth first. With C4.5,
    `errors` receives the training errors of each node.
    """
    cdef Growing* tree = &grower.growing
    cdef bint c45 = grower.task.criterion == C45
    cdef bint sparse = has_ones(grower)
    cdef Described[2] found
    cdef double[2] least                # of C4.5: weight of each side of a split
    cdef bint[2] worth
    cdef Py_ssize_t j, k, n, n_left, n_new = 1, n_nodes = 1, n_open = 0
    cdef int32_t node, parent = -1
    for j in range(grower.view.n_columns):
        grower.candidates.order[j] = <int32_t> j
    if sparse:
        for j in range(grower.view.n_rows):
            grower.ones.stands[j] = -1
        mark_places(grower.ones.stands, tree.rows, 0, n_bag)
    tree.first[0] = 0
    tree.last[0] = <int32_t> n_bag
    tree.depth[0] = 0
    while True:
        # Find the splits of the two new nodes (at the start: of the root), the right node first.
        for k in range(n_new):
            node = <int32_t> (n_nodes - n_new + k)
            look_at(grower, node, k, &found[k])
            if c45:
                tree.errors[node] = found[k].whole - largest(found[k].total, grower.task.n_outputs)
                least[k] = least_weight(grower, found[k].whole)
                worth[k] = may_gain(&grower.limits, &found[k], tree.errors[node], tree.depth[node], least[k])
            else:
                worth[k] = may_split(&grower.limits, &found[k], tree.depth[node])
        if n_new == 2:
            guess_side(&grower.view, tree, parent)
        if grower.presorted.used and n_new == 2 and (worth[0] or worth[1]):
            part_orders(grower, parent, found[0].n, worth)
        for k in range(n_new - 1, -1, -1):
            node = <int32_t> (n_nodes - n_new + k)
            if worth[k] and split_node(grower, node, &found[k], least[k]):
                tree.open[n_open] = node
                n_open += 1
        if n_open == 0:
            return n_nodes
        n_open -= 1
        parent = tree.open[n_open]
        n = tree.last[parent] - tree.first[parent]
        n_left = part_rows(
            &grower.view, tree.nodes[parent], tree.rows + tree.first[parent], n, tree.spare, tree.side
        )
        n_new = 0
        if n_left == 0 or n_left == n:  # a mapped column that overflowed to NaN
            tree.nodes[parent].column = -1
            continue
        if sparse:
            mark_places(grower.ones.stands, tree.rows + tree.first[parent], tree.first[parent], n)
        add_children(tree, parent, n_nodes, n_left)
        n_nodes += 2
        n_new = 2


cdef inline void look_at(Grower* grower, int32_t node, Py_ssize_t k, Described* found) noexcept nogil:
    """Describe the k-th new node, which is a leaf until it is split."""
    cdef Growing* tree = &grower.growing
    found.first = tree.first[node]
    found.n = tree.last[node] - tree.first[node]
    found.total = tree.totals + k * grower.task.n_outputs
    describe(tree.rows + found.first, &grower.task, found)
    tree.impurity[node] = found.impurity
    tree.weight[node] = found.whole
    tree.nodes[node].column = -1


cdef inline void guess_side(const View* view, Growing* tree, int32_t parent) noexcept nogil:
    """Send missing values to the child of larger weight, unless the split chose their side by rows of the node."""
    cdef int32_t child = tree.nodes[parent].child
    if not tree.weight[child] > tree.weight[child + 1] and not misses_some(view, tree, parent):
        tree.nodes[parent].column |= MISSING_RIGHT


cdef inline bint may_split(const Limits* limits, const Described* node, int32_t depth) noexcept nogil:
    return not (
        node.impurity <= 2.3e-16
        or node.n < limits.min_split
        or node.n < 2 * limits.min_leaf
        or depth >= limits.max_depth
    )


cdef inline void part_orders(
    Grower* grower, int32_t parent, Py_ssize_t n_left, const bint* worth
) noexcept nogil:
    """Partition the sorted keys of a node after its rows have been partitioned."""
    cdef Growing* tree = &grower.growing
    cdef Py_ssize_t n_columns = grower.view.n_columns, first = tree.first[parent]
    cdef Py_ssize_t n = tree.last[parent] - first
    if grower.presorted.compact:
        part_compact(&grower.presorted, n_columns, first, n, n_left, tree.side, worth[0], worth[1])
    else:
        split_orders(&grower.presorted, n_columns, first, n, n_left, tree.side, grower.sorter.other)


cdef inline bint split_node(Grower* grower, int32_t node, const Described* found, double least) except -1 nogil:
    """Find the split of a node; return whether there is one."""
    cdef Split split
    if grower.task.criterion == C45:
        return find_gain_split(grower, found, least, &grower.growing.nodes[node])
    find_split(grower, found, &split)
    if split.column < 0:
        return False
    grower.growing.nodes[node].column = split.column
    grower.growing.nodes[node].cut = split.cut
    return True


cdef inline void add_children(
    Growing* tree, int32_t parent, Py_ssize_t child, Py_ssize_t n_left
) noexcept nogil:
    """Add the children of a node after its rows have been partitioned; their numbers are `child` and `child` + 1."""
    cdef Py_ssize_t k
    tree.nodes[parent].child = <int32_t> child
    for k in range(child, child + 2):
        tree.depth[k] = tree.depth[parent] + 1
    tree.first[child] = tree.first[parent]
    tree.last[child] = <int32_t> (tree.first[parent] + n_left)
    tree.first[child + 1] = tree.last[child]
    tree.last[child + 1] = tree.last[parent]
