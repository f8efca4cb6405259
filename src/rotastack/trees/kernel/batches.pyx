"""Grow batches of trees; the trees of a batch share data, view and options."""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np
from scipy.special import ndtri

from rotastack.trees.kernel.bagging cimport Bagging, BagSize, fill_bag, tell_apart
from rotastack.trees.kernel.c45 cimport APART
from rotastack.trees.kernel.compact cimport MOST_ROWS
from rotastack.trees.kernel.elementary cimport cos_turns, exp2, log2
from rotastack.trees.kernel.error_pruning cimport collapse, expected_errors, prune_by_errors
from rotastack.trees.kernel.growing cimport grow_tree
from rotastack.trees.kernel.interrupts cimport pass_by, start_watch
from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.out_of_bag cimport add_held_out, add_out_of_bag, error_of, mean_held_out
from rotastack.trees.kernel.presorting cimport presort
from rotastack.trees.kernel.pruning cimport prune
from rotastack.trees.kernel.scratch cimport (
    take_candidates, take_growing, take_parts, take_presorted, take_pruning, take_sorter, take_view,
)
from rotastack.trees.kernel.sorting cimport gather, row_of, sort_rows
from rotastack.trees.kernel.structures cimport (
    BEST, C45, ENTROPY, GINI, MISSING_RIGHT as MISSING_RIGHT_BIT, RANDOM, SQUARED_ERROR,
    Batch, Criterion, Grower, Growing, Parts, Presorted, Sorter, View,
)
from rotastack.trees.kernel.unit_entropy cimport take_units
from rotastack.trees.kernel.views cimport choose_view, count_mapped, map_view
from rotastack.trees.kernel.writing cimport Written, count_values, make_room, write_tree

CRITERIA = {"gini": GINI, "entropy": ENTROPY, "squared_error": SQUARED_ERROR, "c45": C45}
SPLITTERS = {"best": BEST, "random": RANDOM}

NODE = np.dtype([("column", np.int32), ("cut", np.float32), ("child", np.int32)])
"""A node of a tree; `structures.pxd` describes the fields."""

MISSING_RIGHT = MISSING_RIGHT_BIT
"""The bit of a node's `column` that sends missing values right."""

BATCH = np.dtype([
    (name, np.int64)
    for name in ("data_set", "mask", "view", "first_tree", "n_trees", "splitter", "max_features", "n_cuts")
])
"""A batch of trees. `data_set`, `mask` and `view` are places in ``table.data``, ``table.weights`` and ``views.starts``.

Its trees are the `n_trees` of ``bags.seeds`` from `first_tree` on. The other fields are the rule for splits.
"""

cdef enum:
    PRESORT_SHARE = 2           # columns are presorted if nodes search more than 1 in PRESORT_SHARE of them ...
    PRESORT_KEYS = 1 << 25      # ... and there are at most this many keys


def grow_batches(
    table, batches, bags, views, options, *, bint keep, bint want_oob, bint oob_per_batch, held=None,
    const uint8_t[::1] stop=None,
):
    """Grow the trees of `batches`, one after the other, by :class:`rotastack.trees.growing.TreeOptions`.

    :class:`rotastack.trees.chunks.GrowthTask` describes the other arguments. `held`, float32 (n_batches, n_rows,
    n_outputs), receives the mean output of each batch's trees for the rows of weight 0. KeyboardInterrupt is raised on
    Ctrl-C, or soon after another thread has set the entry of `stop`, uint8 (1,), to 1.

    Returns the arrays of :class:`rotastack.trees.nodes.TreeArrays`, the sums and counts of out-of-bag outputs, and the
    out-of-bag errors of batches and of trees. A fourth column of `sizes` holds the number of out-of-bag rows of each
    tree. Errors are weighted error rates or weighted mean squared errors, NaN without out-of-bag rows.
    """
    cdef const float[:, :, ::1] data = table.data
    cdef const uint8_t[::1] missing = table.missing
    cdef const uint32_t[::1] ones = table.ones
    cdef const int64_t[::1] first_one = table.first_one
    cdef const double[:, ::1] base_weight = table.weights
    cdef const int32_t[::1] y = table.classes
    cdef const double[::1] target = table.targets
    cdef const double[::1] logs = table.log_table
    cdef Py_ssize_t n_outputs = table.n_outputs
    cdef const int64_t[:, ::1] numbers = batches.view(np.int64).reshape(-1, len(BATCH))
    cdef const uint64_t[::1] seeds = bags.seeds
    cdef const double[::1] ends = bags.ends
    cdef const int32_t[:, ::1] counts = bags.counts
    cdef Py_ssize_t max_width = views.max_width
    cdef bint want_held = held is not None
    cdef float[:, :, ::1] held_outputs = held if want_held else np.empty((0, 0, 0), np.float32)
    cdef list kept = []
    cdef Grower grower
    cdef Bagging bagging
    cdef Parts parts
    cdef list arrays = [np.empty(0, NODE), np.empty(0), np.empty(0), np.empty(0, np.int32), np.empty((0, n_outputs))]
    cdef Written written
    cdef int64_t* tree_size
    cdef const Batch* batch = <const Batch*> &numbers[0, 0]
    cdef Py_ssize_t n = data.shape[2], n_trees = 0, n_nodes, n_values, begin, l, t, k
    cdef int64_t mask = -1, view = -1, data_set = -1
    for l in range(numbers.shape[0]):
        n_trees += batch[l].n_trees
    sizes, losses, errors = np.zeros((n_trees, 4), np.int64), np.zeros(n_trees), np.full(numbers.shape[0], np.nan)
    sums, seen = np.zeros((n if want_oob else 0, n_outputs)), np.zeros(n if want_oob else 0, np.int32)
    cdef int64_t[:, ::1] tree_sizes = sizes
    cdef double[::1] tree_loss = losses, batch_error = errors
    cdef double[:, ::1] oob_sums = sums
    cdef int32_t[::1] oob_seen = seen
    cdef double* held_sums = <double*> take(kept, n * n_outputs if want_held else 0, sizeof(double))
    cdef uint32_t* active = <uint32_t*> take(kept, n, sizeof(uint32_t))

    grower.task.criterion = <Criterion> <int> CRITERIA[options.criterion]
    grower.task.n_outputs = n_outputs
    grower.task.y = &y[0]
    grower.task.target = &target[0]
    grower.task.table = &logs[0] if len(logs) else NULL
    grower.task.pairs = <double*> take(kept, 2 * n, sizeof(double))
    grower.limits.max_depth = INT32_MAX if options.max_depth is None else options.max_depth
    grower.limits.min_split = options.min_samples_split
    grower.limits.min_leaf = options.min_samples_leaf
    grower.limits.ccp_alpha = options.ccp_alpha
    grower.limits.confidence = options.confidence or 0.0
    grower.limits.quantile = ndtri(1 - grower.limits.confidence)
    grower.limits.raising = options.subtree_raising
    grower.limits.constant_leaf = options.constant_leaf
    grower.ones.ones = &ones[0] if len(ones) else NULL
    grower.ones.first_one = &first_one[0]
    start_watch(&grower.watch, stop)
    bagging.bootstrap = bags.bootstrap
    bagging.ends = &ends[0]
    bagging.n_ends = len(ends)
    bagging.size = bags.size
    bagging.given = &counts[0, 0] if len(counts) else NULL
    written.n_nodes = written.n_values = written.room = written.values_room = 0
    take_parts(kept, views, &parts)
    grower.view.n_rows = n
    grower.view.missing = <uint8_t*> take(kept, max_width, sizeof(uint8_t)) if len(missing) else NULL
    take_all(kept, &grower, &bagging, &parts, max_width, batch, numbers.shape[0], len(logs) > n)

    with nogil:
        for l in range(numbers.shape[0]):
            if batch[l].mask != mask:
                mask = batch[l].mask
                tell_apart(&bagging, &base_weight[mask, 0], n)
            if batch[l].view != view or batch[l].data_set != data_set:
                view, data_set = batch[l].view, batch[l].data_set
                grower.view.data = &data[data_set, 0, 0]
                choose_view(&parts, view)
                map_view(&parts, &grower.view, &grower.watch)
                if grower.view.missing != NULL:
                    mark_missing(&grower.view, &missing[0])
            grower.search = batch[l]
            if want_oob and oob_per_batch:
                memset(&oob_sums[0, 0], 0, n * n_outputs * sizeof(double))
                memset(&oob_seen[0], 0, n * sizeof(int32_t))
            if want_held:
                memset(held_sums, 0, n * n_outputs * sizeof(double))

            for t in range(batch[l].first_tree, batch[l].first_tree + batch[l].n_trees):
                grower.state = seeds[t]
                n_nodes = grow(&grower, &bagging, t)
                n_values = count_values(&grower.growing, n_nodes, &grower.task)
                if not keep:
                    written.n_nodes = written.n_values = 0
                if written.n_nodes + n_nodes > written.room or written.n_values + n_values > written.values_room:
                    with gil:   # for as many nodes and values again as are written
                        make_room(arrays, &written, 2 * written.n_nodes + n_nodes, 2 * written.n_values + n_values)
                begin = written.n_nodes
                k = t - batch[0].first_tree
                tree_size = &tree_sizes[k, 0]
                write_tree(&grower.growing, &grower.task, &written, tree_size)
                if want_oob:
                    tree_size[3] = add_out_of_bag(
                        written.nodes + begin, written.values, &grower.view, &grower.task, &bagging,
                        &grower.growing, active, &oob_sums[0, 0], &oob_seen[0], &tree_loss[k],
                    )
                if want_held:
                    add_held_out(
                        written.nodes + begin, written.values, &grower.view, n_outputs, &bagging,
                        &grower.growing, active, held_sums,
                    )

            if want_oob and oob_per_batch:
                batch_error[l] = error_of(&oob_sums[0, 0], &oob_seen[0], n, &grower.task, bagging.weight)
            if want_held:
                mean_held_out(&bagging, held_sums, n_outputs, batch[l].n_trees, &held_outputs[l, 0, 0])
    if not keep:
        written.n_nodes = written.n_values = 0
    make_room(arrays, &written, written.n_nodes, written.n_values)
    return (*arrays, sizes), sums, seen, errors, losses


cdef int take_all(
    list kept, Grower* grower, Bagging* bagging, Parts* parts, Py_ssize_t max_width, const Batch* batch,
    Py_ssize_t n_batches, bint whole_weights,
) except -1:
    """Allocate the memory of a call, enough for its widest view and for the largest number of presorted keys."""
    cdef Py_ssize_t n = grower.view.n_rows, n_outputs = grower.task.n_outputs
    cdef Py_ssize_t l, k, width, most_stored = 1, most_keys = 0
    cdef bint few_rows = whole_weights and n <= MOST_ROWS and n_outputs <= 256
    for l in range(n_batches):
        choose_view(parts, batch[l].view)
        width = 0
        for k in range(parts.n_parts):
            width += parts.parts[4 * k + 3]
        most_stored = max(most_stored, count_mapped(parts))
        if grower.task.criterion == C45:
            most_keys = max(most_keys, width * n)
        elif batch[l].splitter == BEST and batch[l].max_features * PRESORT_SHARE > width:
            most_keys = max(most_keys, min(width * n, PRESORT_KEYS))
    take_view(kept, &grower.view, max_width, most_stored)
    take_candidates(kept, &grower.candidates, max_width)
    take_sorter(kept, &grower.sorter, n)
    take_growing(kept, &grower.growing, n, n_outputs)
    take_presorted(
        kept, &grower.presorted, n, most_keys, most_keys if grower.task.criterion == C45 else 0
    )
    grower.presorted.may_be_compact = few_rows
    if few_rows:
        take_units(kept, grower.task.y, n, n_outputs, grower.task.table, &grower.units)
    if grower.task.criterion == C45:
        take_pruning(kept, &grower.pruning, n)
    grower.ones.stands = <int32_t*> take(kept, n if grower.ones.ones != NULL else 0, sizeof(int32_t))
    bagging.part = <uint32_t*> take(kept, n, sizeof(uint32_t))
    bagging.held = <uint32_t*> take(kept, n, sizeof(uint32_t))
    bagging.counts = <int32_t*> take(kept, n, sizeof(int32_t))
    return 0


cdef void mark_missing(View* view, const uint8_t* missing) noexcept nogil:
    """Mark the columns of a view with missing values: copied columns that miss values, and mapped columns with NaN."""
    cdef const float* column
    cdef Py_ssize_t j, i
    for j in range(view.n_columns):
        if view.source[j] >= 0:
            view.missing[j] = missing[view.source[j]]
            continue
        view.missing[j] = False
        column = view.columns[j]
        for i in range(view.n_rows):
            view.missing[j] |= column[i] != column[i]


cdef Py_ssize_t grow(Grower* grower, const Bagging* bagging, Py_ssize_t number) except -1 nogil:
    """Grow tree `number` from the random state of `grower`; return the number of nodes."""
    cdef Presorted* presorted = &grower.presorted
    cdef Growing* tree = &grower.growing
    cdef bint c45 = grower.task.criterion == C45
    cdef BagSize bag = fill_bag(
        bagging, grower.view.n_rows, number, &grower.state, grower.task.target, grower.task.pairs, tree.rows
    )
    cdef Py_ssize_t n_nodes, n_keys = grower.view.n_columns * bag.n_rows
    presorted.used = c45 or (
        grower.search.splitter == BEST
        and grower.search.max_features * PRESORT_SHARE > grower.view.n_columns
        and n_keys <= PRESORT_KEYS
    )
    presorted.compact = presorted.used and presorted.may_be_compact and bag.n_ones == bag.n_rows
    presorted.n_bag = bag.n_rows
    pass_by(&grower.watch, n_keys if presorted.compact else bag.n_rows)
    if presorted.used:
        presort(&grower.view, tree.rows, bag.n_rows, APART if c45 else 0.0, &grower.sorter, presorted, &grower.watch)
    n_nodes = grow_tree(grower, bag.n_rows)
    if c45:
        collapse(tree, n_nodes, grower.pruning.estimates)
        if grower.limits.confidence > 0.0:
            prune_by_errors(grower, n_nodes)
    if grower.limits.ccp_alpha > 0.0:
        prune(tree, n_nodes, grower.limits.ccp_alpha)
    return n_nodes


def times_log2(Py_ssize_t n):
    """Return x log2 x for x = 0 to n - 1."""
    table = np.zeros(n)
    cdef double[::1] found = table
    cdef Py_ssize_t x
    for x in range(1, n):
        found[x] = x * log2(x)
    return table


# Wrappers for tests.


def _log2(double x):
    return log2(x)


def _exp2(double x):
    return exp2(x)


def _cos_turns(double turns):
    return cos_turns(turns)


def _expected_errors(double weight, double wrong, double confidence, double quantile):
    return expected_errors(weight, wrong, confidence, quantile)


def _sort_rows(const float[::1] column, const uint32_t[::1] rows):
    """Return the rows in the order of their values in a column."""
    cdef list kept = []
    cdef Sorter sorter
    cdef Py_ssize_t i, n = len(rows)
    cdef float low, high
    take_sorter(kept, &sorter, n)
    gather(&column[0], &rows[0], n, sorter.values, &low, &high)
    sort_rows(&rows[0], n, low, high, &sorter)
    return [row_of(sorter.keys[i]) for i in range(n)]
