"""A view of one row that maps only the parts whose columns a tree reads.

On its way down a tree a row reads a dozen of hundreds of columns; mapping all columns would take most of the time.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from rotastack.trees.kernel.structures cimport COLUMN, Node, Parts
from rotastack.trees.kernel.views cimport map_part_of_row


cdef struct LazyView:
    const Parts* parts
    int32_t* part_of            # (n_columns,): the part of each column
    int32_t* begin              # (n_parts,): the first column of each part
    uint8_t* mapped             # (n_parts,)
    float* values               # (n_columns,): values of mapped parts


cdef inline void lay_out(LazyView* view) noexcept nogil:
    """Write the part of each column; no part is mapped yet."""
    cdef const Parts* parts = view.parts
    cdef int32_t* part_of = view.part_of
    cdef int32_t k, i, n, width = 0
    for k in range(<int32_t> parts.n_parts):
        n = <int32_t> parts.parts[4 * k + 3]
        view.begin[k] = width
        view.mapped[k] = False
        for i in range(n):
            part_of[width + i] = k
        width += n


cdef inline float value_of(LazyView* view, const float* row, int32_t column) noexcept nogil:
    cdef int32_t k = view.part_of[column], begin = view.begin[k]
    cdef const int64_t* part = view.parts.parts + 4 * k
    if part[2] < 0:
        return row[view.parts.columns[part[0] + column - begin]]
    if not view.mapped[k]:
        map_part_of_row(view.parts, part, row, view.values + begin)
        view.mapped[k] = True
    return view.values[column]


cdef inline uint32_t leaf_of(const Node* tree, LazyView* view, const float* row, bint missing) noexcept nogil:
    """Return the leaf of a row; `missing` is False if no value is missing (see `descending.pxd`)."""
    cdef uint32_t node = 0
    cdef int32_t column = tree[0].column
    cdef float value
    while column >= 0:
        value = value_of(view, row, column & COLUMN)
        node = <uint32_t> tree[node].child + (
            (value > tree[node].cut) | (missing & (value != value) & (column > COLUMN))
        )
        column = tree[node].column
    return node
