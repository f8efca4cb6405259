"""The bag of a tree: its rows and their weights."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from rotastack.trees.kernel.randomness cimport draw_bootstrap

# The rule for bags. Rows of weight 0 take no part.
cdef struct Bagging:
    bint bootstrap
    const double* ends          # (n_ends,): see `draw_bootstrap`
    Py_ssize_t n_ends
    int64_t size
    const int32_t* given        # (n_trees, n_rows): counts in place of draws, or NULL
    const double* weight        # (n_rows,)
    uint32_t* part              # (n_part,): the rows that take part
    Py_ssize_t n_part
    uint32_t* held              # (n_held,): the other rows
    Py_ssize_t n_held
    int32_t* counts             # (n_rows,): scratch

cdef struct BagSize:
    Py_ssize_t n_rows
    Py_ssize_t n_ones           # rows of weight 1


cdef inline void tell_apart(Bagging* bagging, const double* weight, Py_ssize_t n) noexcept nogil:
    """Set the weights, and list the rows that take part and the other rows."""
    cdef Py_ssize_t n_part = 0, n_held = 0
    cdef bint takes_part
    cdef uint32_t row
    bagging.weight = weight
    for row in range(<uint32_t> n):
        takes_part = weight[row] > 0.0
        bagging.part[n_part] = row
        bagging.held[n_held] = row
        n_part += takes_part
        n_held += not takes_part
    bagging.n_part = n_part
    bagging.n_held = n_held


cdef inline BagSize fill_bag(
    const Bagging* bagging, Py_ssize_t n, Py_ssize_t tree, uint64_t* state,
    const double* target, double* pairs, uint32_t* rows,
) noexcept nogil:
    """Write the rows of a tree's bag, and the weights and weighted targets of all rows that take part."""
    cdef BagSize bag
    cdef Py_ssize_t row
    cdef bint drawn = False
    if bagging.given != NULL:
        for row in range(n):
            bagging.counts[row] = bagging.given[tree * n + row]
    elif bagging.bootstrap:
        drawn = True
        for row in range(n):
            bagging.counts[row] = 0
        draw_bootstrap(
            state, bagging.part, bagging.n_part, bagging.ends, bagging.n_ends, bagging.size, bagging.counts
        )
    else:
        see_once(bagging, n)
    bag = weigh_rows(bagging, drawn, target, pairs, rows)
    if bag.n_rows == 0:     # the counts leave out every row
        see_once(bagging, n)
        bag = weigh_rows(bagging, drawn, target, pairs, rows)
    return bag


cdef inline void see_once(const Bagging* bagging, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t row
    for row in range(n):
        bagging.counts[row] = 1


cdef inline BagSize weigh_rows(
    const Bagging* bagging, bint drawn, const double* target, double* pairs, uint32_t* rows
) noexcept nogil:
    """Write the weights: the number of draws of rows drawn by weight; else the count times the weight of the row."""
    cdef BagSize bag = BagSize(0, 0)
    cdef Py_ssize_t i, row
    cdef double weight
    for i in range(bagging.n_part):
        row = bagging.part[i]
        weight = bagging.counts[row]
        if not drawn:
            weight *= bagging.weight[row]
        pairs[2 * row] = weight
        pairs[2 * row + 1] = weight * target[row]
        rows[bag.n_rows] = <uint32_t> row
        bag.n_rows += weight > 0.0
        bag.n_ones += weight == 1.0
    return bag
