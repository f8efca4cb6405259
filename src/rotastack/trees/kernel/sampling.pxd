"""Draw rows and columns without replacement, in order.

What is drawn for a tree or a round depends on the booster's seed and their numbers alone: neither on what was
drawn before, nor on how many rounds are grown at once.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from rotastack.trees.kernel.randomness cimport draw_bits, draw_unit

ctypedef fused place:
    int32_t
    uint32_t


cdef inline uint64_t state_of(uint64_t seed, uint64_t number) noexcept nogil:
    """Return the state that the draws of this number begin with."""
    cdef uint64_t state = seed + number * <uint64_t> 0xD1342543DE82EF95
    return draw_bits(&state)


cdef inline void draw_some(
    uint64_t state, Py_ssize_t n, Py_ssize_t n_wanted, place* drawn, place* left
) noexcept nogil:
    """Write which `n_wanted` of the numbers 0 to n - 1 are drawn, and which are left."""
    cdef Py_ssize_t i, n_drawn = 0
    for i in range(n):
        # As likely as the wanted ones are among what is still to come.
        if n_wanted == n or draw_unit(&state) * <double> (n - i) < <double> (n_wanted - n_drawn):
            drawn[n_drawn] = <place> i
            n_drawn += 1
        else:
            left[i - n_drawn] = <place> i
