"""Predictions of grown trees."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from rotastack.trees.kernel.descending cimport add_output, send_down
from rotastack.trees.kernel.interrupts cimport pass_by, start_watch
from rotastack.trees.kernel.lazy cimport LazyView, lay_out, leaf_of
from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.scratch cimport take_parts, take_view
from rotastack.trees.kernel.structures cimport Node, Parts, View, Watch
from rotastack.trees.kernel.views cimport choose_view, locate, project

cdef enum:
    # Rows are processed in tiles of about this many values, which stay in a core's cache. If this were a power of two,
    # columns could lie a power of two apart and evict each other from the cache.
    TILE_VALUES = 31 << 10
    DEPTH = 16                  # approximate number of values that a row reads on its way down
    FEW = 4                     # up to this number, rows are processed one by one

cdef extern from *:
    """
    #define HUGE_VALUE 1e30f
    """
    const float HUGE "HUGE_VALUE"


def read_trees(
    const float[:, ::1] X, Py_ssize_t first, Py_ssize_t last, const Node[::1] nodes,
    const int64_t[::1] tree_start, const int64_t[::1] tree_view, const int64_t[::1] tree_group, views,
    const double[:, ::1] values, double[:, :, ::1] sums, int32_t[:, ::1] leaves, const uint8_t[::1] stop=None,
):
    """Add the outputs of trees, or write the leaves, for rows ``first`` to ``last - 1`` of `X`.

    `X` is float32 (n_rows, n_columns). The outputs of the trees of each group are added to `sums`, float64 (n_groups,
    n_rows, n_outputs); the leaves of the rows are written to `leaves`, int32 (n_rows, n_trees). An array of length 0
    is not written. `views` are :class:`rotastack.trees.linear_views.ViewTables`. KeyboardInterrupt is raised on Ctrl-C,
    or soon after another thread has set the entry of `stop` to 1.
    """
    cdef Py_ssize_t max_width = views.max_width
    cdef list kept = []
    cdef View view
    cdef LazyView lazy
    cdef Parts parts
    cdef Watch watch
    cdef const Node* tree
    cdef Py_ssize_t n_columns = X.shape[1], n_outputs = values.shape[1], n_trees = len(tree_view)
    cdef Py_ssize_t height = max(32, min(TILE_VALUES // max(n_columns, 1), last - first))
    cdef Py_ssize_t begin, n, i, k, t, most_parts = 0
    cdef int64_t seen
    cdef bint missing
    cdef float* tile = <float*> take(kept, n_columns * height, sizeof(float))
    cdef uint32_t* rows = <uint32_t*> take(kept, height, sizeof(uint32_t))
    cdef uint32_t* active = <uint32_t*> take(kept, height, sizeof(uint32_t))
    cdef uint32_t* found = <uint32_t*> take(kept, height, sizeof(uint32_t))
    start_watch(&watch, stop)
    take_parts(kept, views, &parts)
    if last - first <= FEW:
        lazy.parts = &parts
        for k in range(len(views.starts) - 1):
            most_parts = max(most_parts, parts.starts[k + 1] - parts.starts[k])
        lazy.part_of = <int32_t*> take(kept, max_width, sizeof(int32_t))
        lazy.begin = <int32_t*> take(kept, most_parts, sizeof(int32_t))
        lazy.mapped = <uint8_t*> take(kept, most_parts, sizeof(uint8_t))
        lazy.values = <float*> take(kept, max_width, sizeof(float))
        with nogil:
            for k in range(first, last):
                missing = may_be_missing(&X[k, 0], n_columns)
                seen = -1
                for t in range(n_trees):
                    pass_by(&watch, DEPTH)
                    if tree_view[t] != seen:
                        seen = tree_view[t]
                        choose_view(&parts, seen)
                        lay_out(&lazy)
                    tree = &nodes[tree_start[t]]
                    i = leaf_of(tree, &lazy, &X[k, 0], missing)
                    if sums.shape[0] > 0:
                        add_output(tree[i].child, &values[0, 0], n_outputs, &sums[tree_group[t], k, 0])
                    if leaves.shape[0] > 0:
                        leaves[k, t] = <int32_t> i
        return
    view.data = tile
    view.missing = NULL
    view.n_rows = height
    take_view(kept, &view, max_width, max_width)
    for i in range(height):
        rows[i] = <uint32_t> i
    with nogil:
        for k in range((last - first + height - 1) // height):
            begin = first + k * height
            n = min(height, last - begin)
            missing = may_be_missing(&X[begin, 0], n * n_columns)
            turn(&X[begin, 0], n, n_columns, tile, height)
            seen = -1
            for t in range(n_trees):
                pass_by(&watch, DEPTH * n)
                if tree_view[t] != seen:
                    seen = tree_view[t]
                    choose_view(&parts, seen)
                    locate(&parts, &view)
                    project(&parts, tile, height, n, view.stored, height)
                tree = &nodes[tree_start[t]]
                send_down(tree, view.columns, rows, n, missing, active, found)
                if sums.shape[0] > 0:
                    for i in range(n):
                        add_output(
                            tree[found[i]].child, &values[0, 0], n_outputs, &sums[tree_group[t], begin + i, 0]
                        )
                if leaves.shape[0] > 0:
                    for i in range(n):
                        leaves[begin + i, t] = <int32_t> found[i]


cdef inline bint may_be_missing(const float* values, Py_ssize_t n) noexcept nogil:
    """Return whether a value is missing, or is so large that sums of values may overflow to NaN."""
    cdef Py_ssize_t i
    cdef int found = 0
    for i in range(n):
        found |= not (-HUGE < values[i] < HUGE)
    return found


cdef inline void turn(
    const float* rows, Py_ssize_t n, Py_ssize_t n_columns, float* tile, Py_ssize_t height
) noexcept nogil:
    """Write the transpose of rows to a tile, column by column."""
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(n_columns):
            tile[j * height + i] = rows[i * n_columns + j]


# Wrappers for tests.


def _locate(const int64_t[:, ::1] parts, const int32_t[::1] columns, int32_t[::1] source):
    """Write the sources of a view's columns; return the number of columns and the number of mapped columns."""
    cdef Parts here = Parts(&parts[0, 0], parts.shape[0], &columns[0], NULL, NULL, NULL, NULL)
    cdef list kept = []
    cdef View view = View(NULL, NULL, NULL, &source[0], <const float**> take(kept, len(source), sizeof(float*)), 0, 0)
    cdef Py_ssize_t n_stored = locate(&here, &view)
    return view.n_columns, n_stored


def _project(
    const int64_t[:, ::1] parts, const int32_t[::1] columns, const float[::1] matrices,
    const float[:, :] data, Py_ssize_t n, float[:, :] stored,
):
    """Write the mapped columns of n rows; data and mapped columns have the axes (column, row) and any strides."""
    cdef Parts view = Parts(&parts[0, 0], parts.shape[0], &columns[0], &matrices[0], NULL, NULL, NULL)
    cdef Py_ssize_t size = sizeof(float)
    project(&view, &data[0, 0], data.strides[0] // size, n, &stored[0, 0], stored.strides[0] // size)
