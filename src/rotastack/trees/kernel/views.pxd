"""Linear views of the data, part by part: see `Parts` in `structures.pxd`.

An output is a sum over the inputs, from 0 and in order, with each product and each sum rounded. So a row
has the same outputs in any company and at any width of vectors.
"""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.structures cimport Parts
from rotastack.trees.kernel.wide cimport inlined_void, wide_void

cdef enum:
    MANY = 64       # rows mapped together: four outputs of so many rows fill half of the widest registers
    SOME = 16       # as many, where there are fewer
    OUTPUTS = 64    # of one row, mapped together


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
    ``stored + k * stored_stride``.
    """
    cdef Py_ssize_t begin = 0, step, k
    cdef const int64_t* part
    cdef const int32_t* columns
    cdef const float* matrix
    cdef float* z
    while begin < n:
        step = MANY if n - begin >= MANY else SOME if n >= SOME else 1
        begin = min(begin, n - step)    # the last rows may be mapped twice
        z = stored + begin
        for k in range(view.n_parts):
            part = view.parts + 4 * k
            if part[2] < 0:
                continue
            columns = view.columns + part[0]
            matrix = view.matrices + part[2]
            if step == MANY:
                map_many(data + begin, data_stride, columns, part[1], matrix, part[3], z, stored_stride)
            elif step == SOME:
                map_some(data + begin, data_stride, columns, part[1], matrix, part[3], z, stored_stride)
            else:
                map_row(data + begin, data_stride, columns, part[1], matrix, part[3], z, stored_stride)
            z += part[3] * stored_stride
        begin += step


cdef inline wide_void map_many(
    const float* data, Py_ssize_t data_stride, const int32_t* columns, Py_ssize_t n_in,
    const float* matrix, Py_ssize_t n_out, float* z, Py_ssize_t z_stride,
) noexcept nogil:
    """Map `MANY` rows by one part."""
    map_rows(data, data_stride, columns, n_in, matrix, n_out, z, z_stride, MANY)


cdef inline wide_void map_some(
    const float* data, Py_ssize_t data_stride, const int32_t* columns, Py_ssize_t n_in,
    const float* matrix, Py_ssize_t n_out, float* z, Py_ssize_t z_stride,
) noexcept nogil:
    """Map `SOME` rows by one part."""
    map_rows(data, data_stride, columns, n_in, matrix, n_out, z, z_stride, SOME)


cdef inline inlined_void map_rows(
    const float* data, Py_ssize_t data_stride, const int32_t* columns, Py_ssize_t n_in,
    const float* matrix, Py_ssize_t n_out, float* z, Py_ssize_t z_stride, Py_ssize_t n_rows,
) noexcept nogil:
    """Map rows by one part: outputs four at a time, so each input is loaded for four sums."""
    cdef Py_ssize_t o = 0
    while o + 4 <= n_out:
        map_outputs(data, data_stride, columns, n_in, matrix + o, n_out, z + o * z_stride, z_stride, n_rows, 4)
        o += 4
    if o + 3 == n_out and n_in == 3:    # Rotation Forest's blocks
        map_outputs(data, data_stride, columns, 3, matrix + o, n_out, z + o * z_stride, z_stride, n_rows, 3)
    elif o + 3 == n_out:
        map_outputs(data, data_stride, columns, n_in, matrix + o, n_out, z + o * z_stride, z_stride, n_rows, 3)
    elif o + 2 == n_out:
        map_outputs(data, data_stride, columns, n_in, matrix + o, n_out, z + o * z_stride, z_stride, n_rows, 2)
    elif o < n_out:
        map_outputs(data, data_stride, columns, n_in, matrix + o, n_out, z + o * z_stride, z_stride, n_rows, 1)


cdef inline inlined_void map_outputs(
    const float* data, Py_ssize_t data_stride, const int32_t* columns, Py_ssize_t n_in,
    const float* m, Py_ssize_t m_stride, float* z, Py_ssize_t z_stride, Py_ssize_t n_rows, int n_sums,
) noexcept nogil:
    """Make one to four outputs of rows; the compiler knows both numbers, and keeps the sums in registers."""
    cdef float sums0[MANY]
    cdef float sums1[MANY]
    cdef float sums2[MANY]
    cdef float sums3[MANY]
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


cdef inline wide_void map_row(
    const float* data, Py_ssize_t data_stride, const int32_t* columns, Py_ssize_t n_in,
    const float* matrix, Py_ssize_t n_out, float* z, Py_ssize_t z_stride,
) noexcept nogil:
    """Map one row by one part; vectors run over its outputs."""
    cdef float sums[OUTPUTS]
    cdef Py_ssize_t first = 0, count, c, o
    cdef const float* m
    cdef float x
    while first < n_out:
        count = min(n_out - first, OUTPUTS)
        for o in range(count):
            sums[o] = 0.0
        m = matrix + first
        for c in range(n_in):
            x = data[columns[c] * data_stride]
            for o in range(count):
                sums[o] += x * m[o]
            m += n_out
        for o in range(count):
            z[(first + o) * z_stride] = sums[o]
        first += count
