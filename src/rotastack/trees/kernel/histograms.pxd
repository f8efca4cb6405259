"""Sums of gradients, hessians and rows by bin: whole numbers, so the same in any order.

Gradient, hessian and a 1 of a row are packed into one word, with room for the sums over all rows. One
addition adds all three; and what is left when a child is taken away from its parent is exactly the other
child. Where rows are many, they are counted apart, so that gradients of the mean size stay hundreds of quanta.

A histogram is a word for each cell, and then, where rows are counted apart, a count for each.
"""

from libc.math cimport INFINITY, fabs, rint
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from rotastack.trees.kernel.wide cimport wide_void

cdef enum:
    LANES = 8
    COUNTED_APART = 1 << 15     # rows


# The lowest bits of a word count rows if these are not counted apart, the next are the hessian, the highest
# the gradient.
cdef struct Packing:
    bint counted_apart
    int hessian_shift
    int gradient_shift
    int64_t hessian_mask        # after the shift
    double gradient_scale       # quanta for one
    double hessian_scale


cdef inline int64_t count_in(int64_t word, const Packing* packing) noexcept nogil:
    return word & ((<int64_t> 1 << packing.hessian_shift) - 1)


cdef inline int64_t hessian_in(int64_t word, const Packing* packing) noexcept nogil:
    return (word >> packing.hessian_shift) & packing.hessian_mask


cdef inline int64_t gradient_in(int64_t word, const Packing* packing) noexcept nogil:
    return word >> packing.gradient_shift


cdef inline void share_bits(Packing* packing, Py_ssize_t n) noexcept nogil:
    """Share the bits of a word out, for sums over n rows at most."""
    cdef int bits = 8
    while (<int64_t> 1 << bits) <= n:
        bits += 1
    packing.counted_apart = n >= COUNTED_APART
    if packing.counted_apart:
        bits = 0
    packing.hessian_shift = bits
    bits = (64 - bits) // 2 - 1
    packing.hessian_mask = (<int64_t> 1 << bits) - 1
    packing.gradient_shift = max(packing.hessian_shift + bits, 32)  # a gradient is then in the upper half


cdef inline bint pack(
    Packing* packing, const double* gradients, const double* hessians, const uint32_t* rows, Py_ssize_t n,
    int64_t* words,
) noexcept nogil:
    """Choose the quanta, and write the word of each row: ``words[row]``.

    Returns False, with no word written, where sums are not finite.
    """
    cdef double sums[2 * LANES]
    cdef double gradient = 0.0, hessian = 0.0
    cdef int64_t one = 0 if packing.counted_apart else 1
    cdef int64_t gradient_unit = <int64_t> 1 << packing.gradient_shift
    cdef int64_t hessian_unit = <int64_t> 1 << packing.hessian_shift
    cdef Py_ssize_t i, k, row
    for k in range(2 * LANES):
        sums[k] = 0.0
    for i in range(n):
        k = i & (LANES - 1)
        sums[k] += fabs(gradients[rows[i]])
        sums[LANES + k] += hessians[rows[i]]
    for k in range(LANES):
        gradient += sums[k]
        hessian += sums[LANES + k]
    if not (gradient < INFINITY and hessian < INFINITY):
        return False
    # Roundings add half a quantum a row at most.
    packing.gradient_scale = scale_for((<int64_t> 1 << (63 - packing.gradient_shift)) - 1 - n, gradient)
    packing.hessian_scale = scale_for(packing.hessian_mask - n, hessian)
    for i in range(n):
        row = rows[i]
        # Times, not shifted: C does not say what a negative number is that is shifted.
        words[row] = (
            <int64_t> rint(gradients[row] * packing.gradient_scale) * gradient_unit
            + <int64_t> rint(hessians[row] * packing.hessian_scale) * hessian_unit + one
        )
    return True


cdef inline double scale_for(int64_t room, double total) noexcept nogil:
    cdef double scale = <double> room / total if total > 0.0 else 0.0
    return scale if scale < 1e300 else 0.0


# The bins of all columns of the training rows, and where a column's cells begin in a histogram.
cdef struct Bins:
    const uint8_t* codes        # (column, row)
    Py_ssize_t stride           # rows
    const int32_t* n_bins       # (n_columns,); one more cell is for missing values
    const int32_t* begin        # (n_columns + 1,)


cdef inline Py_ssize_t words_of(Py_ssize_t n_cells, bint counted_apart) noexcept nogil:
    """Return how many words the histogram of so many cells takes."""
    return n_cells + (n_cells + 1) // 2 if counted_apart else n_cells


cdef inline int32_t* counts_of(int64_t* words, Py_ssize_t n_cells) noexcept nogil:
    """Return where the counts of a histogram begin."""
    return <int32_t*> (words + n_cells)


cdef inline void fill_histogram(
    const Bins* bins, const int32_t* columns, Py_ssize_t n_columns, bint counted_apart,
    const uint32_t* rows, Py_ssize_t n, const int64_t* words, int64_t* ordered, int64_t* cells,
) noexcept nogil:
    """Add up the words of a node's rows by the bins of the columns; `ordered` is scratch, (n,)."""
    cdef Py_ssize_t i, k = 0, n_cells = bins.begin[n_columns]
    cdef int32_t* counts = counts_of(cells, n_cells)
    memset(cells, 0, words_of(n_cells, counted_apart) * sizeof(int64_t))
    for i in range(n):
        ordered[i] = words[rows[i]]
    if counted_apart:
        while k + 2 <= n_columns:
            fill_and_count_two(bins, columns, k, rows, n, ordered, cells, counts)
            k += 2
        if k < n_columns:
            fill_and_count(
                bins.codes + columns[k] * bins.stride, rows, n, ordered, cells + bins.begin[k],
                counts + bins.begin[k],
            )
        return
    while k + 4 <= n_columns:
        fill_four(bins, columns, k, rows, n, ordered, cells)
        k += 4
    while k < n_columns:
        fill_one(bins.codes + columns[k] * bins.stride, rows, n, ordered, cells + bins.begin[k])
        k += 1


cdef inline void fill_four(
    const Bins* bins, const int32_t* columns, Py_ssize_t k, const uint32_t* rows, Py_ssize_t n,
    const int64_t* ordered, int64_t* cells,
) noexcept nogil:
    """Columns go four at a time: a row and its word are looked up once for them."""
    cdef const uint8_t* codes0 = bins.codes + columns[k] * bins.stride
    cdef const uint8_t* codes1 = bins.codes + columns[k + 1] * bins.stride
    cdef const uint8_t* codes2 = bins.codes + columns[k + 2] * bins.stride
    cdef const uint8_t* codes3 = bins.codes + columns[k + 3] * bins.stride
    cdef int64_t* cells0 = cells + bins.begin[k]
    cdef int64_t* cells1 = cells + bins.begin[k + 1]
    cdef int64_t* cells2 = cells + bins.begin[k + 2]
    cdef int64_t* cells3 = cells + bins.begin[k + 3]
    cdef Py_ssize_t i, row
    cdef Py_ssize_t code0, code1, code2, code3
    cdef int64_t word
    for i in range(n):
        row = rows[i]
        word = ordered[i]
        code0, code1, code2, code3 = codes0[row], codes1[row], codes2[row], codes3[row]
        cells0[code0] += word
        cells1[code1] += word
        cells2[code2] += word
        cells3[code3] += word


cdef inline void fill_one(
    const uint8_t* codes, const uint32_t* rows, Py_ssize_t n, const int64_t* ordered, int64_t* cells
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        cells[codes[rows[i]]] += ordered[i]


cdef inline void fill_and_count(
    const uint8_t* codes, const uint32_t* rows, Py_ssize_t n, const int64_t* ordered, int64_t* cells,
    int32_t* counts,
) noexcept nogil:
    cdef Py_ssize_t i, code
    for i in range(n):
        code = codes[rows[i]]
        cells[code] += ordered[i]
        counts[code] += 1


cdef inline void fill_and_count_two(
    const Bins* bins, const int32_t* columns, Py_ssize_t k, const uint32_t* rows, Py_ssize_t n,
    const int64_t* ordered, int64_t* cells, int32_t* counts,
) noexcept nogil:
    cdef const uint8_t* codes0 = bins.codes + columns[k] * bins.stride
    cdef const uint8_t* codes1 = bins.codes + columns[k + 1] * bins.stride
    cdef int64_t* cells0 = cells + bins.begin[k]
    cdef int64_t* cells1 = cells + bins.begin[k + 1]
    cdef int32_t* counts0 = counts + bins.begin[k]
    cdef int32_t* counts1 = counts + bins.begin[k + 1]
    cdef Py_ssize_t i, row, code0, code1
    cdef int64_t word
    for i in range(n):
        row = rows[i]
        word = ordered[i]
        code0, code1 = codes0[row], codes1[row]
        cells0[code0] += word
        cells1[code1] += word
        counts0[code0] += 1
        counts1[code1] += 1


cdef inline wide_void take_away(
    int64_t* cells, int64_t* part, Py_ssize_t n_cells, bint counted_apart
) noexcept nogil:
    cdef int32_t* counts = counts_of(cells, n_cells)
    cdef const int32_t* part_counts = counts_of(part, n_cells)
    cdef Py_ssize_t i
    for i in range(n_cells):
        cells[i] -= part[i]
    if counted_apart:
        for i in range(n_cells):
            counts[i] -= part_counts[i]
