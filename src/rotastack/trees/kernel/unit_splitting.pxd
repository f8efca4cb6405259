"""Find the split of largest information gain in a node whose rows have weight 1."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint16_t, uint32_t

from rotastack.trees.kernel.compact cimport constant
from rotastack.trees.kernel.criteria cimport split_information
from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.missing cimport count_missing_compact, put_missing_first_compact
from rotastack.trees.kernel.randomness cimport draw_below
from rotastack.trees.kernel.splitting cimport best_ratio, midpoint
from rotastack.trees.kernel.structures cimport (
    GAIN_RATIO, MISSING_RIGHT, Candidates, Described, Grower, Presorted, Split, column_of, may_miss,
)
from rotastack.trees.kernel.unit_entropy cimport (
    NO_BAR, ROW, UNIT, UnitCut, fill_tables, least_rows, scan_units,
)


cdef inline int find_unit_split(
    Grower* grower, const Described* node, double min_weight, Split* split
) except -1 nogil:
    """Write the split that `find_split` would write, computed from the keys of `compact.pxd`."""
    cdef const Presorted* presorted = &grower.presorted
    cdef Candidates* candidates = &grower.candidates
    cdef bint goes_on = not grower.limits.constant_leaf
    cdef bint by_ratio = grower.task.criterion == GAIN_RATIO
    cdef Py_ssize_t at_least = max(grower.limits.min_leaf, least_rows(min_weight))
    cdef Py_ssize_t n = node.n, n_columns = grower.view.n_columns, n_seen = 0, n_useful = 0, k
    cdef Py_ssize_t n_missing
    cdef int32_t* order = candidates.order
    cdef int32_t j, split_column
    cdef const uint32_t* run
    cdef const uint32_t* at
    cdef int side
    cdef const uint16_t* apart
    cdef const float* column
    cdef UnitCut found, other
    cdef double merit
    cdef float cut
    cdef Split best = Split(-1, 0, -INFINITY)       # until the end, its gain is the merit
    fill_tables(node.total, grower.task.n_outputs, n, &grower.units)
    while n_seen < n_columns and (n_seen < grower.search.max_features or (goes_on and n_useful == 0)):
        k = n_seen + draw_below(&grower.state, n_columns - n_seen) if n_columns > 1 else 0
        j = order[k]
        order[k] = order[n_seen]
        order[n_seen] = j
        n_seen += 1
        run = presorted.small + j * presorted.n_bag + node.first
        apart = presorted.apart + j * presorted.n_bag
        if constant(run, n, apart):
            continue
        n_useful += 1
        pass_by(&grower.watch, n)
        column = column_of(&grower.view, j)
        n_missing = count_missing_compact(run, n, column) if may_miss(&grower.view, j) else 0
        found = UnitCut(NO_BAR, 0, 0)
        split_column, at = j, run
        for side in range(1 + (n_missing > 0)):     # missing values on the right, then on the left
            if side == 1:
                put_missing_first_compact(run, n, n_missing, presorted.small_other)
                run = presorted.small_other
            other = scan_units(run, n, apart, grower.task.n_outputs, at_least, found.merit, 0, False, &grower.units)
            if other.place > 0:
                found, at = other, run
                split_column = j | MISSING_RIGHT if n_missing > 0 and side == 0 else j
        merit = found.merit / UNIT
        if found.place == 0 or not (by_ratio or merit > best.gain):
            continue
        cut = midpoint(column[at[found.place - 1] & ROW], column[at[found.place] & ROW])
        if by_ratio:
            merit = max(merit - node.base, 0.0)
            candidates.gains[n_seen - 1] = merit
            candidates.ratios[n_seen - 1] = merit / split_information(n, found.place, grower.task.table)
            candidates.cuts[n_seen - 1] = cut
            order[n_seen - 1] = -1 - split_column   # marks a candidate
        else:
            best = Split(split_column, cut, merit)
    if by_ratio:
        best = best_ratio(candidates, n_seen)
    else:
        best.gain -= node.base
    split[0] = best
    return 0
