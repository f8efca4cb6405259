"""Gains of information where every row weighs 1.

h(x) = x log2 x is held in fixed point, as a whole number of 2^-40: its sums are exact, so equally good cuts
compare as equal whatever the order of summation. Moving a row of a class to the left changes the sum of h
over the classes of both sides by an amount that depends only on how many rows of the class are there already;
it is looked up in a table of the node, as is the sum of h over the sizes of the sides.
"""

import math

import numpy as np

from rotastack.trees.kernel.compiling import compiled

UNIT = 2.0**40
"""One bit of one row; sums over 65,535 rows stay below 2^62."""

NO_BAR = np.int64(-(1 << 62))

_1, _16 = np.uint64(1), np.uint64(16)
_ROW = np.uint64(0xFFFF)


@compiled
def unit_tables(y, n_classes, table, n):
    """Return the tables for nodes of at most n rows.

    These are the classes of rows; h(x) and its steps h(x + 1) - h(x); of a node, for each class
    where its part of `steps` begins (the same as scratch), `steps` and `sides`. Row k of class c
    that goes left changes the sum over classes by ``steps[begin[c] + k]``; ``sides[i]`` is
    h(i) + h(n - i).
    """
    h = np.empty(n + 1, np.int64)
    up = np.empty(n + 1, np.int64)
    classes = np.empty(y.shape[0], np.uint8)
    if n > 0:
        for row in range(y.shape[0]):
            classes[row] = y[row]
        for x in range(n + 1):
            h[x] = np.int64(np.round(table[x] * UNIT))
        for x in range(n):
            up[x] = h[x + 1] - h[x]
    begin, following = np.empty(n_classes, np.uint32), np.empty(n_classes, np.uint32)
    return classes, h, up, begin, following, np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)


@compiled
def fill_tables(total, n, units):
    """Fill the tables of a node of n rows; return the sum of h over its classes."""
    _, h, up, begin, _, steps, sides = units
    used = 0
    whole = np.int64(0)
    for c in range(total.shape[0]):
        begin[c] = used
        of_class = np.int64(total[c])
        whole += h[of_class]
        here = steps[used : used + of_class]
        upwards = up[:of_class]
        for k in range(of_class):
            here[k] = upwards[k] - upwards[of_class - 1 - k]
        used += of_class
    upwards = h[: n + 1]
    for i in range(n + 1):
        sides[i] = upwards[i] + upwards[n - i]
    return whole


@compiled
def least_rows(least):
    """Return how many rows weigh at least so much, and no fewer than one."""
    return max(np.int64(math.ceil(least)), 1)


@compiled
def scan_units(run, n, apart, of_classes, at_least, bar, more, units):
    """Return (merit, place, cuts tried): the first cut that beats all before it by `more`.

    The merit is that of :mod:`rotastack.trees.kernel.criteria`, in whole numbers. It is larger
    than `bar`, or place is 0. A side has `at_least` rows.
    """
    classes, _, _, begin, following, steps, sides = units
    place = 0
    n_cuts = 0
    n_places = n - 2 * at_least + 1
    if n_places <= 0:
        return bar, place, n_cuts
    for c in range(begin.shape[0]):
        following[c] = begin[c]
    merit = of_classes
    for i in range(at_least - 1):
        c = np.uint64(classes[np.uint64(run[i]) & _ROW])
        k = np.uint64(following[c])
        merit += steps[k]
        following[c] = k + _1
    key = np.uint64(run[at_least - 1])
    later = run[at_least : at_least + n_places]
    both = sides[at_least : at_least + n_places]
    for i in range(n_places):
        c = np.uint64(classes[key & _ROW])
        k = np.uint64(following[c])
        merit += steps[k]
        following[c] = k + _1
        larger = np.uint64(apart[key >> _16])
        key = np.uint64(later[i])
        possible = larger <= (key >> _16)
        n_cuts += possible
        here = merit - both[i]
        if here > bar and possible:  # in this order: what is seldom true is foreseen
            bar = here + more
            place = at_least + i
    return bar - more, place, n_cuts
