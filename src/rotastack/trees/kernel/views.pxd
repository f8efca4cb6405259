"""Linear views of the data, part by part: see `Parts` in `structures.pxd`.

An output is a sum over the inputs, from 0 and in order, with each product and each sum rounded. So a row
has the same outputs in any company and at any width of vectors.
"""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.structures cimport Parts
from rotastack.trees.kernel.wide cimport has_widest, inlined_void, wide_void

cdef enum:
    MANY = 64       # rows: four outputs of so many fill half of the widest registers,
    SOME = 16       # and of so many half of those of 32 bytes
    OUTPUTS = 64    # of one row, mapped together


# What a part maps: rows of `data` to outputs `z`, whose columns are as far apart as the strides say.
cdef struct Block:
    const float* data
    Py_ssize_t data_stride
    const int32_t* columns      # (n_in,)
    const float* matrix         # (n_in, n_out)
    Py_ssize_t n_in
    Py_ssize_t n_out
    float* z
    Py_ssize_t z_stride


cdef inline void locate(
    const Parts* view, int32_t* source, Py_ssize_t* n_columns, Py_ssize_t* n_stored
) noexcept nogil:
    """Write the source of each column of the view, their number, and how many of them are mapped.

    The source is a column of the data, or -1 - k for the k-th mapped column.
    """
    cdef Py_ssize_t k, i, width = 0, mapped = 0
    for k in range(view.n_parts):
        for i in range(view.parts[4 * k + 3]):
            if view.parts[4 * k + 2] < 0:
                source[width] = view.columns[view.parts[4 * k] + i]
            else:
                source[width] = <int32_t> (-1 - mapped)
                mapped += 1
            width += 1
    n_columns[0] = width
    n_stored[0] = mapped


cdef inline void project(
    const Parts* view, const float* data, Py_ssize_t data_stride, Py_ssize_t n,
    float* stored, Py_ssize_t stored_stride,
) noexcept nogil:
    """Write the mapped columns of rows 0 to n - 1.

    Column c of the data starts at ``data + c * data_stride``, the k-th mapped column at
    ``stored + k * stored_stride``. With fills these stand in for missing values; otherwise what is made of
    missing values is missing.
    """
    cdef Py_ssize_t begin = 0, step, k
    cdef const int64_t* part
    cdef Block block
    block.z_stride = stored_stride
    while begin < n:
        step = MANY if has_widest and n - begin >= MANY else SOME if n >= SOME else 1
        begin = min(begin, n - step)    # the last rows may be mapped twice
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


cdef inline void fill_inputs(const Parts* view, Py_ssize_t first, Block* block, Py_ssize_t n_rows) noexcept nogil:
    """Let a block read filled columns."""
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
    """Map rows: outputs four at a time, so each input is loaded for four sums."""
    cdef Py_ssize_t first = 0, n_out = block.n_out
    while first + 4 <= n_out:
        map_outputs(block, first, block.n_in, n_rows, 4, sums)
        first += 4
    if n_out - first == 3 and block.n_in == 3:      # Rotation Forest's blocks: sums of known length
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
    """Make one to four outputs of rows; the compiler knows both numbers, and keeps the sums in registers."""
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
    """Map one row; vectors run over its outputs."""
    cdef float sums[OUTPUTS]
    cdef const float* data = block.data
    cdef const int32_t* columns = block.columns
    cdef const float* m
    cdef float* z = block.z
    cdef Py_ssize_t n_in = block.n_in, n_out = block.n_out
    cdef Py_ssize_t first = 0, count, c, o
    cdef float x
    while first < n_out:
        count = min(n_out - first, OUTPUTS)
        for o in range(count):
            sums[o] = 0.0
        m = block.matrix + first
        for c in range(n_in):
            x = data[columns[c] * block.data_stride]
            for o in range(count):
                sums[o] += x * m[o]
            m += n_out
        for o in range(count):
            z[(first + o) * block.z_stride] = sums[o]
        first += count
