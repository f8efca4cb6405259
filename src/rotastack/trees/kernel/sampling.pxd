"""Draw rows and columns without replacement, in order.

The draw for a tree or a round depends only on the booster's seed and on the number of the tree or round. It depends
neither on earlier draws nor on the number of rounds grown at once.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from rotastack.trees.kernel.randomness cimport draw_bits, draw_unit

ctypedef fused place:
    int32_t
    uint32_t


cdef inline uint64_t state_of(uint64_t seed, uint64_t number) noexcept nogil:
    """Return the initial random state of the draws of tree or round `number`."""
    cdef uint64_t state = seed + number * <uint64_t> 0xD1342543DE82EF95
    return draw_bits(&state)


cdef inline void draw_subset(
    uint64_t state, Py_ssize_t n, Py_ssize_t n_wanted, place* drawn, place* left
) noexcept nogil:
    """Draw `n_wanted` of the numbers 0 to n - 1; write the drawn numbers and the left numbers."""
    cdef Py_ssize_t i, n_drawn = 0
    for i in range(n):
        # The probability is the number still to be drawn over the number of remaining candidates.
        if n_wanted == n or draw_unit(&state) * <double> (n - i) < <double> (n_wanted - n_drawn):
            drawn[n_drawn] = <place> i
            n_drawn += 1
        else:
            left[i - n_drawn] = <place> i
