"""Prune a tree by pessimistic estimates of its error on new rows, as C4.5 does.

The expected errors of a leaf with E errors among N training cases are N times the upper confidence limit of a binomial
share. A subtree is replaced by a leaf, or by its own larger branch, if the replacement has at most slightly more
expected errors. The second case is subtree raising: the branch also takes the rows of the smaller branch.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from rotastack.trees.kernel.describing cimport describe, weigh_classes
from rotastack.trees.kernel.elementary cimport exp2, log2
from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.partition cimport part_rows
from rotastack.trees.kernel.structures cimport Described, Grower, Growing, Node


cdef extern from *:
    """
    #define TINY 1e-6           /* numbers that differ by less are equal */
    #define HARDLY_WORSE 0.1    /* a smaller tree may have so many more expected errors */
    #define NO_BETTER 1e-3      /* a subtree becomes a leaf unless it saves more training errors than this */
    """
    const double TINY, HARDLY_WORSE, NO_BETTER


cdef inline double largest(const double* total, Py_ssize_t n_classes) noexcept nogil:
    """Return the largest class weight."""
    cdef double most = total[0]
    cdef Py_ssize_t c
    for c in range(1, n_classes):
        most = max(most, total[c])
    return most


cdef inline void collapse(Growing* tree, Py_ssize_t n_nodes, double* below) noexcept nogil:
    """Turn nodes into leaves if their subtrees make no fewer training errors than the leaf would; `below` is scratch.
    """
    cdef Node* nodes = tree.nodes
    cdef const double* wrong = tree.errors
    cdef Py_ssize_t node
    for node in range(n_nodes - 1, -1, -1):
        below[node] = wrong[node]
        if nodes[node].column >= 0:
            below[node] = below[nodes[node].child] + below[nodes[node].child + 1]
            if below[node] >= wrong[node] - NO_BETTER:
                nodes[node].column = -1


cdef inline double expected_errors(
    double weight, double wrong, double confidence, double quantile
) noexcept nogil:
    """Return the upper confidence limit of the number of errors among cases of this weight.

    Without errors the limit is exact. From one error on, it is Wilson's limit with a correction for continuity;
    `quantile` is the quantile of the normal distribution at 1 - `confidence`. Between zero and one error, the limit is
    interpolated linearly.
    """
    cdef double many = max(wrong, 1.0), limit, share, z, root, none
    if weight < TINY:
        return 0.0
    if many + 0.5 >= weight:
        limit = max(weight, many)
    else:
        share = (many + 0.5) / weight
        z = quantile * quantile / weight
        root = sqrt(share * (1.0 - share) / weight + z / (4.0 * weight))
        limit = weight * (share + 0.5 * z + quantile * root) / (1.0 + z)
    if wrong >= 1.0:
        return limit
    none = weight * (1.0 - exp2(log2(confidence) / weight))
    return wrong + none + wrong * (limit - 1.0 - none)


cdef inline void open_children(Growing* tree, int32_t node, Py_ssize_t n_open) noexcept nogil:
    """Push the children of `node` on the stack of open nodes, the right child on top."""
    tree.open[n_open] = tree.nodes[node].child
    tree.open[n_open + 1] = tree.nodes[node].child + 1


cdef inline double branch_errors(Grower* grower, int32_t branch, int32_t sibling) noexcept nogil:
    """Return the expected errors of a branch that also takes the rows of its sibling."""
    cdef Growing* tree = &grower.growing
    cdef const double* pairs = grower.task.pairs
    cdef const int32_t* y = grower.task.y
    cdef uint32_t* newcomers = tree.found
    cdef int32_t* begin = grower.pruning.begin
    cdef int32_t* end = grower.pruning.end
    cdef double* total = tree.totals
    cdef double errors = 0.0, weight
    cdef Py_ssize_t n_outputs = grower.task.n_outputs, n_open = 1, row, i
    cdef int32_t node, child, first, middle, last, n = tree.last[sibling] - tree.first[sibling]
    memcpy(newcomers, tree.rows + tree.first[sibling], n * sizeof(uint32_t))
    begin[branch] = 0
    end[branch] = n
    tree.open[0] = branch
    while n_open > 0:
        n_open -= 1
        node = tree.open[n_open]
        first, last = begin[node], end[node]
        if first == last:
            errors += grower.pruning.estimates[node]
        elif tree.nodes[node].column < 0:
            i = tree.first[node]
            weight = weigh_classes(tree.rows + i, tree.last[node] - i, &grower.task, total)
            for i in range(first, last):
                row = newcomers[i]
                total[y[row]] += pairs[2 * row]
                weight += pairs[2 * row]
            errors += expected_errors(
                weight, weight - largest(total, n_outputs), grower.limits.confidence, grower.limits.quantile
            )
        else:
            middle = first + <int32_t> part_rows(
                &grower.view, tree.nodes[node], newcomers + first, last - first, tree.spare, tree.side
            )
            child = tree.nodes[node].child
            begin[child], end[child] = first, middle
            begin[child + 1], end[child + 1] = middle, last
            open_children(tree, node, n_open)
            n_open += 2
    return errors


cdef inline int32_t deal_rows(Grower* grower, int32_t top) noexcept nogil:
    """Send the rows of a node down its subtree and mark the subtree for pruning; return its last node."""
    cdef Growing* tree = &grower.growing
    cdef Described here
    cdef Py_ssize_t n_open = 1
    cdef int32_t node, child, first, middle, last, furthest = top
    tree.open[0] = top
    here.total = tree.totals
    while n_open > 0:
        n_open -= 1
        node = tree.open[n_open]
        furthest = max(furthest, node)
        grower.pruning.waiting[node] = True
        first, last = tree.first[node], tree.last[node]
        tree.weight[node] = tree.errors[node] = tree.impurity[node] = 0.0
        if last > first:
            here.n = last - first
            describe(tree.rows + first, &grower.task, &here)
            tree.weight[node], tree.impurity[node] = here.whole, here.impurity
            tree.errors[node] = here.whole - largest(here.total, grower.task.n_outputs)
        if tree.nodes[node].column < 0:
            continue
        middle = first + <int32_t> part_rows(
            &grower.view, tree.nodes[node], tree.rows + first, last - first, tree.spare, tree.side
        )
        child = tree.nodes[node].child
        tree.first[child], tree.last[child] = first, middle
        tree.first[child + 1], tree.last[child + 1] = middle, last
        open_children(tree, node, n_open)
        n_open += 2
    return furthest


cdef inline int prune_by_errors(Grower* grower, Py_ssize_t n_nodes) except -1 nogil:
    """Prune from the leaves up; a raised branch is pruned again with its new rows.

    Afterwards the root does not reach all nodes.

    A raised branch may contain nodes without rows, but none remain: a node without rows becomes a leaf, and a node with
    such a child is replaced by its other child.
    """
    cdef Growing* tree = &grower.growing
    cdef Node* nodes = tree.nodes
    cdef const double* weight = tree.weight
    cdef const double* wrong = tree.errors
    cdef double* estimates = grower.pruning.estimates
    cdef uint8_t* waiting = grower.pruning.waiting
    cdef double confidence = grower.limits.confidence, quantile = grower.limits.quantile
    cdef double as_leaf, as_tree, as_branch
    cdef int32_t node, child, large
    memset(waiting, 0, n_nodes)
    waiting[0] = True
    for node in range(<int32_t> n_nodes):  # nodes below a collapsed node do not wait
        if waiting[node] and nodes[node].column >= 0:
            waiting[nodes[node].child] = waiting[nodes[node].child + 1] = True
    node = <int32_t> (n_nodes - 1)
    while node >= 0:
        if not waiting[node]:
            node -= 1
            continue
        as_leaf = expected_errors(weight[node], wrong[node], confidence, quantile)
        estimates[node] = as_leaf
        if nodes[node].column >= 0:
            child = nodes[node].child
            as_tree = estimates[child] + estimates[child + 1]
            large = child + 1 if weight[child + 1] > weight[child] - TINY else child
            as_branch = INFINITY
            if grower.limits.raising:
                pass_by(&grower.watch, tree.last[node] - tree.first[node])
                as_branch = branch_errors(grower, large, 2 * child + 1 - large)
            if as_leaf < min(as_tree, as_branch) + HARDLY_WORSE + TINY:
                nodes[node].column = -1
            elif as_branch < as_tree + HARDLY_WORSE + TINY:
                nodes[node] = nodes[large]
                node = deal_rows(grower, node)
                continue
            else:
                estimates[node] = as_tree
        waiting[node] = False
        node -= 1
    return 0
