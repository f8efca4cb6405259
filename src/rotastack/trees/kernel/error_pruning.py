"""Prune a tree by pessimistic estimates of its error on new rows, as C4.5 does.

The expected errors of a leaf that got E of N training cases wrong are the upper confidence limit of a
binomial share, times N. A subtree is replaced by a leaf, or by its own larger branch (subtree raising: the
branch then also takes the rows of the smaller one), if the expected errors of the replacement are hardly
more.
"""

import math

import numpy as np

from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.growing import describe, part_rows

TINY = 1e-6
"""Numbers that differ by less are equal."""

HARDLY_WORSE = 0.1
"""A smaller tree may have so many more expected errors."""

NO_BETTER = 1e-3
"""A subtree is replaced by a leaf unless it saves more training errors than this."""


@compiled
def largest(total):
    """Return the largest class weight."""
    most = total[0]
    for c in range(1, total.shape[0]):
        most = max(most, total[c])
    return most


@compiled
def collapse(nodes, n_nodes, wrong):
    """Turn nodes into leaves whose subtrees get no fewer training cases wrong than they do."""
    below = np.empty(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        below[node] = wrong[node]
        if nodes[node].column >= 0:
            child = nodes[node].child
            below[node] = below[child] + below[child + 1]
            if below[node] >= wrong[node] - NO_BETTER:
                nodes[node].column = -1


@compiled
def expected_errors(weight, wrong, confidence, quantile):
    """Return the upper confidence limit of the number of errors among cases of this weight.

    For no errors it is exact. From one on it is Wilson's limit with a correction for continuity,
    for which `quantile` is that of the normal distribution at 1 - `confidence`; in between,
    a straight line.
    """
    if weight < TINY:
        return 0.0
    many = max(wrong, 1.0)
    if many + 0.5 >= weight:
        limit = max(weight, many)
    else:
        share = (many + 0.5) / weight
        z = quantile * quantile / weight
        root = math.sqrt(share * (1.0 - share) / weight + z / (4.0 * weight))
        limit = weight * (share + 0.5 * z + quantile * root) / (1.0 + z)
    if wrong >= 1.0:
        return limit
    none = weight * (1.0 - confidence ** (1.0 / weight))
    return wrong + none + wrong * (limit - 1.0 - none)


@compiled
def _branch_errors(
    branch, other, data, stored, source, rows, y, pairs, confidence, quantile,
    nodes, node_first, node_last, estimates, open_nodes, begin, end, total, spare, newcomers, side,
):  # fmt: skip
    """Return the expected errors of a branch that also takes the rows of its sibling `other`."""
    n = node_last[other] - node_first[other]
    for i in range(n):
        newcomers[i] = rows[node_first[other] + i]
    begin[branch] = 0
    end[branch] = n
    errors = 0.0
    open_nodes[0] = branch
    n_open = 1
    while n_open > 0:
        n_open -= 1
        node = open_nodes[n_open]
        first, last = begin[node], end[node]
        if first == last:
            errors += estimates[node]
        elif nodes[node].column < 0:
            for c in range(total.shape[0]):
                total[c] = 0.0
            weight = 0.0
            for i in range(node_first[node], node_last[node]):
                total[np.uint64(y[rows[i]])] += pairs[rows[i], 0]
                weight += pairs[rows[i], 0]
            for i in range(first, last):
                total[np.uint64(y[newcomers[i]])] += pairs[newcomers[i], 0]
                weight += pairs[newcomers[i], 0]
            errors += expected_errors(weight, weight - largest(total), confidence, quantile)
        else:
            here = newcomers[first:last]
            middle = first + part_rows(data, stored, source, nodes[node], here, last - first, spare, side)
            child = nodes[node].child
            begin[child], end[child] = first, middle
            begin[child + 1], end[child + 1] = middle, last
            open_nodes[n_open] = child
            open_nodes[n_open + 1] = child + 1
            n_open += 2
    return errors


@compiled
def _deal_rows(
    top, data, stored, source, rows, y, target, pairs, criterion, table,
    nodes, impurity, node_weight, node_first, node_last, wrong, waiting, open_nodes, total, spare, side,
):  # fmt: skip
    """Send the rows of `top` down its subtree, mark its nodes as waiting to be pruned; return the last one."""
    furthest = top
    open_nodes[0] = top
    n_open = 1
    while n_open > 0:
        n_open -= 1
        node = open_nodes[n_open]
        furthest = max(furthest, node)
        waiting[node] = True
        first, last = node_first[node], node_last[node]
        node_weight[node] = wrong[node] = impurity[node] = 0.0
        if last > first:
            node_weight[node], _, _, impurity[node] = describe(
                rows[first:last], last - first, y, target, pairs, criterion, total, table
            )
            wrong[node] = node_weight[node] - largest(total)
        if nodes[node].column < 0:
            continue
        here = rows[first:last]
        middle = first + part_rows(data, stored, source, nodes[node], here, last - first, spare, side)
        child = nodes[node].child
        node_first[child], node_last[child] = first, middle
        node_first[child + 1], node_last[child + 1] = middle, last
        open_nodes[n_open] = child
        open_nodes[n_open + 1] = child + 1
        n_open += 2
    return furthest


@compiled
def prune_by_errors(
    data, stored, source, rows, y, target, pairs, criterion, table, confidence, quantile, raising,
    nodes, n_nodes, impurity, node_weight, node_first, node_last, wrong, open_nodes,
    total, spare, newcomers, side,
):  # fmt: skip
    """Prune from the leaves up; a raised branch is pruned again with its new rows.

    A raised branch may contain nodes without rows for a while. None remain: a node without rows becomes a
    leaf, and a node with such a child is replaced by its other child.
    """
    estimates = np.empty(n_nodes)
    begin, end = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    waiting = np.zeros(n_nodes, np.bool_)
    waiting[0] = True
    for node in range(n_nodes):  # not those below a collapsed node
        if waiting[node] and nodes[node].column >= 0:
            waiting[nodes[node].child] = waiting[nodes[node].child + 1] = True
    node = n_nodes - 1
    while node >= 0:
        if not waiting[node]:
            node -= 1
            continue
        as_leaf = expected_errors(node_weight[node], wrong[node], confidence, quantile)
        estimates[node] = as_leaf
        if nodes[node].column >= 0:
            child = nodes[node].child
            as_tree = estimates[child] + estimates[child + 1]
            large = child + 1 if node_weight[child + 1] > node_weight[child] - TINY else child
            as_branch = math.inf
            if raising:
                as_branch = _branch_errors(
                    large, 2 * child + 1 - large, data, stored, source, rows, y, pairs, confidence, quantile,
                    nodes, node_first, node_last, estimates, open_nodes, begin, end, total, spare, newcomers, side,
                )  # fmt: skip
            if as_leaf < min(as_tree, as_branch) + HARDLY_WORSE + TINY:
                nodes[node].column = -1
            elif as_branch < as_tree + HARDLY_WORSE + TINY:
                nodes[node].column = nodes[large].column
                nodes[node].cut = nodes[large].cut
                nodes[node].child = nodes[large].child
                node = _deal_rows(
                    node, data, stored, source, rows, y, target, pairs, criterion, table,
                    nodes, impurity, node_weight, node_first, node_last, wrong, waiting, open_nodes, total, spare, side,
                )  # fmt: skip
                continue
            else:
                estimates[node] = as_tree
        waiting[node] = False
        node -= 1
