"""Sort every column of a tree's bag once, for trees whose nodes search more than half of the columns."""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from rotastack.trees.kernel.compact cimport write_compact
from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.missing cimport sort_column
from rotastack.trees.kernel.sorting cimport row_of
from rotastack.trees.kernel.structures cimport Presorted, Sorter, View, Watch


cdef inline int presort(
    const View* view, const uint32_t* rows, Py_ssize_t n, double gap, const Sorter* sorter, Presorted* presorted,
    Watch* watch,
) except -1 nogil:
    """Write the sorted keys of every column, and its sorted values if `ranked` is not NULL.

    In compact keys, values that differ by at most `gap` count as equal.
    """
    cdef Py_ssize_t i, j
    for j in range(view.n_columns):
        pass_by(watch, n)
        sort_column(view, j, rows, n, sorter)
        if presorted.compact:
            write_compact(sorter, n, gap, presorted, j)
            continue
        memcpy(presorted.orders + j * n, sorter.keys, n * sizeof(sorter.keys[0]))
        if presorted.ranked != NULL:
            for i in range(n):
                presorted.ranked[j * n + i] = view.columns[j][row_of(sorter.keys[i])]
    return 0
