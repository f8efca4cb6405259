"""Random numbers of the kernel: splitmix64 (Steele, Lea & Flood 2014), with one state for each tree."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

ctypedef fused row_number:
    uint32_t
    int64_t


cdef inline uint64_t draw_bits(uint64_t* state) noexcept nogil:
    """Return 64 random bits and advance `state`."""
    cdef uint64_t z
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline int64_t draw_below(uint64_t* state, int64_t n) noexcept nogil:
    """Return a random integer from 0 to n - 1; probabilities deviate from 1 / n by a share of at most n / 2^32."""
    return <int64_t> (((draw_bits(state) >> 32) * <uint64_t> n) >> 32)


cdef inline double draw_unit(uint64_t* state) noexcept nogil:
    """Return a random number in [0, 1)."""
    return <double> (draw_bits(state) >> 11) * (1.0 / 9007199254740992.0)


cdef inline void draw_bootstrap(
    uint64_t* state, const row_number* rows, Py_ssize_t n,
    const double* ends, Py_ssize_t n_ends, int64_t size, int32_t* counts,
) noexcept nogil:
    """Draw from ``rows[:n]`` with replacement, and add the number of draws of each row to `counts`.

    Without `ends` (n_ends is 0), all rows are equally likely, and there are min(n, size) draws. With `ends`, there are
    `size` draws; each draws a number in [0, 1) and takes the first row whose entry in `ends` is larger.
    """
    cdef Py_ssize_t i, low, high, middle
    cdef double drawn
    if n_ends == 0:
        for i in range(min(n, size)):
            counts[rows[draw_below(state, n)]] += 1
        return
    for i in range(size):
        drawn = draw_unit(state)
        low = 0
        high = n - 1
        while low < high:
            middle = (low + high) // 2
            if ends[middle] > drawn:
                high = middle
            else:
                low = middle + 1
        counts[rows[low]] += 1
