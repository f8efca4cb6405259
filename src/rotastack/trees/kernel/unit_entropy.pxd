"""Information gains for rows of weight 1.

h(x) = x log2 x is stored in fixed point, as an integer multiple of 2^-40. Its sums are exact, so equally good cuts have
equal merits in any order of summation. `criteria.pxd` defines the merit of a cut: the sum of h over the classes of both
sides, less the sum of h over the sizes of the sides.

The contribution of a class to the first sum depends only on the number of its rows on the left, and is read from tables
of the node. With two classes, `of_one` and `of_other` hold the contributions, so a scan only counts the rows of the
first class on the left. With more classes, the table of a class holds the change of the sum by the next row of the
class that goes left.
"""

from libc.math cimport rint
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.structures cimport Units

cdef enum:
    ROW = 0xFFFF    # the bits of a compact key that hold the row

cdef extern from *:
    """
    #define UNIT 1099511627776.0            /* 2^40: one bit of one row */
    #define NO_BAR (-((int64_t) 1 << 62))   /* less than any merit: sums over 65,535 rows stay below 2^62 */
    """
    const double UNIT
    const int64_t NO_BAR


# The result of a scan; place is 0 without an allowed cut.
cdef struct UnitCut:
    int64_t merit
    Py_ssize_t place            # the rows [0, place) go left
    Py_ssize_t n_cuts           # number of tried cuts, if the scan counts them


cdef inline int take_units(
    list kept, const int32_t* y, Py_ssize_t n, Py_ssize_t n_classes, const double* table, Units* units
) except -1:
    """Allocate the memory of `units` for nodes of at most n rows, and fill the parts that all nodes share."""
    cdef Py_ssize_t row, x
    units.classes = <uint8_t*> take(kept, n, sizeof(uint8_t))
    units.h = <int64_t*> take(kept, n + 1, sizeof(int64_t))
    units.of_sides = <int64_t*> take(kept, n + 1, sizeof(int64_t))
    units.tables = <int64_t*> take(kept, n + 2, sizeof(int64_t))
    units.begin = <uint32_t*> take(kept, n_classes, sizeof(uint32_t))
    units.following = <uint32_t*> take(kept, n_classes, sizeof(uint32_t))
    for row in range(n):
        units.classes[row] = <uint8_t> y[row]
    for x in range(n + 1):
        units.h[x] = <int64_t> rint(table[x] * UNIT)
    return 0


cdef inline void fill_tables(
    const double* total, Py_ssize_t n_classes, Py_ssize_t n, Units* units
) noexcept nogil:
    """Fill the tables of a node of n rows with the class weights `total`."""
    cdef const int64_t* h = units.h
    cdef int64_t* sides = units.of_sides
    cdef Py_ssize_t c, i, n_present = 0
    for i in range(n + 1):
        sides[i] = h[i] + h[n - i]
    units.of_classes = 0
    for c in range(n_classes):
        units.of_classes += h[<Py_ssize_t> total[c]]
        n_present += total[c] > 0.0
    units.two = n_present == 2
    if units.two:
        fill_two(total, n, units)
    else:
        fill_many(total, n_classes, units)


cdef inline void fill_two(const double* total, Py_ssize_t n, Units* units) noexcept nogil:
    cdef const int64_t* h = units.h
    cdef int64_t* table = units.tables
    cdef Py_ssize_t of_class, c = 0, k
    while total[c] == 0.0:
        c += 1
    of_class = <Py_ssize_t> total[c]
    units.one = <uint8_t> c
    units.of_one = table
    for k in range(of_class + 1):
        table[k] = h[k] + h[of_class - k]
    table += of_class + 1
    of_class = n - of_class
    units.of_other = table
    for k in range(of_class + 1):
        table[k] = h[k] + h[of_class - k]


cdef inline void fill_many(const double* total, Py_ssize_t n_classes, Units* units) noexcept nogil:
    cdef const int64_t* h = units.h
    cdef int64_t* table = units.tables
    cdef Py_ssize_t of_class, c, k
    for c in range(n_classes):
        units.begin[c] = <uint32_t> (table - units.tables)
        of_class = <Py_ssize_t> total[c]
        for k in range(of_class):
            table[k] = (h[k + 1] - h[k]) - (h[of_class - k] - h[of_class - 1 - k])
        table += of_class


cdef inline UnitCut scan_units(
    const uint32_t* run, Py_ssize_t n, const uint16_t* apart, Py_ssize_t n_classes, Py_ssize_t at_least,
    int64_t bar, int64_t more, bint count, const Units* units,
) noexcept nogil:
    """Return the best cut with a merit above `bar`; a later cut must exceed the best merit so far by over `more`.

    Each side has at least `at_least` rows. `compact.pxd` describes `run` and `apart`.
    """
    if n < 2 * at_least:
        return UnitCut(bar, 0, 0)
    if units.two:
        return scan_two(run, n, apart, at_least, bar, more, count, units)
    return scan_many(run, n, apart, n_classes, at_least, bar, more, count, units)


cdef inline UnitCut scan_two(
    const uint32_t* run, Py_ssize_t n, const uint16_t* apart, Py_ssize_t at_least,
    int64_t bar, int64_t more, bint count, const Units* units,
) noexcept nogil:
    cdef const uint8_t* classes = units.classes
    cdef const int64_t* sides = units.of_sides
    cdef const int64_t* of_one = units.of_one
    cdef const int64_t* of_other = units.of_other
    cdef uint8_t one = units.one
    cdef Py_ssize_t n_one = 0, n_cuts = 0, place = 0, i
    cdef uint32_t key, following
    cdef int64_t merit
    for i in range(at_least - 1):
        n_one += classes[run[i] & ROW] == one
    following = run[at_least - 1]
    for i in range(at_least, n - at_least + 1):
        key = following
        following = run[i]
        n_one += classes[key & ROW] == one
        merit = of_one[n_one] + of_other[i - n_one] - sides[i]
        if count:
            n_cuts += apart[key >> 16] <= following >> 16
        if merit > bar and apart[key >> 16] <= following >> 16:     # the first condition is seldom true
            bar = merit + more
            place = i
    return UnitCut(bar - more, place, n_cuts)


cdef inline UnitCut scan_many(
    const uint32_t* run, Py_ssize_t n, const uint16_t* apart, Py_ssize_t n_classes, Py_ssize_t at_least,
    int64_t bar, int64_t more, bint count, const Units* units,
) noexcept nogil:
    cdef const uint8_t* classes = units.classes
    cdef const int64_t* sides = units.of_sides
    cdef const int64_t* tables = units.tables
    cdef uint32_t* next_one = units.following
    cdef int64_t of_classes = units.of_classes, merit
    cdef Py_ssize_t n_cuts = 0, place = 0, i
    cdef uint32_t key, following, k
    cdef uint8_t c
    memcpy(next_one, units.begin, n_classes * sizeof(uint32_t))
    for i in range(at_least - 1):
        c = classes[run[i] & ROW]
        k = next_one[c]
        next_one[c] = k + 1
        of_classes += tables[k]
    following = run[at_least - 1]
    for i in range(at_least, n - at_least + 1):
        key = following
        following = run[i]
        c = classes[key & ROW]
        k = next_one[c]
        next_one[c] = k + 1
        of_classes += tables[k]
        merit = of_classes - sides[i]
        if count:
            n_cuts += apart[key >> 16] <= following >> 16
        if merit > bar and apart[key >> 16] <= following >> 16:     # the first condition is seldom true
            bar = merit + more
            place = i
    return UnitCut(bar - more, place, n_cuts)
