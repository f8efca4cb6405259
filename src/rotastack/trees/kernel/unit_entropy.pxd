"""Gains of information where every row weighs 1.

h(x) = x log2 x is held in fixed point, as a whole number of 2^-40: its sums are exact, so equally good cuts
compare as equal whatever the order of summation. Moving a row of a class to the left changes the sum of h
over the classes of both sides by an amount that depends only on how many rows of the class are there already;
it is looked up in a table of the node, as is the sum of h over the sizes of the sides.
"""

from libc.math cimport ceil, rint
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.structures cimport Units

cdef enum:
    ROW = 0xFFFF  # the bits of a compact key that hold the row


# What a scan found. The merit is that of `criteria.pxd` in whole numbers; without an allowed split place is 0.
cdef struct UnitCut:
    int64_t merit
    Py_ssize_t place            # the rows [0, place) go left
    Py_ssize_t n_cuts           # how many were tried


cdef extern from *:
    """
    #define UNIT 1099511627776.0            /* 2^40: one bit of one row */
    #define NO_BAR (-((int64_t) 1 << 62))   /* less than any merit: sums over 65,535 rows stay below 2^62 */
    """
    const double UNIT
    const int64_t NO_BAR


cdef inline void unit_tables(
    list kept, const int32_t* y, Py_ssize_t n_rows, Py_ssize_t n_classes, const double* table, Units* units,
) except *:
    """Take the memory of `units`, for nodes of at most n_rows, and fill in what all nodes share.

    These are the classes of rows, h(x) and its steps `up`, h(x + 1) - h(x).
    """
    cdef Py_ssize_t n = n_rows + 1, row, x
    units.n_classes = n_classes
    units.classes = <uint8_t*> take(kept, n_rows, sizeof(uint8_t))
    units.h = <int64_t*> take(kept, n, sizeof(int64_t))
    units.up = <int64_t*> take(kept, n, sizeof(int64_t))
    units.begin = <uint32_t*> take(kept, n_classes, sizeof(uint32_t))
    units.following = <uint32_t*> take(kept, n_classes, sizeof(uint32_t))
    units.steps = <int64_t*> take(kept, n, sizeof(int64_t))
    units.sides = <int64_t*> take(kept, n, sizeof(int64_t))
    for row in range(n_rows):
        units.classes[row] = <uint8_t> y[row]
    for x in range(n):
        units.h[x] = <int64_t> rint(table[x] * UNIT)
    for x in range(n_rows):
        units.up[x] = units.h[x + 1] - units.h[x]


cdef inline int64_t fill_tables(const double* total, Py_ssize_t n, const Units* units) noexcept nogil:
    """Fill the tables of a node of n rows; return the sum of h over its classes.

    Row k of class c that goes left changes the sum over classes by ``steps[begin[c] + k]``; ``sides[i]`` is
    h(i) + h(n - i).
    """
    cdef const int64_t* h = units.h
    cdef const int64_t* up = units.up
    cdef int64_t* steps = units.steps
    cdef int64_t* sides = units.sides
    cdef int64_t whole = 0
    cdef Py_ssize_t of_class, c, i, k
    for c in range(units.n_classes):
        units.begin[c] = <uint32_t> (steps - units.steps)
        of_class = <Py_ssize_t> total[c]
        whole += h[of_class]
        for k in range(of_class):
            steps[k] = up[k] - up[of_class - 1 - k]
        steps += of_class
    for i in range(n + 1):
        sides[i] = h[i] + h[n - i]
    return whole


cdef inline Py_ssize_t least_rows(double least) noexcept nogil:
    """Return how many rows weigh at least so much, and no fewer than one."""
    return max(<Py_ssize_t> ceil(least), 1)


cdef inline UnitCut scan_units(
    const uint32_t* run, Py_ssize_t n, const uint16_t* apart, int64_t of_classes, Py_ssize_t at_least,
    int64_t bar, int64_t more, const Units* units,
) noexcept nogil:
    """Return the first cut whose merit beats `bar`, and all before it, by `more`; a side has `at_least` rows."""
    cdef const uint8_t* classes = units.classes
    cdef const int64_t* steps = units.steps
    cdef const int64_t* sides = units.sides
    cdef uint32_t* following = units.following
    cdef int64_t merit = of_classes, here
    cdef Py_ssize_t place = 0, n_cuts = 0, i
    cdef uint32_t key, k
    cdef uint8_t c
    cdef bint possible
    cdef UnitCut cut
    if n < 2 * at_least:
        cut.merit, cut.place, cut.n_cuts = bar, 0, 0
        return cut
    memcpy(following, units.begin, units.n_classes * sizeof(uint32_t))
    for i in range(at_least - 1):
        c = classes[run[i] & ROW]
        k = following[c]
        merit += steps[k]
        following[c] = k + 1
    key = run[at_least - 1]
    for i in range(at_least, n - at_least + 1):
        c = classes[key & ROW]
        k = following[c]
        merit += steps[k]
        following[c] = k + 1
        possible = apart[key >> 16] <= run[i] >> 16
        key = run[i]
        n_cuts += possible
        here = merit - sides[i]
        if here > bar and possible:  # in this order: what is seldom true is foreseen
            bar = here + more
            place = i
    cut.merit, cut.place, cut.n_cuts = bar - more, place, n_cuts
    return cut
