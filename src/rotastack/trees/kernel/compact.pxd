"""Presorted columns as 32-bit keys, for at most 65,535 rows.

The upper 16 bits of a key are the row's rank in the sorted column of the whole bag; the lower 16 bits are the row.
A stable partition of the keys of a node keeps them sorted. ``apart[rank]`` is the first rank whose value is larger
than the value at `rank`. A cut lies between the neighbours a and b if ``rank(b) >= apart[rank(a)]``.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from rotastack.trees.kernel.sorting cimport row_of, value_of
from rotastack.trees.kernel.structures cimport Presorted, Sorter

cdef enum:
    MOST_ROWS = 0xFFFF


cdef inline void write_compact(
    const Sorter* sorter, Py_ssize_t n, double gap, const Presorted* presorted, Py_ssize_t j
) noexcept nogil:
    """Write the keys of a sorted column, its `apart`, and its sorted values if `ranked` is not NULL.

    Values that differ by at most `gap` count as equal; missing values are infinity.
    """
    cdef float* values = sorter.values
    cdef const uint64_t* keys = sorter.keys
    cdef uint32_t* run = presorted.small + j * n
    cdef Py_ssize_t i
    for i in range(n):
        run[i] = <uint32_t> i << 16 | row_of(keys[i])
        values[i] = value_of(keys[i])
    find_apart(values, n, gap, presorted.apart + j * n)
    if presorted.ranked != NULL:
        memcpy(presorted.ranked + j * n, values, n * sizeof(float))


cdef inline void find_apart(const float* values, Py_ssize_t n, double gap, uint16_t* apart) noexcept nogil:
    cdef double value = values[n - 1], following
    cdef Py_ssize_t known = n, larger = n, k, i
    while known > 0 and values[known - 1] != values[known - 1]:  # no cut lies beside NaN, the result of an overflow
        known -= 1
    apart[n - 1] = <uint16_t> n
    for i in range(n - 2, -1, -1):
        following = value
        value = values[i]
        if value + gap < following:
            larger = i + 1
        elif value < following:
            k = min(larger, known)
            while value + gap < values[k - 1]:
                k -= 1
            larger = k if k < known else n
        apart[i] = <uint16_t> larger


cdef inline bint constant(const uint32_t* run, Py_ssize_t n, const uint16_t* apart) noexcept nogil:
    """Return whether a column has no cut in a node: all its values differ by at most the gap."""
    return apart[run[0] >> 16] > run[n - 1] >> 16


cdef inline void part_compact(
    const Presorted* presorted, Py_ssize_t n_columns, Py_ssize_t first, Py_ssize_t n, Py_ssize_t n_left,
    const uint8_t* side, bint want_left, bint want_right,
) noexcept nogil:
    """Partition the keys of every column stably by ``side[row]``; the keys of a side that is not wanted are dropped.

    A column without a cut in this node has none in its descendants either. Its keys are never read again, and are not
    partitioned.
    """
    cdef Py_ssize_t j
    cdef uint32_t* run
    for j in range(n_columns):
        run = presorted.small + j * presorted.n_bag + first
        if constant(run, n, presorted.apart + j * presorted.n_bag):
            continue
        if not want_right:
            keep_left(run, n, side)
        elif not want_left:
            keep_right(run, n, side)
        else:
            keep_both(run, n, n_left, side, presorted.small_other)


cdef inline void keep_left(uint32_t* run, Py_ssize_t n, const uint8_t* side) noexcept nogil:
    cdef Py_ssize_t i, place = 0
    cdef uint32_t key
    for i in range(n):
        key = run[i]
        run[place] = key
        place += side[key & MOST_ROWS]


cdef inline void keep_right(uint32_t* run, Py_ssize_t n, const uint8_t* side) noexcept nogil:
    cdef Py_ssize_t i, place = n - 1
    cdef uint32_t key
    for i in range(n - 1, -1, -1):
        key = run[i]
        run[place] = key
        place -= 1 - side[key & MOST_ROWS]  # stays in the array, since some key goes left


cdef inline void keep_both(
    uint32_t* run, Py_ssize_t n, Py_ssize_t n_left, const uint8_t* side, uint32_t* other,
) noexcept nogil:
    cdef Py_ssize_t i, to_left = 0
    cdef uint32_t key
    for i in range(n):
        key = run[i]
        run[to_left] = key
        other[i - to_left] = key
        to_left += side[key & MOST_ROWS]
    memcpy(run + n_left, other, (n - n_left) * sizeof(uint32_t))
