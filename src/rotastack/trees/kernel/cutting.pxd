"""The best cut of a node of a boosted tree, from its histogram.

A cut gains G^2 / (H + l2) of its two sides less that of the node, with sums G of gradients and H of
hessians. Missing values are tried on either side.
"""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.histograms cimport (
    Bins, Packing, count_in, gradient_in, hessian_in,
)
from rotastack.trees.kernel.wide cimport wide_void

cdef enum:
    SIDE_BY_SIDE = 8            # cuts that are judged together
    ROOM = 256 + SIDE_BY_SIDE

cdef extern from *:
    """
    #define ROTASTACK_LEAST_GAIN 1e-10  /* of what a node has without a cut: less is rounding */
    """
    const double LEAST_GAIN "ROTASTACK_LEAST_GAIN"


# What limits cuts. Hessians and `l2` are in quanta.
cdef struct Bounds:
    int64_t min_count
    int64_t min_hessian
    double l2


# A cut: rows go left whose code in `column` is at most `code`.
cdef struct Cut:
    int32_t column              # -1: none
    int32_t code
    bint has_missing
    bint missing_right
    double gain                 # in quanta
    int64_t left                # the sum of the words on the left


cdef inline double score_of(int64_t word, const Packing* packing, double l2) noexcept nogil:
    cdef double gradient = <double> gradient_in(word, packing)
    return gradient * gradient / (<double> hessian_in(word, packing) + l2)


cdef inline void find_cut(
    const Bins* bins, const int32_t* columns, Py_ssize_t n_columns, const int64_t* cells, int64_t total,
    const Packing* packing, const Bounds* bounds, Cut* best,
) noexcept nogil:
    """Write the cut of the largest gain; among equals that of the lowest column, then of the lowest value.

    Where both sides are equally good for missing values, they go right.
    """
    cdef int64_t sums[ROOM]
    cdef double gains[ROOM]
    cdef Py_ssize_t k, i, n_bins
    cdef double none = score_of(total, packing, bounds.l2)
    cdef double least = none + LEAST_GAIN * none
    cdef const int64_t* column
    cdef int64_t missing, sum_
    best.column = -1
    best.gain = least
    for k in range(n_columns):
        column = cells + bins.begin[k]
        n_bins = bins.n_bins[columns[k]]
        missing = column[n_bins]
        if n_bins == 1 and missing == 0:
            continue
        sum_ = 0
        for i in range(n_bins):
            sum_ += column[i]
            sums[i] = sum_
        try_cuts(sums, gains, n_bins - (missing == 0), 0, total, packing, bounds, columns[k], missing != 0, True, best)
        if missing != 0:
            try_cuts(sums, gains, n_bins - 1, missing, total, packing, bounds, columns[k], True, False, best)
    best.gain -= none


cdef inline void try_cuts(
    const int64_t* sums, double* gains, Py_ssize_t n_cuts, int64_t missing, int64_t total,
    const Packing* packing, const Bounds* bounds, int32_t column, bint has_missing, bint missing_right, Cut* best,
) noexcept nogil:
    """Try cuts 0 to n_cuts - 1 of a column; words of `missing` go left."""
    cdef Py_ssize_t first = 0, last = n_cuts, i
    cdef double top
    cdef int64_t word
    while first < last:
        word = sums[first] + missing
        if count_in(word, packing) >= bounds.min_count and hessian_in(word, packing) >= bounds.min_hessian:
            break
        first += 1
    while first < last:
        word = total - sums[last - 1] - missing
        if count_in(word, packing) >= bounds.min_count and hessian_in(word, packing) >= bounds.min_hessian:
            break
        last -= 1
    if first == last:
        return
    judge(
        sums + first, last - first, missing, total, packing.hessian_shift, packing.gradient_shift,
        <int32_t> packing.hessian_mask, bounds.l2, gains, &top,
    )
    if top > best.gain:
        i = 0
        while gains[i] != top:
            i += 1
        best.gain = top
        best.column = column
        best.code = <int32_t> (first + i)
        best.has_missing = has_missing
        best.missing_right = missing_right
        best.left = sums[first + i] + missing


cdef inline wide_void judge(
    const int64_t* sums, Py_ssize_t n, int64_t missing, int64_t total, int hessian_shift, int gradient_shift,
    int32_t hessian_mask, double l2, double* gains, double* top,
) noexcept nogil:
    """Write what both sides of each cut have, and the largest of it. A few more are judged, and left out."""
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
