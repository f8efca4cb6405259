"""Computation of linear views from their parts: see `Parts` in `structures.pxd`.

An output is a sum over the inputs, which starts at 0 and runs in order, with each product and each sum rounded. So the
outputs of a row depend neither on the other rows nor on the width of vectors.
"""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.structures cimport Parts, View, Watch
from rotastack.trees.kernel.wide cimport has_widest, inlined_void, wide_void

cdef enum:
    MANY = 64       # rows mapped together: four outputs of MANY rows fill half of the widest registers,
    SOME = 16       # and four outputs of SOME rows fill half of the registers of 32 bytes
    OUTPUTS = 64    # outputs of one row mapped together
    ROWS_MAPPED = 1 << 14   # rows mapped between two checks for Ctrl-C


# One part at work: it maps rows of `data` to outputs `z`; the strides are the distances of columns.
cdef struct Block:
    const float* data
    Py_ssize_t data_stride
    const int32_t* columns      # (n_in,)
    const float* matrix         # (n_in, n_out)
    Py_ssize_t n_in
    Py_ssize_t n_out
    float* z
    Py_ssize_t z_stride


cdef inline void choose_view(Parts* parts, Py_ssize_t view) noexcept nogil:
    parts.parts = parts.every + 4 * parts.starts[view]
    parts.n_parts = parts.starts[view + 1] - parts.starts[view]


cdef inline Py_ssize_t count_mapped(const Parts* view) noexcept nogil:
    """Return the number of mapped columns."""
    cdef Py_ssize_t k, mapped = 0
    for k in range(view.n_parts):
        if view.parts[4 * k + 2] >= 0:
            mapped += view.parts[4 * k + 3]
    return mapped


cdef inline int map_view(const Parts* parts, View* view, Watch* watch) except -1 nogil:
    """Set the columns of `view` to those of a linear view of its data, and map them."""
    cdef Py_ssize_t n, n_stored = locate(parts, view), begin = 0
    while begin < view.n_rows and n_stored > 0:
        n = min(view.n_rows - begin, ROWS_MAPPED)
        pass_by(watch, n * n_stored)
        project(parts, view.data + begin, view.n_rows, n, view.stored + begin, view.n_rows)
        begin += n
    return 0


cdef inline Py_ssize_t locate(const Parts* parts, View* view) noexcept nogil:
    """Write the source and the address of each column of a view; return the number of mapped columns.

    The source is the number of a data column, or -1 - k for the k-th mapped column.
    """
    cdef const int64_t* part
    cdef Py_ssize_t k, i, source, width = 0, mapped = 0
    for k in range(parts.n_parts):
        part = parts.parts + 4 * k
        for i in range(part[3]):
            if part[2] < 0:
                source = parts.columns[part[0] + i]
                view.columns[width] = view.data + source * view.n_rows
            else:
                source = -1 - mapped
                view.columns[width] = view.stored + mapped * view.n_rows
                mapped += 1
            view.source[width] = <int32_t> source
            width += 1
    view.n_columns = width
    return mapped


cdef inline void project(
    const Parts* view, const float* data, Py_ssize_t data_stride, Py_ssize_t n,
    float* stored, Py_ssize_t stored_stride,
) noexcept nogil:
    """Write the mapped columns of rows 0 to n - 1.

    Column c of the data starts at ``data + c * data_stride``, the k-th mapped column at
    ``stored + k * stored_stride``. With fills, the fills replace missing values; without fills, outputs computed from
    missing values are missing.
    """
    cdef Py_ssize_t begin = 0, step, k
    cdef const int64_t* part
    cdef Block block
    block.z_stride = stored_stride
    while begin < n:
        step = MANY if has_widest and n - begin >= MANY else SOME if n >= SOME else 1
        begin = min(begin, n - step)    # some rows may be mapped twice at the end
        block.z = stored + begin
        for k in range(view.n_parts):
            part = view.parts + 4 * k
            if part[2] < 0:
                continue
            block.columns = view.columns + part[0]
            block.n_in = part[1]
            block.data = data + begin
            block.data_stride = data_stride
            if view.fills != NULL:
                fill_inputs(view, part[0], &block, step)
            block.matrix = view.matrices + part[2]
            block.n_out = part[3]
            if step == MANY:
                map_many(&block)
            elif step == SOME:
                map_some(&block)
            else:
                map_row(&block)
            block.z += block.n_out * stored_stride
        begin += step


cdef inline void map_part_of_row(const Parts* view, const int64_t* part, const float* row, float* z) noexcept nogil:
    """Write the outputs of one mapped part for one row of contiguous values."""
    cdef Parts one = view[0]
    one.parts = part
    one.n_parts = 1
    project(&one, row, 1, 1, z, 1)


cdef inline void fill_inputs(const Parts* view, Py_ssize_t first, Block* block, Py_ssize_t n_rows) noexcept nogil:
    """Copy the columns of a block with filled missing values, and let the block read the copy."""
    cdef const float* x
    cdef float* filled = view.inputs
    cdef float fill
    cdef Py_ssize_t c, i
    for c in range(block.n_in):
        x = block.data + block.columns[c] * block.data_stride
        fill = view.fills[first + c]
        for i in range(n_rows):
            filled[i] = x[i] if x[i] == x[i] else fill
        filled += n_rows
    block.data = view.inputs
    block.data_stride = n_rows
    block.columns = view.numbers


cdef inline wide_void map_many(const Block* block) noexcept nogil:
    """Map `MANY` rows."""
    cdef float sums[4 * MANY]
    map_rows(block, MANY, sums)


cdef inline wide_void map_some(const Block* block) noexcept nogil:
    """Map `SOME` rows."""
    cdef float sums[4 * SOME]
    map_rows(block, SOME, sums)


cdef inline inlined_void map_rows(const Block* block, Py_ssize_t n_rows, float* sums) noexcept nogil:
    """Map rows, four outputs at a time, so each loaded input serves four sums."""
    cdef Py_ssize_t first = 0, n_out = block.n_out
    while first + 4 <= n_out:
        map_outputs(block, first, block.n_in, n_rows, 4, sums)
        first += 4
    if n_out - first == 3 and block.n_in == 3:      # Rotation Forest's blocks: a constant number of terms
        map_outputs(block, first, 3, n_rows, 3, sums)
    elif n_out - first == 3:
        map_outputs(block, first, block.n_in, n_rows, 3, sums)
    elif n_out - first == 2:
        map_outputs(block, first, block.n_in, n_rows, 2, sums)
    elif n_out - first == 1:
        map_outputs(block, first, block.n_in, n_rows, 1, sums)


cdef inline inlined_void map_outputs(
    const Block* block, Py_ssize_t first, Py_ssize_t n_in, Py_ssize_t n_rows, int n_sums, float* sums0
) noexcept nogil:
    """Compute one to four outputs of rows; both numbers are constants, so the compiler keeps the sums in registers."""
    cdef float* sums1 = sums0 + n_rows
    cdef float* sums2 = sums1 + n_rows
    cdef float* sums3 = sums2 + n_rows
    cdef const float* data = block.data
    cdef const int32_t* columns = block.columns
    cdef const float* m = block.matrix + first
    cdef float* z = block.z + first * block.z_stride
    cdef Py_ssize_t data_stride = block.data_stride, m_stride = block.n_out, z_stride = block.z_stride
    cdef Py_ssize_t c, i
    cdef const float* x
    cdef float m0, m1, m2, m3
    for i in range(n_rows):
        sums0[i] = sums1[i] = sums2[i] = sums3[i] = 0.0
    for c in range(n_in):
        x = data + columns[c] * data_stride
        m0 = m[0]
        m1 = m[1] if n_sums > 1 else 0.0
        m2 = m[2] if n_sums > 2 else 0.0
        m3 = m[3] if n_sums > 3 else 0.0
        for i in range(n_rows):
            sums0[i] += x[i] * m0
            sums1[i] += x[i] * m1
            sums2[i] += x[i] * m2
            sums3[i] += x[i] * m3
        m += m_stride
    for i in range(n_rows):
        z[i] = sums0[i]
    if n_sums > 1:
        for i in range(n_rows):
            z[z_stride + i] = sums1[i]
    if n_sums > 2:
        for i in range(n_rows):
            z[2 * z_stride + i] = sums2[i]
    if n_sums > 3:
        for i in range(n_rows):
            z[3 * z_stride + i] = sums3[i]


cdef inline wide_void map_row(const Block* block) noexcept nogil:
    """Map one row; vector instructions run over its outputs."""
    cdef float sums[OUTPUTS]
    cdef Py_ssize_t first = 0
    while first < block.n_out:
        map_row_outputs(block, first, min(block.n_out - first, OUTPUTS), sums)
        first += OUTPUTS


cdef inline inlined_void map_row_outputs(
    const Block* block, Py_ssize_t first, Py_ssize_t count, float* sums
) noexcept nogil:
    """Compute `count` outputs of one row; if `count` is a constant, the compiler keeps the sums in registers."""
    cdef const float* data = block.data
    cdef const int32_t* columns = block.columns
    cdef const float* m = block.matrix + first
    cdef float* z = block.z + first * block.z_stride
    cdef Py_ssize_t n_in = block.n_in, m_stride = block.n_out, c, o
    cdef float x
    for o in range(count):
        sums[o] = 0.0
    for c in range(n_in):
        x = data[columns[c] * block.data_stride]
        for o in range(count):
            sums[o] += x * m[o]
        m += m_stride
    for o in range(count):
        z[o * block.z_stride] = sums[o]
