"""Linear views of the data, part by part: see `Parts` in `structures.pxd`."""

from libc.stdint cimport int32_t

from rotastack.trees.kernel.structures cimport Parts

cdef enum:
    ROWS = 128      # of a tile: its columns stay in the first cache while all outputs are made


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
    ``stored + k * stored_stride``. Sums run from 0 over the inputs in order, each product and each
    sum rounded, so a row has the same outputs in any company, on any machine.
    """
    cdef Py_ssize_t begin, end, k, o, c, i, n_in, n_out
    cdef const int32_t* columns
    cdef const float* matrix
    cdef const float* x
    cdef float* z
    cdef float* target
    cdef float m
    for begin in range(0, n, 128):
        end = min(begin + ROWS, n)
        target = stored
        for k in range(view.n_parts):
            if view.parts[4 * k + 2] < 0:
                continue
            columns = view.columns + view.parts[4 * k]
            n_in = view.parts[4 * k + 1]
            matrix = view.matrices + view.parts[4 * k + 2]
            n_out = view.parts[4 * k + 3]
            for o in range(n_out):
                z = target
                target += stored_stride
                for i in range(begin, end):
                    z[i] = 0.0
                for c in range(n_in):
                    x = data + columns[c] * data_stride
                    m = matrix[c * n_out + o]
                    for i in range(begin, end):
                        z[i] += x[i] * m
