"""Cut the values of a column into at most 255 bins; missing values have the bin after the last.

The code of a value is the number of cuts below it. So ``value > cut`` in a grown tree and ``code > number of the cut``
are equivalent.
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from rotastack.trees.kernel.missing cimport gather_known
from rotastack.trees.kernel.randomness cimport draw_below
from rotastack.trees.kernel.sorting cimport differ, sort_rows, value_of
from rotastack.trees.kernel.structures cimport Sorter

cdef enum:
    CUTS = 256                  # places for the cuts of a column
    SAMPLE = 1 << 17            # largest number of rows that cuts are made from


cdef inline Py_ssize_t sample_rows(
    const uint32_t* rows, Py_ssize_t n, uint64_t* state, uint32_t* sampled
) noexcept nogil:
    """Write the rows that cuts are made from: all rows, or one random row from each of `SAMPLE` equal ranges."""
    cdef Py_ssize_t i, first, last, size = min(n, <Py_ssize_t> SAMPLE)
    for i in range(size):
        first = i * n // size
        last = (i + 1) * n // size
        sampled[i] = rows[first if last == first + 1 else first + draw_below(state, last - first)]
    return size


cdef inline float between(float low, float high) noexcept nogil:
    """Return a cut between two values: at least the lower value, and below the higher value."""
    cdef float middle = <float> (0.5 * (<double> low + <double> high))
    return middle if middle < high else low


cdef inline Py_ssize_t make_cuts(
    const float* column, const uint32_t* rows, Py_ssize_t n, Py_ssize_t max_bins,
    const Sorter* sorter, float* cuts,
) noexcept nogil:
    """Write the cuts of a column, followed by infinities; return the number of cuts.

    With at most `max_bins` different values, every value has its own bin. Otherwise a bin takes values until its number
    of rows is as near as possible to an equal share of the rows not yet in bins. Cuts are halfway between neighbouring
    values.
    """
    cdef float low, high
    cdef Py_ssize_t n_known = gather_known(column, rows, n, sorter, &low, &high)
    cdef Py_ssize_t i, k, n_cuts = 0, n_values = 1, left = n_known, bins = max_bins, count = 0, next
    if low < high:
        sort_rows(sorter.rows, n_known, low, high, sorter)
        for i in range(1, n_known):
            n_values += differ(sorter.keys[i], sorter.keys[i - 1])
        i = 0
        while i < n_known:
            k = i + 1
            while k < n_known and not differ(sorter.keys[k], sorter.keys[i]):
                k += 1
            next = k - i
            if count > 0 and (n_values <= max_bins or (bins > 1 and (2 * count + next) * bins > 2 * left)):
                cuts[n_cuts] = between(value_of(sorter.keys[i - 1]), value_of(sorter.keys[i]))
                n_cuts += 1
                left -= count
                bins -= 1
                count = 0
            count += next
            i = k
    for i in range(n_cuts, CUTS):
        cuts[i] = INFINITY
    return n_cuts


cdef inline void write_codes(
    const float* column, const uint32_t* rows, Py_ssize_t n, const float* cuts, Py_ssize_t n_cuts, uint8_t* codes
) noexcept nogil:
    """Write the code of each row's value."""
    cdef Py_ssize_t i
    cdef uint32_t place, step, first = 1
    cdef uint8_t missing = <uint8_t> (n_cuts + 1)
    cdef float value
    while first <= n_cuts:
        first *= 2
    first //= 2
    for i in range(n):
        value = column[rows[i]]
        place = 0
        step = first
        while step > 0:
            place += step if cuts[place + step - 1] < value else 0
            step //= 2
        codes[i] = missing if value != value else <uint8_t> place
