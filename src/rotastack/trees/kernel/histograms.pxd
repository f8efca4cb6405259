"""Histograms: sums of gradients, hessians and rows for each bin. The sums are integers, so their order is irrelevant.

The gradient, the hessian and a count of 1 of a row are packed into one 64-bit word, with room for the sums over all
rows. So one addition adds all three, and the histogram of a parent less that of one child is exactly that of the other
child. Gradients and hessians are counted in small units, the quanta. With many rows, the rows are counted in separate
integers, so that a gradient of mean size stays hundreds of quanta.

A histogram has one word for each cell, followed by one count for each cell if rows are counted separately.
"""

from libc.math cimport INFINITY, fabs, rint
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from rotastack.trees.kernel.wide cimport inlined_void, wide_void

cdef enum:
    LANES = 8
    COUNTED_APART = 1 << 15     # number of rows from which on rows are counted separately


# The lowest bits of a word count rows, unless rows are counted separately; the next bits hold the hessian, and the
# highest bits hold the gradient.
cdef struct Packing:
    bint counted_apart
    int hessian_shift
    int gradient_shift
    int64_t hessian_mask        # of the shifted word
    double gradient_scale       # quanta per unit
    double hessian_scale


cdef inline int64_t count_in(int64_t word, const Packing* packing) noexcept nogil:
    return word & ((<int64_t> 1 << packing.hessian_shift) - 1)


cdef inline int64_t hessian_in(int64_t word, const Packing* packing) noexcept nogil:
    return (word >> packing.hessian_shift) & packing.hessian_mask


cdef inline int64_t gradient_in(int64_t word, const Packing* packing) noexcept nogil:
    return word >> packing.gradient_shift


cdef inline void share_bits(Packing* packing, Py_ssize_t n) noexcept nogil:
    """Divide the bits of a word between count, hessian and gradient, for sums over at most n rows."""
    cdef int bits = 8
    while (<int64_t> 1 << bits) <= n:
        bits += 1
    packing.counted_apart = n >= COUNTED_APART
    if packing.counted_apart:
        bits = 0
    packing.hessian_shift = bits
    bits = (64 - bits) // 2 - 1
    packing.hessian_mask = (<int64_t> 1 << bits) - 1
    packing.gradient_shift = max(packing.hessian_shift + bits, 32)  # so the upper half holds the gradient


cdef inline bint pack(
    Packing* packing, const double* gradients, const double* hessians, const uint32_t* rows, Py_ssize_t n,
    int64_t* words,
) noexcept nogil:
    """Choose the quanta, and write the word of each row to ``words[row]``.

    Returns False, without writing a word, if sums are not finite.
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
    # Rounding adds at most half a quantum a row.
    packing.gradient_scale = scale_for((<int64_t> 1 << (63 - packing.gradient_shift)) - 1 - n, gradient)
    packing.hessian_scale = scale_for(packing.hessian_mask - n, hessian)
    for i in range(n):
        row = rows[i]
        # Multiplied, not shifted: C does not define the shift of a negative number.
        words[row] = (
            <int64_t> rint(gradients[row] * packing.gradient_scale) * gradient_unit
            + <int64_t> rint(hessians[row] * packing.hessian_scale) * hessian_unit + one
        )
    return True


cdef inline double scale_for(int64_t room, double total) noexcept nogil:
    cdef double scale = <double> room / total if total > 0.0 else 0.0
    return scale if scale < 1e300 else 0.0


# The bins of all columns of the training rows, and the position of each column's first cell in a histogram.
cdef struct Bins:
    uint8_t* codes              # (column, row)
    Py_ssize_t stride           # rows
    int32_t* n_bins             # (n_columns,); missing values have one more cell
    int32_t* begin              # (n_columns + 1,)


cdef inline Py_ssize_t words_of(Py_ssize_t n_cells, bint counted_apart) noexcept nogil:
    """Return the number of words of a histogram with `n_cells` cells."""
    return n_cells + (n_cells + 1) // 2 if counted_apart else n_cells


cdef inline int32_t* counts_of(int64_t* words, Py_ssize_t n_cells) noexcept nogil:
    """Return the address of the counts of a histogram."""
    return <int32_t*> (words + n_cells)


cdef inline void fill_histogram(
    const Bins* bins, const int32_t* columns, Py_ssize_t n_columns, bint counted_apart,
    const uint32_t* rows, Py_ssize_t n, const int64_t* words, int64_t* ordered, int64_t* cells,
) noexcept nogil:
    """Sum the words of a node's rows for each bin of the columns; `ordered` is scratch, (n,)."""
    cdef Py_ssize_t i, k = 0, n_cells = bins.begin[n_columns]
    cdef int32_t* counts = counts_of(cells, n_cells)
    memset(cells, 0, words_of(n_cells, counted_apart) * sizeof(int64_t))
    for i in range(n):
        ordered[i] = words[rows[i]]
    if counted_apart:
        while k + 2 <= n_columns:
            fill_columns(bins, columns, k, 2, True, rows, n, ordered, cells, counts)
            k += 2
        if k < n_columns:
            fill_columns(bins, columns, k, 1, True, rows, n, ordered, cells, counts)
        return
    while k + 4 <= n_columns:
        fill_columns(bins, columns, k, 4, False, rows, n, ordered, cells, counts)
        k += 4
    while k < n_columns:
        fill_columns(bins, columns, k, 1, False, rows, n, ordered, cells, counts)
        k += 1


cdef inline inlined_void fill_columns(
    const Bins* bins, const int32_t* columns, Py_ssize_t first, int n_columns, bint count, const uint32_t* rows,
    Py_ssize_t n, const int64_t* ordered, int64_t* cells, int32_t* counts,
) noexcept nogil:
    """Fill the cells of at most four columns from `first` on, so a row and its word are read once for all of them.

    `n_columns` and `count` are constants, so the compiler keeps the addresses in registers.
    """
    cdef const uint8_t* codes[4]
    cdef int64_t* sums[4]
    cdef int32_t* numbers[4]
    cdef Py_ssize_t code[4]
    cdef Py_ssize_t i, k, row
    cdef int64_t word
    for k in range(n_columns):
        codes[k] = bins.codes + columns[first + k] * bins.stride
        sums[k] = cells + bins.begin[first + k]
        numbers[k] = counts + bins.begin[first + k]
    for i in range(n):
        row, word = rows[i], ordered[i]
        for k in range(n_columns):
            code[k] = codes[k][row]
        for k in range(n_columns):
            sums[k][code[k]] += word
            if count:
                numbers[k][code[k]] += 1


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
