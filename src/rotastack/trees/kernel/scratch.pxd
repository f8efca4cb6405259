"""Scratch memory for growing trees, allocated once for all trees of a call: see `memory.pxd`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.sorting cimport STARTS
from rotastack.trees.kernel.structures cimport (
    C45, Candidates, Grower, Growing, Node, Parts, Presorted, Pruning, Sorter, View,
)
from rotastack.trees.kernel.views cimport MANY


cdef inline int take_view(list kept, View* view, Py_ssize_t width, Py_ssize_t n_stored) except -1:
    view.source = <int32_t*> take(kept, width, sizeof(int32_t))
    view.columns = <const float**> take(kept, width, sizeof(float*))
    view.stored = <float*> take(kept, n_stored * view.n_rows, sizeof(float))


cdef inline int take_parts(list kept, views, Parts* parts) except -1:
    """Let `parts` read a :class:`rotastack.trees.linear_views.ViewTables`; allocate memory to fill missing values."""
    cdef const int64_t[::1] starts = views.starts
    cdef const int64_t[:, ::1] every = views.parts
    cdef const int32_t[::1] columns = views.columns
    cdef const float[::1] matrices = views.matrices, fills = views.fills
    cdef Py_ssize_t most = 0, k
    kept.append(views)
    parts.starts = &starts[0]
    parts.every = &every[0, 0]
    parts.columns = &columns[0]
    parts.matrices = &matrices[0]
    parts.fills = NULL
    if len(fills) == 0:
        return 0
    for k in range(every.shape[0]):
        if every[k, 2] >= 0:
            most = max(most, every[k, 1])
    parts.fills = &fills[0]
    parts.inputs = <float*> take(kept, most * MANY, sizeof(float))
    parts.numbers = <int32_t*> take(kept, most, sizeof(int32_t))
    for k in range(most):
        parts.numbers[k] = <int32_t> k
    return 0


cdef inline int take_candidates(list kept, Candidates* candidates, Py_ssize_t width) except -1:
    candidates.order = <int32_t*> take(kept, width, sizeof(int32_t))
    candidates.gains = <double*> take(kept, width, sizeof(double))
    candidates.ratios = <double*> take(kept, width, sizeof(double))
    candidates.places = <int32_t*> take(kept, width, sizeof(int32_t))


cdef inline int take_sorter(list kept, Sorter* sorter, Py_ssize_t n) except -1:
    sorter.keys = <uint64_t*> take(kept, n + 8, sizeof(uint64_t))
    sorter.other = <uint64_t*> take(kept, n + 8, sizeof(uint64_t))
    sorter.values = <float*> take(kept, n, sizeof(float))
    sorter.rows = <uint32_t*> take(kept, n, sizeof(uint32_t))
    sorter.starts = <int32_t*> take(kept, STARTS, sizeof(int32_t))


cdef inline int take_presorted(
    list kept, Presorted* presorted, Py_ssize_t n, Py_ssize_t n_keys, Py_ssize_t n_ranked
) except -1:
    """Allocate memory for `n_keys` keys, of 64 bits or compact, and for `n_ranked` sorted values."""
    presorted.orders = <uint64_t*> take(kept, n_keys, sizeof(uint64_t))
    presorted.small = <uint32_t*> presorted.orders      # a tree uses one of the two
    presorted.apart = <uint16_t*> (presorted.small + n_keys)
    presorted.small_other = <uint32_t*> take(kept, n, sizeof(uint32_t))
    presorted.ranked = <float*> take(kept, n_ranked, sizeof(float)) if n_ranked > 0 else NULL
    return 0


cdef inline int take_growing(list kept, Growing* tree, Py_ssize_t n, Py_ssize_t n_outputs) except -1:
    cdef Py_ssize_t n_nodes = 2 * n + 1
    tree.rows = <uint32_t*> take(kept, n, sizeof(uint32_t))
    tree.nodes = <Node*> take(kept, n_nodes, sizeof(Node))
    tree.impurity = <double*> take(kept, n_nodes, sizeof(double))
    tree.weight = <double*> take(kept, n_nodes, sizeof(double))
    tree.first = <int32_t*> take(kept, n_nodes, sizeof(int32_t))
    tree.last = <int32_t*> take(kept, n_nodes, sizeof(int32_t))
    tree.depth = <int32_t*> take(kept, n_nodes, sizeof(int32_t))
    tree.errors = <double*> take(kept, n_nodes, sizeof(double))
    tree.open = <int32_t*> take(kept, n_nodes, sizeof(int32_t))
    tree.totals = <double*> take(kept, 2 * n_outputs, sizeof(double))
    tree.left = <double*> take(kept, 3 * n_outputs, sizeof(double))
    tree.spare = <uint32_t*> take(kept, n, sizeof(uint32_t))
    tree.found = <uint32_t*> take(kept, n, sizeof(uint32_t))
    tree.side = <uint8_t*> take(kept, n, sizeof(uint8_t))


cdef inline int take_pruning(list kept, Pruning* pruning, Py_ssize_t n) except -1:
    cdef Py_ssize_t n_nodes = 2 * n + 1
    pruning.estimates = <double*> take(kept, n_nodes, sizeof(double))
    pruning.begin = <int32_t*> take(kept, n_nodes, sizeof(int32_t))
    pruning.end = <int32_t*> take(kept, n_nodes, sizeof(int32_t))
    pruning.waiting = <uint8_t*> take(kept, n_nodes, sizeof(uint8_t))
