"""Presorted columns as 32-bit keys, where there are at most 65,535 rows.

The upper 16 bits of a key are the row's rank in the sorted column of the whole bag, the lower ones the row.
Partitioning the keys of a node stably keeps them sorted. ``apart[rank]`` is the first rank whose value is
larger than that at `rank`: between two keys there is a cut if the rank of the second is at least `apart` of
the first.
"""

import numpy as np

from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.sorting import sort_rows
from rotastack.trees.kernel.splitting import gather

MOST_ROWS = 0xFFFF

# Indices are unsigned throughout: numba looks whether signed ones count from the end.
_0, _1, _16, _32 = np.uint64(0), np.uint64(1), np.uint64(16), np.uint64(32)
_ROW = np.uint64(0xFFFF)
_SIGN = np.int32(-2147483648)


@compiled
def presort_compact(
    data, stored, source, n_columns, rows, n, gap, keys, other, values, bits, starts, orders, apart, ranked,
):  # fmt: skip
    """Write the sorted keys of column j to ``orders[j * n : (j + 1) * n]``, and its `apart` likewise.

    Values that differ by at most `gap` count as equal. The sorted values are written to `ranked` if that is
    not empty.
    """
    for j in range(n_columns):
        where = source[j]
        if where >= 0:
            low, high = gather(data, where, rows, n, values)
        else:
            low, high = gather(stored, -1 - where, rows, n, values)
        sort_rows(values, bits, rows, n, low, high, keys, other, starts)
        run = orders[j * n : (j + 1) * n]
        for i in range(n):
            key = keys[i]
            run[i] = (np.uint64(i) << _16) | (key & _ROW)
            ordered = np.int32(key >> _32)
            bits[i] = ordered ^ ((~ordered >> np.int32(31)) | _SIGN)
        _find_apart(values, n, gap, apart[j * n : (j + 1) * n])
        if ranked.shape[0] >= n_columns * n:
            ranked[j * n : (j + 1) * n] = values[:n]


@compiled
def _find_apart(values, n, gap, apart):
    larger = n
    value = np.float64(values[n - 1])
    apart[n - 1] = n
    for i in range(n - 2, -1, -1):
        following = value
        value = np.float64(values[i])
        far = value + gap < following
        larger = i + 1 if far else larger
        if value < following and not far:
            larger = i + 2
            while larger < n and not value + gap < np.float64(values[larger]):
                larger += 1
        apart[i] = larger


@compiled
def constant(run, n, apart):
    """Return whether no two values of a column in a node are farther apart than the gap: no cut."""
    return np.uint64(apart[np.uint64(run[0]) >> _16]) > (np.uint64(run[n - 1]) >> _16)


@compiled
def part_compact(orders, n_columns, n_bag, first, n, n_left, side, want_left, want_right, other):
    """Partition the keys of every column stably by ``side[row]``; the keys of an unwanted side are dropped."""
    for j in range(n_columns):
        run = orders[j * n_bag + first : j * n_bag + first + n]
        if not want_right:
            _keep_left(run, n, side)
        elif not want_left:
            _keep_right(run, n, side)
        else:
            to_left = _0
            to_right = _0
            for i in range(n):
                key = run[i]
                goes_left = np.uint64(side[np.uint64(key) & _ROW])
                run[to_left] = key
                other[to_right] = key
                to_left += goes_left
                to_right += _1 - goes_left
            run[n_left:] = other[: n - n_left]


@compiled
def _keep_left(run, n, side):
    place = _0
    for i in range(n):
        key = run[i]
        run[place] = key
        place += np.uint64(side[np.uint64(key) & _ROW])


@compiled
def _keep_right(run, n, side):
    place = np.uint64(n - 1)
    for i in range(n):
        key = run[np.uint64(n - 1 - i)]
        run[place] = key
        place -= _1 - np.uint64(side[np.uint64(key) & _ROW])  # stays within: some key goes left
