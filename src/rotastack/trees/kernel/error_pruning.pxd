"""Prune a tree by pessimistic estimates of its error on new rows, as C4.5 does.

The expected errors of a leaf that got E of N training cases wrong are the upper confidence limit of a
binomial share, times N. A subtree is replaced by a leaf, or by its own larger branch (subtree raising: the
branch then also takes the rows of the smaller one), if the expected errors of the replacement are hardly
more.
"""

from libc.math cimport INFINITY, pow, sqrt
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from rotastack.trees.kernel.describing cimport describe
from rotastack.trees.kernel.partition cimport part_rows
from rotastack.trees.kernel.structures cimport Growing, Limits, Node, Pruning, Task, View


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
    """Turn nodes into leaves whose subtrees get no fewer training cases wrong than they do; `below` is scratch."""
    cdef Node* nodes = tree.nodes
    cdef const double* wrong = tree.gains
    cdef Py_ssize_t node
    for node in range(n_nodes - 1, -1, -1):
        below[node] = wrong[node]
        if nodes[node].column >= 0:
            below[node] = below[nodes[node].child] + below[nodes[node].child + 1]
            if below[node] >= wrong[node] - NO_BETTER:
                nodes[node].column = -1


cdef inline double expected_errors(double weight, double wrong, double confidence, double quantile) noexcept nogil:
    """Return the upper confidence limit of the number of errors among cases of this weight.

    For no errors it is exact. From one on it is Wilson's limit with a correction for continuity,
    for which `quantile` is that of the normal distribution at 1 - `confidence`; in between,
    a straight line.
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
    none = weight * (1.0 - pow(confidence, 1.0 / weight))
    return wrong + none + wrong * (limit - 1.0 - none)


cdef inline void send_on(Growing* tree, Py_ssize_t node, Py_ssize_t n_open) noexcept nogil:
    """Put the children of `node` on the pile of open nodes, the right one on top."""
    tree.open[n_open] = tree.nodes[node].child
    tree.open[n_open + 1] = tree.nodes[node].child + 1


cdef inline double branch_errors(
    Py_ssize_t branch, Py_ssize_t sibling, const View* view, const Task* task, const Limits* limits,
    Growing* tree, Pruning* pruning,
) noexcept nogil:
    """Return the expected errors of a branch that also takes the rows of its sibling."""
    cdef const double* pairs = task.pairs
    cdef const int32_t* y = task.y
    cdef uint32_t* newcomers = tree.found
    cdef int32_t* begin = pruning.begin
    cdef int32_t* end = pruning.end
    cdef double* total = tree.totals
    cdef double errors = 0.0, weight
    cdef Py_ssize_t n_open = 1, first, last, child, c, i
    cdef int32_t middle, node, n = tree.last[sibling] - tree.first[sibling]
    cdef uint32_t row
    memcpy(newcomers, tree.rows + tree.first[sibling], n * sizeof(uint32_t))
    begin[branch] = 0
    end[branch] = n
    tree.open[0] = <int32_t> branch
    while n_open > 0:
        n_open -= 1
        node = tree.open[n_open]
        first, last = begin[node], end[node]
        if first == last:
            errors += pruning.estimates[node]
        elif tree.nodes[node].column < 0:
            for c in range(task.n_outputs):
                total[c] = 0.0
            weight = 0.0
            for i in range(tree.first[node], tree.last[node]):
                row = tree.rows[i]
                total[y[row]] += pairs[2 * <Py_ssize_t> row]
                weight += pairs[2 * <Py_ssize_t> row]
            for i in range(first, last):
                row = newcomers[i]
                total[y[row]] += pairs[2 * <Py_ssize_t> row]
                weight += pairs[2 * <Py_ssize_t> row]
            errors += expected_errors(
                weight, weight - largest(total, task.n_outputs), limits.confidence, limits.quantile
            )
        else:
            middle = <int32_t> (first + part_rows(
                view, tree.nodes[node], newcomers + first, last - first, tree.spare, tree.side
            ))
            child = tree.nodes[node].child
            begin[child], end[child] = first, middle
            begin[child + 1], end[child + 1] = middle, last
            send_on(tree, node, n_open)
            n_open += 2
    return errors


cdef inline Py_ssize_t deal_rows(
    Py_ssize_t top, const View* view, const Task* task, Growing* tree, uint8_t* waiting,
) noexcept nogil:
    """Send the rows of `top` down its subtree, mark its nodes as waiting to be pruned; return the last one."""
    cdef double* weight = tree.weight
    cdef double* wrong = tree.gains
    cdef double squares, base
    cdef Py_ssize_t furthest = top, n_open = 1, node, child
    cdef int32_t first, last, middle
    tree.open[0] = <int32_t> top
    while n_open > 0:
        n_open -= 1
        node = tree.open[n_open]
        furthest = max(furthest, node)
        waiting[node] = True
        first, last = tree.first[node], tree.last[node]
        weight[node] = wrong[node] = tree.impurity[node] = 0.0
        if last > first:
            describe(
                tree.rows + first, last - first, task,
                tree.totals, &weight[node], &squares, &base, &tree.impurity[node],
            )
            wrong[node] = weight[node] - largest(tree.totals, task.n_outputs)
        if tree.nodes[node].column < 0:
            continue
        middle = first + <int32_t> part_rows(
            view, tree.nodes[node], tree.rows + first, last - first, tree.spare, tree.side
        )
        child = tree.nodes[node].child
        tree.first[child], tree.last[child] = first, middle
        tree.first[child + 1], tree.last[child + 1] = middle, last
        send_on(tree, node, n_open)
        n_open += 2
    return furthest


cdef inline void prune_by_errors(
    const View* view, const Task* task, const Limits* limits, Growing* tree, Py_ssize_t n_nodes, Pruning* pruning,
) noexcept nogil:
    """Prune from the leaves up; a raised branch is pruned again with its new rows.

    A raised branch may contain nodes without rows for a while. None remain: a node without rows becomes a
    leaf, and a node with such a child is replaced by its other child.
    """
    cdef Node* nodes = tree.nodes
    cdef const double* weight = tree.weight
    cdef double* estimates = pruning.estimates
    cdef uint8_t* waiting = pruning.waiting
    cdef double as_leaf, as_tree, as_branch
    cdef Py_ssize_t node, child, large
    memset(waiting, 0, n_nodes)
    waiting[0] = True
    for node in range(n_nodes):  # not those below a collapsed node
        if waiting[node] and nodes[node].column >= 0:
            waiting[nodes[node].child] = waiting[nodes[node].child + 1] = True
    node = n_nodes - 1
    while node >= 0:
        if not waiting[node]:
            node -= 1
            continue
        as_leaf = expected_errors(weight[node], tree.gains[node], limits.confidence, limits.quantile)
        estimates[node] = as_leaf
        if nodes[node].column >= 0:
            child = nodes[node].child
            as_tree = estimates[child] + estimates[child + 1]
            large = child + 1 if weight[child + 1] > weight[child] - TINY else child
            as_branch = INFINITY
            if limits.raising:
                as_branch = branch_errors(large, 2 * child + 1 - large, view, task, limits, tree, pruning)
            if as_leaf < min(as_tree, as_branch) + HARDLY_WORSE + TINY:
                nodes[node].column = -1
            elif as_branch < as_tree + HARDLY_WORSE + TINY:
                nodes[node] = nodes[large]
                node = deal_rows(node, view, task, tree, waiting)
                continue
            else:
                estimates[node] = as_tree
        waiting[node] = False
        node -= 1
