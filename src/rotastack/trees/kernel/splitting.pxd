"""Search random columns for the split of a node, at the best cut or at random cuts."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from rotastack.trees.kernel.compact cimport constant
from rotastack.trees.kernel.criteria cimport (
    SortedCut, merit_of_sides, scan_entropy, scan_gini, scan_pairs, scan_whole_entropy,
)
from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.missing cimport (
    count_missing, count_missing_compact, gather_known, put_missing_first, sort_all_rows,
)
from rotastack.trees.kernel.randomness cimport draw_below, draw_bits, draw_unit
from rotastack.trees.kernel.sorting cimport differ, gather, row_of, sort_rows
from rotastack.trees.kernel.sparse cimport OnesCut, merit_of_ones
from rotastack.trees.kernel.structures cimport (
    BEST, GINI, MISSING_RIGHT, SQUARED_ERROR, Described, Grower, Presorted, Split, Task, may_miss,
)
from rotastack.trees.kernel.unit_entropy cimport NO_BAR, ROW, UNIT, UnitCut, fill_tables, scan_units


cdef inline float midpoint(float below, float above) noexcept nogil:
    """Return the middle cut, with below <= cut < above; infinity if the value above is missing."""
    cdef float half = 0.5
    cdef float cut = below * half + above * half
    if above != above:
        return INFINITY
    return cut if cut >= below and cut < above else below


cdef inline int find_split(Grower* grower, const Described* node, Split* split) except -1 nogil:
    """Write the best split of a node to `split`.

    `max_features` random columns are searched. If all of them are constant, the search goes on until a column is not
    constant; with the limit `constant_leaf` the node becomes a leaf instead.
    """
    cdef int32_t* order = grower.candidates.order
    cdef const int64_t* first_one = grower.ones.first_one
    cdef bint best_cuts = grower.search.splitter == BEST
    cdef bint sparse = has_ones(grower)
    cdef Py_ssize_t n_columns = grower.view.n_columns, n_seen = 0, n_useful = 0, k, where
    cdef bint goes_on = not grower.limits.constant_leaf
    cdef int32_t j
    split[0] = Split(-1, 0, -INFINITY)
    if grower.presorted.compact:
        fill_tables(node.total, grower.task.n_outputs, node.n, &grower.units)
    while n_seen < n_columns and (n_seen < grower.search.max_features or (goes_on and n_useful == 0)):
        k = n_seen + draw_below(&grower.state, n_columns - n_seen) if n_columns > 1 else 0
        j = order[k]
        order[k] = order[n_seen]
        order[n_seen] = j
        where = grower.view.source[j]
        pass_by(&grower.watch, node.n)
        if grower.presorted.compact:
            n_useful += split_units(grower, node, j, split)
        elif sparse and where >= 0 and 0 < first_one[where + 1] - first_one[where] <= node.n:
            n_useful += split_ones(grower, node, j, split)
        elif best_cuts:
            n_useful += split_at_best(grower, node, j, split)
        else:
            n_useful += split_at_random(grower, node, j, split)
        n_seen += 1
    return 0


cdef inline bint has_ones(const Grower* grower) noexcept nogil:
    """Return whether splits on sparse columns are computed from lists of ones."""
    return grower.ones.ones != NULL and not grower.presorted.used and (
        grower.task.criterion == GINI or grower.task.criterion == SQUARED_ERROR
    )


# Each of the following functions searches one column, replaces `best` by a better split, and returns whether the
# column can be split at all.

cdef inline bint split_ones(Grower* grower, const Described* node, int32_t j, Split* best) noexcept nogil:
    cdef int64_t first = grower.ones.first_one[grower.view.source[j]]
    cdef int64_t last = grower.ones.first_one[grower.view.source[j] + 1]
    cdef bint best_cut = grower.search.splitter == BEST
    cdef OnesCut found = merit_of_ones(
        grower.ones.ones + first, last - first, grower.ones.stands, node, &grower.task,
        best_cut, grower.growing.left, grower.limits.min_leaf,
    )
    cdef float cut
    if found.n_right == 0 or found.n_right == node.n:
        return False
    for _ in range(1 if best_cut else grower.search.n_cuts):
        cut = 0.5 if best_cut else <float> draw_unit(&grower.state)
        if found.merit > best.merit:
            best[0] = Split(j, cut if cut < 1 else 0, found.merit)
    return True


cdef inline bint split_at_best(Grower* grower, const Described* node, int32_t j, Split* best) noexcept nogil:
    cdef const float* column = grower.view.columns[j]
    cdef const uint32_t* rows = grower.growing.rows + node.first
    cdef const uint64_t* keys = grower.sorter.keys
    cdef bint misses = may_miss(&grower.view, j)
    cdef Py_ssize_t n_missing = 0
    cdef int32_t split_column = j
    cdef const uint64_t* run
    cdef const uint64_t* at = keys
    cdef float low, high
    cdef int side
    cdef SortedCut found, other
    if grower.presorted.used:
        keys = grower.presorted.orders + j * grower.presorted.n_bag + node.first
        if not differ(keys[0], keys[node.n - 1]):
            return False
        if misses:
            n_missing = count_missing(keys, node.n)
    elif misses:
        n_missing = sort_all_rows(column, rows, node.n, &grower.sorter)
        if not differ(keys[0], keys[node.n - 1]):
            return False
    else:
        gather(column, rows, node.n, grower.sorter.values, &low, &high)
        if low == high:
            return False
        sort_rows(rows, node.n, low, high, &grower.sorter)
    found = SortedCut(-INFINITY, 0)
    run = keys
    for side in range(1 + (n_missing > 0)):     # missing values on the right, then on the left
        if side == 1:
            put_missing_first(keys, node.n, n_missing, grower.sorter.other)
            run = grower.sorter.other
        other = scan(grower, node, run)
        if other.merit > found.merit:
            found, at = other, run
            split_column = j | MISSING_RIGHT if n_missing > 0 and side == 0 else j
    if found.place == 0 or not found.merit > best.merit:
        return True
    low, high = column[row_of(at[found.place - 1])], column[row_of(at[found.place])]
    best[0] = Split(split_column, midpoint(low, high), found.merit)
    return True


cdef inline bint split_units(Grower* grower, const Described* node, int32_t j, Split* best) noexcept nogil:
    """Search column j as `split_at_best` does, by the keys of `compact.pxd`, which hold rows of weight 1."""
    cdef const Presorted* presorted = &grower.presorted
    cdef const float* column = grower.view.columns[j]
    cdef const uint16_t* apart = presorted.apart + j * presorted.n_bag
    cdef const uint32_t* run = presorted.small + j * presorted.n_bag + node.first
    cdef const uint32_t* at = run
    cdef Py_ssize_t at_least = max(grower.limits.min_leaf, 1), n_missing
    cdef int32_t split_column = j
    cdef int side
    cdef UnitCut found = UnitCut(NO_BAR, 0, 0), other
    cdef double merit
    cdef float cut
    if constant(run, node.n, apart):
        return False
    n_missing = count_missing_compact(run, node.n, column) if may_miss(&grower.view, j) else 0
    for side in range(1 + (n_missing > 0)):     # missing values on the right, then on the left
        if side == 1:
            put_missing_first(run, node.n, n_missing, presorted.small_other)
            run = presorted.small_other
        other = scan_units(run, node.n, apart, grower.task.n_outputs, at_least, found.merit, 0, False, &grower.units)
        if other.place > 0:
            found, at = other, run
            split_column = j | MISSING_RIGHT if n_missing > 0 and side == 0 else j
    merit = found.merit / UNIT
    if found.place == 0 or not merit > best.merit:
        return True
    cut = midpoint(column[at[found.place - 1] & ROW], column[at[found.place] & ROW])
    best[0] = Split(split_column, cut, merit)
    return True


cdef inline SortedCut scan(Grower* grower, const Described* node, const uint64_t* keys) noexcept nogil:
    cdef const Task* task = &grower.task
    cdef int64_t min_leaf = grower.limits.min_leaf
    cdef double* left = grower.growing.left
    if task.criterion == SQUARED_ERROR:
        return scan_pairs(keys, node.n, task.pairs, node.whole, node.total[0], min_leaf)
    if task.criterion != GINI and task.table != NULL:
        return scan_whole_entropy(keys, node.n, task, node.total, <int64_t*> left, node.whole, min_leaf)
    if task.criterion != GINI:
        return scan_entropy(keys, node.n, task, node.total, left, node.whole, min_leaf)
    if task.n_outputs == 2:
        return scan_pairs(keys, node.n, task.pairs, node.whole, node.total[1], min_leaf)
    return scan_gini(keys, node.n, task, node.total, left, node.whole, node.squares, min_leaf)


cdef inline bint split_at_random(Grower* grower, const Described* node, int32_t j, Split* best) noexcept nogil:
    cdef const uint32_t* rows = grower.growing.rows + node.first
    cdef float low, high, cut
    cdef double merit
    if may_miss(&grower.view, j):
        return split_some_at_random(grower, node, j, best)
    gather(grower.view.columns[j], rows, node.n, grower.sorter.values, &low, &high)
    if low == high:
        return False
    for _ in range(grower.search.n_cuts):
        cut = <float> (<double> low + (<double> high - <double> low) * draw_unit(&grower.state))
        if not (cut >= low and cut < high):
            cut = low
        merit = merit_of_cut(
            rows, grower.sorter.values, cut, node, &grower.task, grower.growing.left, grower.limits.min_leaf
        )
        if merit > best.merit:
            best[0] = Split(j, cut, merit)
    return True


cdef inline bint split_some_at_random(Grower* grower, const Described* node, int32_t j, Split* best) noexcept nogil:
    """Search column j as `split_at_random` does, for values that may be missing; each cut sends them to a random side.

    If all known values are equal, the only cut separates known values from missing values.
    """
    cdef float* values = grower.sorter.values
    cdef float low, high, cut, at
    cdef double merit
    cdef bint missing_left
    cdef int32_t split_column
    cdef Py_ssize_t i, n_known = gather_known(
        grower.view.columns[j], grower.growing.rows + node.first, node.n, &grower.sorter, &low, &high
    )
    if n_known == 0 or (low == high and n_known == node.n):
        return False
    for _ in range(grower.search.n_cuts if low < high else 1):
        cut, at, missing_left = low, INFINITY, False
        if low < high:
            cut = <float> (<double> low + (<double> high - <double> low) * draw_unit(&grower.state))
            if not (cut >= low and cut < high):
                cut = low
            at = cut
        split_column = j
        if n_known < node.n:
            missing_left = low < high and draw_bits(&grower.state) >> 63
            for i in range(n_known, node.n):
                values[i] = -INFINITY if missing_left else INFINITY
            if not missing_left:
                split_column = j | MISSING_RIGHT
        merit = merit_of_cut(
            grower.sorter.rows, values, cut, node, &grower.task, grower.growing.left, grower.limits.min_leaf
        )
        if merit > best.merit:
            best[0] = Split(split_column, at, merit)
    return True


cdef inline double merit_of_cut(
    const uint32_t* rows, const float* values, float cut, const Described* node, const Task* task, double* left,
    int64_t min_leaf,
) noexcept nogil:
    """Return the merit, as defined in `criteria.pxd`; -inf if the split is not allowed."""
    cdef const double* pairs = task.pairs
    cdef const int32_t* y = task.y
    cdef double inside, weight_left = 0.0, sum_left = 0.0, right
    cdef bint paired = task.criterion == SQUARED_ERROR or (task.criterion == GINI and task.n_outputs == 2)
    cdef Py_ssize_t i, c, row, n_left = 0
    if paired:
        for i in range(node.n):
            row = rows[i]
            inside = values[i] <= cut
            weight_left += pairs[2 * row] * inside
            sum_left += pairs[2 * row + 1] * inside
            n_left += values[i] <= cut
        left[0] = weight_left - sum_left
    else:
        for c in range(task.n_outputs):
            left[c] = 0.0
        for i in range(node.n):
            row = rows[i]
            inside = values[i] <= cut
            inside *= pairs[2 * row]
            left[y[row]] += inside
            weight_left += inside
            n_left += values[i] <= cut
    if n_left < min_leaf or node.n - n_left < min_leaf:
        return -INFINITY
    if node.whole - weight_left < 0.0:  # only by rounding
        return -INFINITY
    if task.criterion == SQUARED_ERROR:
        right = node.total[0] - sum_left
        return sum_left * sum_left / weight_left + right * right / (node.whole - weight_left)
    if paired:
        left[1] = sum_left
    return merit_of_sides(task, node.total, left, node.whole, weight_left)
