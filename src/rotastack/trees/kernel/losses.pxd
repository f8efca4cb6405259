"""Losses of boosting, and their gradients and hessians with respect to the scores.

Scores have the axes (output, row). The kernel computes exponentials itself, so every C library gives the same bytes.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint64_t

from rotastack.trees.kernel.elementary cimport LN_2, bits_of, double_of, log2
from rotastack.trees.kernel.wide cimport inlined_void, wide_void

cdef enum Loss:
    SQUARES
    LOGISTIC
    SOFTMAX

cdef enum:
    TILE = 64

cdef extern from *:
    """
    #define ROTASTACK_ROUND 6755399441055744.0  /* 1.5 2^52: what is added to it is rounded */
    """
    const double ROUND "ROTASTACK_ROUND"


cdef inline double exp_negative(double x) noexcept nogil:
    """Return e to the power of a number that is at most 0; numbers below -700 count as -700."""
    # x = k ln 2 + r, and Taylor's series of e^r, |r| < 0.35, to the 13th power.
    cdef double shifted, k, r
    x = x if x > -700.0 else -700.0
    shifted = x * 1.4426950408889634 + ROUND
    k = shifted - ROUND
    r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10
    return double_of((bits_of(shifted) << 52) + bits_of(series(r)))


cdef inline double series(double r) noexcept nogil:
    cdef double total = 1.0 / 6227020800.0
    total = 1.0 / 479001600.0 + r * total
    total = 1.0 / 39916800.0 + r * total
    total = 1.0 / 3628800.0 + r * total
    total = 1.0 / 362880.0 + r * total
    total = 1.0 / 40320.0 + r * total
    total = 1.0 / 5040.0 + r * total
    total = 1.0 / 720.0 + r * total
    total = 1.0 / 120.0 + r * total
    total = 1.0 / 24.0 + r * total
    total = 1.0 / 6.0 + r * total
    total = 0.5 + r * total
    total = 1.0 + r * total
    return 1.0 + r * total


cdef inline wide_void of_squares(
    const double* scores, const double* target, const double* weights, Py_ssize_t n,
    double* gradients, double* hessians,
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        gradients[i] = weights[i] * (scores[i] - target[i])
        hessians[i] = weights[i]


cdef inline wide_void of_logistic(
    const double* scores, const double* target, const double* weights, Py_ssize_t n,
    double* gradients, double* hessians,
) noexcept nogil:
    """Write gradients and hessians of the logistic loss; `target` is 0 or 1, and the score is the log-odds of 1."""
    cdef Py_ssize_t i
    cdef double e, p
    for i in range(n):
        e = exp_negative(-fabs(scores[i]))
        p = 1.0 / (1.0 + e)
        hessians[i] = weights[i] * (e * p * p)
        p = p if scores[i] >= 0.0 else e * p
        gradients[i] = weights[i] * (p - target[i])


cdef inline wide_void of_softmax(
    const double* scores, const double* target, const double* weights, Py_ssize_t n, Py_ssize_t n_classes,
    double* gradients, double* hessians,
) noexcept nogil:
    """Write gradients and hessians of the softmax loss for all classes; `target` is the class number.

    Hessians are p (1 - p) C / (C - 1): the factor allows for the steps of the other classes (Friedman 2001).
    """
    cdef double top[TILE]
    cdef double sums[TILE]
    cdef double p, wanted, factor = <double> n_classes / <double> (n_classes - 1)
    cdef Py_ssize_t begin, i, c, size
    begin = 0
    while begin < n:
        size = min(n - begin, <Py_ssize_t> TILE)
        for i in range(size):
            top[i] = scores[begin + i]
            sums[i] = 0.0
        for c in range(1, n_classes):
            for i in range(size):
                top[i] = scores[c * n + begin + i] if scores[c * n + begin + i] > top[i] else top[i]
        for c in range(n_classes):
            for i in range(size):
                p = exp_negative(scores[c * n + begin + i] - top[i])
                gradients[c * n + begin + i] = p
                sums[i] += p
        for i in range(size):
            sums[i] = 1.0 / sums[i]
        for c in range(n_classes):
            for i in range(size):
                p = gradients[c * n + begin + i] * sums[i]
                wanted = 1.0 if target[begin + i] == <double> c else 0.0
                gradients[c * n + begin + i] = weights[begin + i] * (p - wanted)
                hessians[c * n + begin + i] = weights[begin + i] * (p * (1.0 - p) * factor)
        begin += TILE


cdef inline double loss_of(
    Loss loss, const double* scores, Py_ssize_t stride, Py_ssize_t n_outputs, double target
) noexcept nogil:
    """Return the loss of a row whose scores are `stride` numbers apart."""
    cdef double top, total, difference
    cdef Py_ssize_t c
    if loss == SQUARES:
        difference = scores[0] - target
        return difference * difference
    if loss == LOGISTIC:
        difference = scores[0] if target > 0.5 else -scores[0]
        return max(-difference, 0.0) + LN_2 * log2(1.0 + exp_negative(-fabs(difference)))
    top = scores[0]
    for c in range(1, n_outputs):
        top = max(top, scores[c * stride])
    total = 0.0
    for c in range(n_outputs):
        total += exp_negative(scores[c * stride] - top)
    return LN_2 * log2(total) + top - scores[<Py_ssize_t> target * stride]
