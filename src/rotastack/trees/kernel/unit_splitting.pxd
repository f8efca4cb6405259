"""Find the split of largest gain of information in a node whose rows weigh the same."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from rotastack.trees.kernel.compact cimport constant
from rotastack.trees.kernel.criteria cimport split_information
from rotastack.trees.kernel.randomness cimport draw_below
from rotastack.trees.kernel.splitting cimport best_ratio, midpoint
from rotastack.trees.kernel.structures cimport (
    GAIN_RATIO, Candidates, Limits, Presorted, Search, Split, Task, Units, View, column_of,
)
from rotastack.trees.kernel.unit_entropy cimport NO_BAR, ROW, UNIT, UnitCut, fill_tables, least_rows, scan_units


cdef inline Split find_unit_split(
    const View* view, const Presorted* sorted, Py_ssize_t first, Py_ssize_t n,
    const Task* task, const double* total, double base,
    const Search* search, const Limits* limits, double min_weight,
    uint64_t* state, const Candidates* candidates, const Units* units,
) noexcept nogil:
    """Return the split, of column -1 if nothing splits; its gain is the decrease of impurity times weight.

    Equal to `find_split` of `splitting.pxd` for rows that all weigh 1, from the keys of `compact.pxd`.
    """
    cdef int64_t of_classes = fill_tables(total, n, units)
    cdef Py_ssize_t at_least = max(limits.min_leaf, least_rows(min_weight))
    cdef Py_ssize_t n_columns = view.n_columns, n_seen = 0, n_useful = 0, j, k
    cdef int32_t* order = candidates.order
    cdef const uint32_t* run
    cdef const uint16_t* apart
    cdef const float* column
    cdef UnitCut found
    cdef double merit
    cdef float cut
    cdef Split best
    best.column, best.cut, best.gain = -1, 0.0, -INFINITY
    while n_seen < n_columns and (n_seen < search.max_features or n_useful == 0):
        k = n_seen + draw_below(state, n_columns - n_seen) if n_columns > 1 else 0
        j = order[k]
        order[k] = order[n_seen]
        order[n_seen] = <int32_t> j
        n_seen += 1
        run = sorted.small + j * sorted.n_bag + first
        apart = sorted.apart + j * sorted.n_bag
        if constant(run, n, apart):
            continue
        n_useful += 1
        found = scan_units(run, n, apart, of_classes, at_least, NO_BAR, 0, units)
        merit = <double> found.merit / UNIT
        if found.place == 0 or (task.criterion != GAIN_RATIO and not merit > best.gain):
            continue
        column = column_of(view, j)
        cut = midpoint(column[run[found.place - 1] & ROW], column[run[found.place] & ROW])
        if task.criterion == GAIN_RATIO:
            merit = max(merit - base, 0.0)
            candidates.gains[n_seen - 1] = merit
            candidates.ratios[n_seen - 1] = merit / split_information(<double> n, <double> found.place, task.table)
            candidates.cuts[n_seen - 1] = cut
            order[n_seen - 1] = <int32_t> (-1 - j)  # marks a candidate
        else:
            best.column, best.cut, best.gain = <int32_t> j, cut, merit
    if task.criterion == GAIN_RATIO:
        return best_ratio(candidates, n_seen)
    best.gain -= base
    return best
