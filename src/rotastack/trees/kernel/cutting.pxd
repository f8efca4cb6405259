"""The best cut of a node of a boosted tree, computed from its histogram.

With sums G of gradients and H of hessians, the score of rows is G^2 / (H + l2). The gain of a cut is the score of its
left side plus the score of its right side less the score of the node. Missing values are tried on both sides.
"""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.histograms cimport (
    Bins, Packing, count_in, counts_of, gradient_in, hessian_in,
)
from rotastack.trees.kernel.wide cimport wide_void

cdef enum:
    SIDE_BY_SIDE = 8            # number of cuts whose gains are compared together
    ROOM = 256 + SIDE_BY_SIDE

cdef extern from *:
    """
    #define ROTASTACK_LEAST_GAIN 1e-10  /* of what a node has without a cut: less is rounding */
    """
    const double LEAST_GAIN "ROTASTACK_LEAST_GAIN"


# Limits of both sides of a cut. Hessians and `l2` are in quanta.
cdef struct Bounds:
    int64_t min_count
    int64_t min_hessian
    double l2


# A cut: a row goes left if its code in `column` is at most `code`.
cdef struct BinnedCut:
    int32_t column              # -1 without a cut
    int32_t code
    bint has_missing
    bint missing_right
    double gain                 # in quanta
    int64_t left                # the sum of the words on the left


cdef inline double score_of(int64_t word, const Packing* packing, double l2) noexcept nogil:
    cdef double gradient = <double> gradient_in(word, packing)
    return gradient * gradient / (<double> hessian_in(word, packing) + l2)


# The state of a scan of one column of a node.
cdef struct Scan:
    int64_t sums[256]           # sum of the words up to each bin
    int32_t counts[256]         # number of rows up to each bin
    int64_t missing             # sum of the words of missing values, if these go left,
    int32_t n_missing           # and their number of rows
    int64_t total               # sum of the words of the node
    int32_t n
    double gains[ROOM]


cdef inline void find_cut(
    const Bins* bins, const int32_t* columns, Py_ssize_t n_columns, int64_t* cells, int64_t total,
    Py_ssize_t n, const Packing* packing, const Bounds* bounds, BinnedCut* best,
) noexcept nogil:
    """Write the cut of the largest gain of a node of n rows; among equals the first column wins, then the lowest value.

    Missing values go right if both sides are equally good.
    """
    cdef Scan scan
    cdef Py_ssize_t k, i, n_bins
    cdef double none = score_of(total, packing, bounds.l2)
    cdef const int64_t* column
    cdef const int32_t* counts = NULL
    cdef int64_t missing
    cdef int32_t n_missing = 0, count
    best.column = -1
    best.gain = none + LEAST_GAIN * none
    scan.total = total
    scan.n = <int32_t> n
    for k in range(n_columns):
        column = cells + bins.begin[k]
        n_bins = bins.n_bins[columns[k]]
        missing = column[n_bins]
        if packing.counted_apart:
            counts = counts_of(cells, bins.begin[n_columns]) + bins.begin[k]
            n_missing = counts[n_bins]
        else:
            n_missing = <int32_t> count_in(missing, packing)
        if n_bins == 1 and n_missing == 0:
            continue
        add_up(column, n_bins, scan.sums)
        if packing.counted_apart:
            count = 0
            for i in range(n_bins):
                count += counts[i]
                scan.counts[i] = count
        scan.missing = scan.n_missing = 0
        try_cuts(&scan, n_bins - (n_missing == 0), packing, bounds, columns[k], n_missing != 0, True, best)
        if n_missing != 0:
            scan.missing = missing
            scan.n_missing = n_missing
            try_cuts(&scan, n_bins - 1, packing, bounds, columns[k], True, False, best)
    best.gain -= none


cdef inline void add_up(const int64_t* words, Py_ssize_t n, int64_t* sums) noexcept nogil:
    """Write the cumulative sums of n words, four at a time, so that few additions wait for each other."""
    cdef int64_t before = 0, two
    cdef Py_ssize_t i = 0
    while i + 4 <= n:
        two = before + (words[i] + words[i + 1])
        sums[i] = before + words[i]
        sums[i + 1] = two
        sums[i + 2] = two + words[i + 2]
        before = two + (words[i + 2] + words[i + 3])
        sums[i + 3] = before
        i += 4
    while i < n:
        before += words[i]
        sums[i] = before
        i += 1


cdef inline void try_cuts(
    Scan* scan, Py_ssize_t n_cuts, const Packing* packing, const Bounds* bounds,
    int32_t column, bint has_missing, bint missing_right, BinnedCut* best,
) noexcept nogil:
    """Try cuts 0 to n_cuts - 1 of a column."""
    cdef Py_ssize_t first, last, i
    cdef double top
    # Sums and counts only grow from cut to cut. So cuts with too little on the left come first, and cuts with too
    # little on the right come last.
    if packing.counted_apart:
        count_refused_apart(scan, n_cuts, packing, bounds, &first, &last)
    else:
        count_refused(
            scan.sums, n_cuts, scan.missing, scan.total, packing.hessian_shift, packing.hessian_mask,
            bounds.min_count, bounds.min_hessian, &first, &last,
        )
    last = n_cuts - last
    if first >= last:
        return
    score_cuts(
        scan.sums + first, last - first, scan.missing, scan.total, packing.hessian_shift, packing.gradient_shift,
        <int32_t> packing.hessian_mask, bounds.l2, scan.gains, &top,
    )
    if top > best.gain:
        i = 0
        while scan.gains[i] != top:
            i += 1
        best.gain = top
        best.column = column
        best.code = <int32_t> (first + i)
        best.has_missing = has_missing
        best.missing_right = missing_right
        best.left = scan.sums[first + i] + scan.missing


cdef inline wide_void count_refused(
    const int64_t* sums, Py_ssize_t n, int64_t missing, int64_t total, int hessian_shift, int64_t hessian_mask,
    int64_t min_count, int64_t min_hessian, Py_ssize_t* n_left, Py_ssize_t* n_right,
) noexcept nogil:
    """Write the numbers of cuts with too few rows or hessians on the left, and on the right."""
    cdef int64_t left = 0, right = 0, word, other, count_mask = (<int64_t> 1 << hessian_shift) - 1
    cdef Py_ssize_t i
    for i in range(n):
        word = sums[i] + missing
        other = total - word
        left += (word & count_mask) < min_count or ((word >> hessian_shift) & hessian_mask) < min_hessian
        right += (other & count_mask) < min_count or ((other >> hessian_shift) & hessian_mask) < min_hessian
    n_left[0] = left
    n_right[0] = right


cdef inline void count_refused_apart(
    const Scan* scan, Py_ssize_t n, const Packing* packing, const Bounds* bounds,
    Py_ssize_t* n_left, Py_ssize_t* n_right,
) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t word, count
    n_left[0] = n_right[0] = 0
    for i in range(n):
        word = scan.sums[i] + scan.missing
        count = scan.counts[i] + scan.n_missing
        n_left[0] += count < bounds.min_count or hessian_in(word, packing) < bounds.min_hessian
        n_right[0] += (
            scan.n - count < bounds.min_count or hessian_in(scan.total - word, packing) < bounds.min_hessian
        )


cdef inline wide_void score_cuts(
    const int64_t* sums, Py_ssize_t n, int64_t missing, int64_t total, int hessian_shift, int gradient_shift,
    int32_t hessian_mask, double l2, double* gains, double* top,
) noexcept nogil:
    """Write the sum of the scores of both sides of each cut to `gains`, and the largest sum to `top`."""
    cdef double tops[SIDE_BY_SIDE]
    cdef double all_gradient = <double> (total >> gradient_shift)
    cdef double all_hessian = <double> ((total >> hessian_shift) & hessian_mask)
    cdef int32_t gradient, hessian
    cdef double left, right, left_h, right_h
    cdef int64_t word
    cdef Py_ssize_t i, k, whole = n - n % SIDE_BY_SIDE
    for i in range(n):
        word = sums[i] + missing
        gradient = <int32_t> (word >> 32) >> (gradient_shift - 32)
        hessian = <int32_t> (word >> hessian_shift) & hessian_mask
        left = <double> gradient
        right = all_gradient - left
        left_h = <double> hessian + l2
        right_h = all_hessian - <double> hessian + l2
        gains[i] = (left * left * right_h + right * right * left_h) / (left_h * right_h)
    for k in range(SIDE_BY_SIDE):
        tops[k] = 0.0
    i = 0
    while i < whole:
        for k in range(SIDE_BY_SIDE):
            tops[k] = gains[i + k] if gains[i + k] > tops[k] else tops[k]
        i += SIDE_BY_SIDE
    for i in range(whole, n):
        tops[0] = max(tops[0], gains[i])
    top[0] = tops[0]
    for k in range(1, SIDE_BY_SIDE):
        top[0] = max(top[0], tops[k])
