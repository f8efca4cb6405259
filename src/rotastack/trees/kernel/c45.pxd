"""Grow one tree as C4.5 release 8 does, in the form that WEKA's J48 gave it.

The gain of a column is the largest information gain of its cuts, less log2(number of cuts) / weight, the cost
of encoding the choice of the cut. Among the columns of at least average gain the one of largest gain ratio is
taken. Every node searches all columns, so these are sorted once and partitioned stably. Then the tree is
pruned: see `error_pruning.pxd`.

As in J48, gains, ratios and weights that differ by less than TINY count as equal, and the first of equals
is taken, so the tree does not depend on the order of summation. A row of weight w counts as w cases.
"""

from libc.math cimport floor, log2
from libc.stdint cimport int32_t, int64_t, uint64_t

from rotastack.trees.kernel.compact cimport constant, part_compact
from rotastack.trees.kernel.describing cimport describe
from rotastack.trees.kernel.error_pruning cimport TINY, collapse, largest, prune_by_errors
from rotastack.trees.kernel.partition cimport part_rows, split_orders
from rotastack.trees.kernel.sorting cimport differ, row_of
from rotastack.trees.kernel.structures cimport (
    Candidates, Growing, Limits, Node, Presorted, Pruning, Sorter, Task, Units, View, column_of,
)
from rotastack.trees.kernel.unit_entropy cimport ROW, UNIT, UnitCut, fill_tables, scan_units

cdef extern from *:
    """
    #define APART 1e-5          /* neighbouring values that are no farther apart have no cut between them */
    #define LEAST_SHARE 0.1     /* a side weighs at least min_leaf, or a tenth of the mean weight of a class ... */
    #define MOST_NEEDED 25.0    /* ... up to 25 */
    #define NEAR_MEAN 1e-3      /* a gain that lies so little below the mean still counts as average */
    """
    const double APART, LEAST_SHARE, MOST_NEEDED, NEAR_MEAN


# The best cut of a column; place is 0 if none is allowed.
cdef struct GainCut:
    double gain
    double weight_left
    Py_ssize_t place            # the rows [0, place) go left
    Py_ssize_t n_cuts           # how many were tried


cdef inline double h(double x, const double* table) noexcept nogil:
    """Return x log2 x, from the table where there is one; 0 for next to nothing."""
    if table != NULL:
        return table[<Py_ssize_t> x]
    return x * log2(x) if x >= TINY else 0.0


cdef inline GainCut best_cut(
    const uint64_t* run, Py_ssize_t n, const float* column, const Task* task, const double* total,
    double whole, double base, double least, double* left,
) noexcept nogil:
    """Return the first of the cuts of largest gain; each side weighs at least `least`.

    Scratch holds of each class the weight on the `left`, and x log2 x of the weights on either side.
    """
    cdef const double* pairs = task.pairs
    cdef const int32_t* y = task.y
    cdef const double* table = task.table
    cdef double* h_left = left + task.n_outputs
    cdef double* h_right = h_left + task.n_outputs
    cdef double gain, weight, weight_left = 0.0, weight_right, sum_left = 0.0, sum_right = 0.0, new, below
    cdef double value = column[row_of(run[0])]
    cdef Py_ssize_t row = row_of(run[0]), c, i
    cdef GainCut best = GainCut(0.0, 0.0, 0, 0)
    for c in range(task.n_outputs):
        left[c] = 0.0
        h_left[c] = 0.0
        h_right[c] = h(total[c], table)
        sum_right += h_right[c]
    for i in range(1, n):
        weight = pairs[2 * row]
        c = y[row]
        left[c] += weight
        weight_left += weight
        new = h(left[c], table)
        sum_left += new - h_left[c]
        h_left[c] = new
        new = h(max(total[c] - left[c], 0.0), table)
        sum_right += new - h_right[c]
        h_right[c] = new
        row = row_of(run[i])
        below = value
        value = column[row]
        if not below + APART < value or weight_left <= least - TINY:
            continue
        weight_right = whole - weight_left
        if weight_right <= least - TINY:
            break
        best.n_cuts += 1
        gain = (sum_left + sum_right - h(weight_left, table) - h(weight_right, table) - base) / whole
        if gain > best.gain + TINY:
            best.gain = gain
            best.place = i
            best.weight_left = weight_left
    return best


cdef inline void find_gain_split(
    const View* view, const Presorted* sorted, Py_ssize_t first, Py_ssize_t n, const Task* task,
    const double* total, double whole, double least, double* left,
    const Candidates* candidates, const Units* units, Node* node,
) noexcept nogil:
    """Write column and cut of the best split to `node`; the column is -1 if nothing splits."""
    cdef const double* table = task.table
    cdef int32_t* places = candidates.places
    cdef double* gains = candidates.gains
    cdef double* ratios = candidates.ratios
    cdef int64_t of_classes = 0, more = 0, none = 0
    cdef double h_whole = h(whole, table), base = -h_whole, mean = 0.0, best = 0.0, middle
    cdef Py_ssize_t at_least = 0, n_candidates = 0, place, begin, j, c, below, above
    cdef const float* column
    cdef UnitCut found
    cdef GainCut cut
    if sorted.compact:
        of_classes = fill_tables(total, n, units)
        at_least = max(<Py_ssize_t> floor(least - TINY) + 1, 1)
        none = of_classes - units.h[n]  # the merit of no cut
        more = <int64_t> (TINY * whole * UNIT)
    for c in range(task.n_outputs):
        base += h(total[c], table)
    for j in range(view.n_columns):
        places[j] = 0
        begin = j * sorted.n_bag + first
        if sorted.compact:
            if constant(sorted.small + begin, n, sorted.apart + j * sorted.n_bag):
                continue
            found = scan_units(
                sorted.small + begin, n, sorted.apart + j * sorted.n_bag, of_classes, at_least, none + more, more, units
            )
            cut.gain = <double> (found.merit - none) / UNIT / whole
            cut.weight_left = <double> found.place
            cut.place, cut.n_cuts = found.place, found.n_cuts
        else:
            if not differ(sorted.orders[begin], sorted.orders[begin + n - 1]):
                continue
            cut = best_cut(
                sorted.orders + begin, n, column_of(view, j), task, total, whole, base, least, left
            )
        if cut.place == 0:
            continue
        cut.gain -= log2(<double> cut.n_cuts) / whole
        if cut.gain < TINY:
            continue
        places[j] = <int32_t> cut.place
        gains[j] = cut.gain
        ratios[j] = cut.gain * whole / (h_whole - h(cut.weight_left, table) - h(whole - cut.weight_left, table))
        n_candidates += 1
        mean += cut.gain
    node.column = -1
    if n_candidates == 0:
        return
    mean /= <double> n_candidates
    for j in range(view.n_columns):
        if places[j] > 0 and gains[j] >= mean - NEAR_MEAN and ratios[j] > best + TINY:
            best = ratios[j]
            node.column = <int32_t> j
    if node.column < 0:
        return
    j = node.column
    place = j * sorted.n_bag + first + places[j]
    if sorted.compact:
        below, above = sorted.small[place - 1] & ROW, sorted.small[place] & ROW
    else:
        below, above = row_of(sorted.orders[place - 1]), row_of(sorted.orders[place])
    column = column_of(view, j)
    middle = 0.5 * <double> column[below] + 0.5 * <double> column[above]
    node.cut = largest_up_to(sorted.ranked + j * sorted.n_bag, sorted.n_bag, middle)


cdef inline float largest_up_to(const float* ranked, Py_ssize_t n, double middle) noexcept nogil:
    """Return the largest of sorted values that is at most `middle`; the first one is."""
    cdef Py_ssize_t low = 0, high = n - 1, k
    while low < high:
        k = (low + high + 1) // 2
        # Or as good as: rounded to float32, 0.2 may be above the middle of 0.1 and 0.3.
        if ranked[k] <= middle or <double> ranked[k] - middle < TINY:
            low = k
        else:
            high = k - 1
    return ranked[low]


cdef inline Py_ssize_t grow_c45_tree(
    const View* view, Py_ssize_t n_bag, const Task* task, const Limits* limits, const Presorted* sorted,
    const Sorter* sorter, const Candidates* candidates, const Units* units, Growing* tree, Pruning* pruning,
) noexcept nogil:
    """Grow a tree on ``rows[:n_bag]``, whose presorted keys are `sorted`; return the number of nodes.

    Not all of these are reached from the root in the end; the rows of those that are stand in
    ``rows[first[node]:last[node]]``.
    """
    cdef Node* nodes = tree.nodes
    cdef int32_t* first = tree.first
    cdef int32_t* last = tree.last
    cdef double* wrong = tree.gains
    cdef const double* total
    cdef double squares, base
    cdef double[2] least
    cdef bint[2] worth
    cdef Py_ssize_t n_nodes = 1, n_new = 1, n_open = 0, parent = 0, low, node, child, n, n_left, k
    first[0] = 0
    last[0] = <int32_t> n_bag
    tree.depth[0] = 0
    while True:
        low = n_nodes - n_new
        worth[0] = worth[1] = False
        for k in range(n_new):
            node = low + k
            total = tree.totals + k * task.n_outputs
            describe(
                tree.rows + first[node], last[node] - first[node], task,
                tree.totals + k * task.n_outputs, &tree.weight[node], &squares, &base, &tree.impurity[node],
            )
            nodes[node].column = -1
            wrong[node] = tree.weight[node] - largest(total, task.n_outputs)
            least[k] = max(
                <double> limits.min_leaf, min(MOST_NEEDED, LEAST_SHARE * tree.weight[node] / task.n_outputs)
            )
            worth[k] = (
                wrong[node] >= TINY
                and tree.weight[node] >= 2.0 * (least[k] - TINY)
                and tree.depth[node] < limits.max_depth
            )
        if n_new == 2 and (worth[0] or worth[1]):
            n = last[parent] - first[parent]
            n_left = last[low] - first[low]
            if sorted.compact:
                part_compact(
                    sorted, view.n_columns, first[parent], n, n_left, tree.side, worth[0], worth[1]
                )
            else:
                split_orders(sorted, view.n_columns, first[parent], n, n_left, tree.side, sorter.other)
        for k in range(n_new - 1, -1, -1):
            node = low + k
            if not worth[k]:
                continue
            find_gain_split(
                view, sorted, first[node], last[node] - first[node], task,
                tree.totals + k * task.n_outputs, tree.weight[node], least[k], tree.left,
                candidates, units, &nodes[node],
            )
            if nodes[node].column >= 0:
                tree.open[n_open] = <int32_t> node
                n_open += 1
        if n_open == 0:
            break
        n_open -= 1
        parent = tree.open[n_open]
        n = last[parent] - first[parent]
        n_left = part_rows(view, nodes[parent], tree.rows + first[parent], n, tree.spare, tree.side)
        if n_left == 0 or n_left == n:  # a mapped column that overflowed to NaN
            nodes[parent].column = -1
            n_new = 0
            continue
        nodes[parent].child = <int32_t> n_nodes
        for child in range(n_nodes, n_nodes + 2):
            tree.depth[child] = tree.depth[parent] + 1
        first[n_nodes] = first[parent]
        last[n_nodes] = first[n_nodes + 1] = first[parent] + <int32_t> n_left
        last[n_nodes + 1] = last[parent]
        n_nodes += 2
        n_new = 2
    collapse(tree, n_nodes, pruning.estimates)
    if limits.confidence > 0.0:
        prune_by_errors(view, task, limits, tree, n_nodes, pruning)
    return n_nodes
