"""Find the split of a node as C4.5 release 8 does, in the form of WEKA's J48.

The gain of a column is the largest information gain of its cuts, less log2(number of cuts) / weight, the cost
of encoding the choice of the cut. The split uses the column of largest gain ratio among the columns of at least
average gain. Every node searches all columns, so columns are sorted once and partitioned stably. Afterwards the tree
is pruned: see `error_pruning.pxd`.

As in J48, gains, ratios and weights that differ by less than TINY count as equal, and the first of equals wins. So
the tree does not depend on the order of summation. A row of weight w counts as w cases.

Missing values are treated differently from J48, which sends such a row to both sides with shared weight. Here all
rows with a missing value go to the better side of a split, and the cuts of both choices count as tried cuts.
"""

from libc.math cimport INFINITY, floor
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from rotastack.trees.kernel.compact cimport constant
from rotastack.trees.kernel.elementary cimport log2
from rotastack.trees.kernel.error_pruning cimport TINY
from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.missing cimport count_missing, count_missing_compact, put_missing_first
from rotastack.trees.kernel.sorting cimport differ, row_of, value_of
from rotastack.trees.kernel.structures cimport (
    COLUMN, MISSING_RIGHT, Described, Grower, Limits, Node, Presorted, Units, may_miss,
)
from rotastack.trees.kernel.unit_entropy cimport ROW, UNIT, UnitCut, fill_tables, scan_units

cdef extern from *:
    """
    #define APART 1e-5          /* values no farther apart have no cut between them */
    #define LEAST_SHARE 0.1     /* a side weighs at least min_leaf, or a tenth of a class's mean weight */
    #define MOST_NEEDED 25.0    /* ... up to 25 */
    #define NEAR_MEAN 1e-3      /* a gain that lies so little below the mean still counts as average */
    """
    const double APART, LEAST_SHARE, MOST_NEEDED, NEAR_MEAN


# The best cut of a column; place is 0 if no cut is allowed.
cdef struct GainCut:
    double gain
    double weight_left
    Py_ssize_t place            # the rows [0, place) go left
    Py_ssize_t n_cuts           # number of tried cuts


cdef inline double h(double x, const double* table) noexcept nogil:
    """Return x log2 x, from the table if there is one; 0 if x is below `TINY`."""
    if table != NULL:
        return table[<Py_ssize_t> x]
    return x * log2(x) if x >= TINY else 0.0


cdef inline GainCut best_cut(
    Grower* grower, const Described* node, const uint64_t* run, Py_ssize_t n_known, double base, double least
) noexcept nogil:
    """Return the first of the cuts of largest gain; each side has a weight of at least `least`.

    The place after the first `n_known` rows is also a cut, if it lies between two rows; it separates known values from
    missing values.
    """
    cdef const double* pairs = grower.task.pairs
    cdef const double* table = grower.task.table
    cdef const double* total = node.total
    cdef const int32_t* y = grower.task.y
    # For each class: the weight on the left, and x log2 x of the weights on the left and on the right.
    cdef double* left = grower.growing.left
    cdef double* h_left = left + grower.task.n_outputs
    cdef double* h_right = h_left + grower.task.n_outputs
    cdef double gain, weight, new, below, value, whole = node.whole
    cdef double weight_left = 0.0, weight_right, sum_left = 0.0, sum_right = 0.0
    cdef Py_ssize_t row = row_of(run[0]), c, i
    cdef GainCut best = GainCut(0.0, 0.0, 0, 0)
    for c in range(grower.task.n_outputs):
        left[c] = 0.0
        h_left[c] = 0.0
        h_right[c] = h(total[c], table)
        sum_right += h_right[c]
    value = value_of(run[0])
    for i in range(1, node.n):
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
        value = value_of(run[i])
        if not (below + APART < value or i == n_known) or weight_left <= least - TINY:
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


cdef inline GainCut best_unit_cut(
    Grower* grower, const Described* node, const uint32_t* run, const uint16_t* apart, double least
) noexcept nogil:
    """Return the result of `best_cut`, computed from the keys of `compact.pxd`."""
    cdef Units* units = &grower.units
    cdef Py_ssize_t at_least = max(<Py_ssize_t> floor(least - TINY) + 1, 1)
    cdef int64_t none = units.of_classes - units.h[node.n]      # the merit of no cut
    cdef int64_t more = <int64_t> (TINY * node.whole * UNIT)
    cdef UnitCut found = scan_units(
        run, node.n, apart, grower.task.n_outputs, at_least, none + more, more, True, units
    )
    return GainCut((found.merit - none) / UNIT / node.whole, found.place, found.place, found.n_cuts)


cdef inline bint find_gain_split(
    Grower* grower, const Described* node, double least, Node* split
) except -1 nogil:
    """Write column and cut of the best split of a node to `split`; return False if no split is allowed."""
    cdef const Presorted* presorted = &grower.presorted
    cdef const double* table = grower.task.table
    cdef int32_t* places = grower.candidates.places
    cdef int32_t* splits = grower.candidates.order
    cdef double* gains = grower.candidates.gains
    cdef double* ratios = grower.candidates.ratios
    cdef double whole = node.whole, h_whole = h(whole, table), h_sides, base = -h_whole
    cdef double mean = 0.0, best = 0.0
    cdef Py_ssize_t n_columns = grower.view.n_columns, n_candidates = 0, n_missing, c
    cdef int32_t j
    cdef int side
    cdef GainCut cut, other
    if presorted.compact:
        fill_tables(node.total, grower.task.n_outputs, node.n, &grower.units)
    for c in range(grower.task.n_outputs):
        base += h(node.total[c], table)
    for j in range(<int32_t> n_columns):
        places[j] = 0
        pass_by(&grower.watch, node.n)
        splits[j] = j
        if is_constant(presorted, node, j):
            continue
        n_missing = missing_in(grower, node, j) if may_miss(&grower.view, j) else 0
        cut = GainCut(0.0, 0.0, 0, 0)
        for side in range(1 + (n_missing > 0)):     # missing values on the right, then on the left
            other = cut_of_side(grower, node, j, n_missing, side, base, least)
            cut.n_cuts += other.n_cuts
            if other.place > 0 and (side == 0 or other.gain > cut.gain + TINY):
                splits[j] = j | MISSING_RIGHT if n_missing > 0 and side == 0 else j
                other.n_cuts = cut.n_cuts
                cut = other
        if cut.place == 0:
            continue
        cut.gain -= log2(cut.n_cuts) / whole
        if cut.gain < TINY:
            continue
        h_sides = h(cut.weight_left, table)
        places[j] = <int32_t> cut.place
        gains[j] = cut.gain
        ratios[j] = cut.gain * whole / (h_whole - h_sides - h(whole - cut.weight_left, table))
        n_candidates += 1
        mean += cut.gain
    mean /= n_candidates
    for j in range(<int32_t> n_columns):
        if places[j] > 0 and gains[j] >= mean - NEAR_MEAN and ratios[j] > best + TINY:
            best = ratios[j]
            split.column = splits[j]
    if split.column < 0:
        return False
    j = split.column & COLUMN
    split.cut = cut_at(grower, j, node.first + places[j])
    return True


cdef inline Py_ssize_t missing_in(const Grower* grower, const Described* node, int32_t j) noexcept nogil:
    """Return the number of rows of a node whose value in column j is missing."""
    cdef Py_ssize_t first = j * grower.presorted.n_bag + node.first
    if grower.presorted.compact:
        return count_missing_compact(grower.presorted.small + first, node.n, grower.view.columns[j])
    return count_missing(grower.presorted.orders + first, node.n)


cdef inline bint is_constant(const Presorted* presorted, const Described* node, int32_t j) noexcept nogil:
    """Return whether a column has no cut in a node."""
    cdef Py_ssize_t first = j * presorted.n_bag + node.first
    if presorted.compact:
        return constant(presorted.small + first, node.n, presorted.apart + j * presorted.n_bag)
    return not differ(presorted.orders[first], presorted.orders[first + node.n - 1])


cdef inline GainCut cut_of_side(
    Grower* grower, const Described* node, int32_t j, Py_ssize_t n_missing, bint missing_left, double base, double least
) noexcept nogil:
    """Return the best cut of column j with all missing values on one side; its place counts known values only."""
    cdef const Presorted* presorted = &grower.presorted
    cdef Py_ssize_t first = j * presorted.n_bag, n_known = node.n - n_missing
    cdef const uint32_t* small = presorted.small + first + node.first
    cdef const uint64_t* run = presorted.orders + first + node.first
    cdef GainCut cut
    if missing_left:
        n_known = 0
        if presorted.compact:
            put_missing_first(small, node.n, n_missing, presorted.small_other)
            small = presorted.small_other
        else:
            put_missing_first(run, node.n, n_missing, grower.sorter.other)
            run = grower.sorter.other
    if presorted.compact:
        cut = best_unit_cut(grower, node, small, presorted.apart + first, least)
    else:
        cut = best_cut(grower, node, run, n_known, base, least)
    if missing_left and cut.place > 0:
        cut.place -= n_missing
    return cut


cdef inline float cut_at(const Grower* grower, int32_t j, Py_ssize_t place) noexcept nogil:
    """Return the largest value of the whole bag that is at most the middle of the two values at this place.

    The cut is infinity if the value above is missing.
    """
    cdef const Presorted* presorted = &grower.presorted
    cdef const float* column = grower.view.columns[j]
    cdef Py_ssize_t below, above, first = j * presorted.n_bag
    place += first
    if presorted.compact:
        below, above = presorted.small[place - 1] & ROW, presorted.small[place] & ROW
    else:
        below, above = row_of(presorted.orders[place - 1]), row_of(presorted.orders[place])
    if column[above] != column[above]:
        return INFINITY
    return largest_up_to(
        presorted.ranked + first, presorted.n_bag, 0.5 * <double> column[below] + 0.5 * <double> column[above]
    )


cdef inline float largest_up_to(const float* ranked, Py_ssize_t n, double middle) noexcept nogil:
    """Return the largest of sorted values that is at most `middle`; the first value is at most `middle`."""
    cdef Py_ssize_t low = 0, high = n - 1, k
    while low < high:
        k = (low + high + 1) // 2
        # With a tolerance: rounded to float32, 0.2 may be above the middle of 0.1 and 0.3.
        if ranked[k] <= middle or <double> ranked[k] - middle < TINY:
            low = k
        else:
            high = k - 1
    return ranked[low]


cdef inline double least_weight(const Grower* grower, double whole) noexcept nogil:
    """Return the smallest weight that each side of a node's split must have."""
    return max(
        <double> grower.limits.min_leaf, min(MOST_NEEDED, LEAST_SHARE * whole / grower.task.n_outputs)
    )


cdef inline bint may_gain(
    const Limits* limits, const Described* node, double wrong, int32_t depth, double least
) noexcept nogil:
    """Return whether a node with training errors of weight `wrong` is searched for a split."""
    return wrong >= TINY and node.whole >= 2.0 * (least - TINY) and depth < limits.max_depth
