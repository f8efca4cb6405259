"""Logarithms, powers and cosines that give the same bytes with every C library.

C libraries differ in the last digit, and some differ between processors. These functions sum the first terms of
Taylor series after the usual range reductions; errors are at most three units in the last place.
"""

from libc.math cimport rint
from libc.stdint cimport int64_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define LN_2 0.6931471805599453

    static inline uint64_t rotastack_bits(double x) { uint64_t bits; memcpy(&bits, &x, 8); return bits; }
    static inline double rotastack_double(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
    """
    const double LN_2
    uint64_t bits_of "rotastack_bits"(double x) noexcept nogil
    double double_of "rotastack_double"(uint64_t bits) noexcept nogil


cdef inline double log2(double x) noexcept nogil:
    """Return the base-2 logarithm of a positive, finite, normal number; powers of two are exact."""
    # x = m 2^e with m between sqrt(1/2) and sqrt(2), and log m = 2 artanh s with s = (m - 1) / (m + 1).
    cdef uint64_t bits = bits_of(x)
    cdef int64_t e = <int64_t> (bits >> 52) - 1023
    cdef double m = double_of((bits & <uint64_t> 0xFFFFFFFFFFFFF) | (<uint64_t> 1023 << 52))
    cdef double s, z, z2, z4, tail, rest
    if m > 1.4142135623730951:
        m *= 0.5
        e += 1
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    tail = (1.0 / 3.0 + z * (1.0 / 5.0)) + z2 * (1.0 / 7.0 + z * (1.0 / 9.0))
    rest = (1.0 / 11.0 + z * (1.0 / 13.0)) + z2 * (1.0 / 15.0 + z * (1.0 / 17.0))
    tail += z4 * (rest + z4 * (1.0 / 19.0 + z * (1.0 / 21.0)))
    # 2 / ln 2 in two parts: the product with the first part has only one rounding.
    return <double> e + (2.8853900817779268 * s + s * (z * tail * 2.8853900817779268 + 4.0710547481862066e-17))


cdef inline double exp2(double x) noexcept nogil:
    """Return 2 to the power of a number below 1000; 0 below -1000."""
    cdef double k = rint(x)
    cdef double r = (x - k) * LN_2
    cdef double total = 1.0
    cdef int i
    if x < -1000.0:
        return 0.0
    for i in range(15, 0, -1):
        total = 1.0 + r * total / i
    return total * double_of(<uint64_t> (1023 + <int64_t> k) << 52)


cdef inline double cos_turns(double turns) noexcept nogil:
    """Return the cosine of 2 pi times a number in [0, 1]."""
    cdef double quarters = rint(4.0 * turns)
    cdef double r = (4.0 * turns - quarters) * 1.5707963267948966
    cdef double z = r * r
    cdef double total = 1.0
    cdef int quadrant = <int> quarters & 3
    cdef int i
    if quadrant & 1:  # the cosine of an odd quadrant is a sine
        for i in range(19, 1, -2):
            total = 1.0 - z * total / (i * (i - 1))
        total *= r
        return -total if quadrant == 1 else total
    for i in range(18, 0, -2):
        total = 1.0 - z * total / (i * (i - 1))
    return -total if quadrant == 2 else total
