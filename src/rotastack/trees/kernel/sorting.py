"""Sort the rows of a node by a column.

A key holds the order-preserving bits of a float32 above, a row number below, so no two keys are
equal. Few keys are ranked by counting the smaller ones, which has no branches to mispredict.
Columns of two values, such as 0/1 columns of categories, are parted. More are spread over 2^(2 d)
even steps between the least and the largest value and dealt by the lower and upper d bits of the
step; one insertion pass puts right what shares a step. Where that pass finds much to do (ties do
not count, heavy tails do) a radix sort of the bits takes over.
"""

import numpy as np

from rotastack.trees.kernel.compiling import compiled

__all__ = ["STARTS", "sort_rows"]

FEW = 20
MOST_BITS = 11
STARTS = 1 << (MOST_BITS + 1)
"""Length of the scratch array `starts`."""

_8, _32 = np.uint64(8), np.uint64(32)
_BYTE = np.uint64(0xFF)
_LOW = np.uint64(0xFFFFFFFF)
_LAST = np.uint64(0xFFFFFFFFFFFFFFFF)
_SIGN = np.int32(-2147483648)


@compiled
def _key(bits, row):
    bits = np.int32(0) if bits == _SIGN else bits  # -0 is 0
    ordered = bits ^ ((bits >> np.int32(31)) | _SIGN)
    return (np.uint64(np.uint32(ordered)) << _32) | np.uint64(row)


@compiled
def sort_rows(values, bits, rows, n, low, high, keys, other, starts):
    """Write the sorted keys of ``rows[:n]`` to ``keys[:n]``.

    ``values[:n]`` are their values, between `low` and `high`, and `bits` the same memory as
    int32; `other` and `starts` are scratch. Equal values come in the order of the row numbers
    or of `rows`: it makes no difference to a split.
    """
    if n <= FEW:
        _rank_few(bits, rows, n, keys, other)
        return
    if _deal_two(values, bits, rows, n, low, high, keys):
        return
    scale_bits = 5
    while scale_bits < MOST_BITS and (16 * n) >> (2 * scale_bits) > 1:
        scale_bits += 1
    scale = np.float32(1 << (2 * scale_bits)) / (high - low)
    even = np.float32(0.0) < scale < np.float32(1e30)  # not where the range is no float32, or next to nothing
    if not even or not _deal_by_step(values, bits, rows, n, low, scale, scale_bits, keys, other, starts):
        _sort_by_bits(bits, rows, n, keys, other, starts)


@compiled
def _rank_few(bits, rows, n, keys, other):
    for i in range(n):
        other[i] = _key(bits[i], rows[i])
    if n == 2:
        swap = np.int64(other[0] > other[1])
        keys[0] = other[swap]
        keys[1] = other[1 - swap]
        return
    padded = (n + 7) & ~7
    for i in range(n, padded):
        other[i] = _LAST
    for i in range(n):
        key = other[i]
        rank = 0
        for block in range(0, padded, 8):
            for j in range(8):
                rank += np.int64(other[block + j] < key)
        keys[rank] = key


@compiled
def _deal_two(values, bits, rows, n, low, high, keys):
    """Return False, with nothing done, if there are values between the least and the largest."""
    n_low = 0
    for i in range(n):
        value = values[i]
        if value != low and value != high:
            return False
        n_low += value == low
    n_high = n_low
    n_low = 0
    for i in range(n):
        is_low = np.int64(values[i] == low)
        keys[n_low if is_low else n_high] = _key(bits[i], rows[i])
        n_low += is_low
        n_high += 1 - is_low
    return True


@compiled
def _deal_by_step(values, bits, rows, n, low, scale, scale_bits, keys, other, starts):
    """Return False, with nothing done, if too many different values share a step."""
    n_digits = 1 << scale_bits
    last = np.int32((1 << (2 * scale_bits)) - 1)
    mask = np.uint32(n_digits - 1)
    shift = np.uint32(scale_bits)
    upper = np.uint32(n_digits)
    for b in range(2 * n_digits):
        starts[b] = 0
    for i in range(n):
        step = np.uint32(min(np.int32((values[i] - low) * scale), last))
        other[i] = (np.uint64(step) << _32) | np.uint64(i)
    for i in range(n):
        step = np.uint32(other[i] >> _32)
        starts[step & mask] += 1
        starts[upper + (step >> shift)] += 1
    total_lower = 0
    total_upper = 0
    for b in range(n_digits):
        count = starts[b]
        starts[b] = total_lower
        total_lower += count
        count = starts[n_digits + b]
        starts[n_digits + b] = total_upper
        total_upper += count
    for i in range(n):
        item = other[i]
        b = np.uint32(item >> _32) & mask
        place = starts[b]
        starts[b] = place + 1
        keys[place] = item
    for i in range(n):
        item = keys[i]
        b = upper + (np.uint32(item >> _32) >> shift)
        place = starts[b]
        starts[b] = place + 1
        other[place] = item
    patience = 2 * n
    for i in range(n):
        place = other[i] & _LOW
        key = _key(bits[place], rows[place])
        j = i
        while j > 0 and (keys[j - 1] >> _32) > (key >> _32):
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
        patience -= i - j
        if patience < 0:
            return False
    return True


@compiled
def _sort_by_bits(bits, rows, n, keys, other, starts):
    """Sort by the four bytes of the value, least significant first; bytes all share are skipped."""
    for b in range(1024):
        starts[b] = 0
    for i in range(n):
        key = _key(bits[i], rows[i])
        keys[i] = key
        value = key >> _32
        for digit in range(4):
            starts[np.uint64(digit * 256) + (value & _BYTE)] += 1
            value >>= _8
    in_keys = True
    for digit in range(4):
        base = digit * 256
        total = 0
        alone = False
        for b in range(base, base + 256):
            count = starts[b]
            alone |= count == n
            starts[b] = total
            total += count
        if alone:
            continue
        shift = np.uint64(32 + 8 * digit)
        offset = np.uint64(base)
        if in_keys:
            _deal(keys, other, starts, n, shift, offset)
        else:
            _deal(other, keys, starts, n, shift, offset)
        in_keys = not in_keys
    if not in_keys:
        for i in range(n):
            keys[i] = other[i]


@compiled
def _deal(source, target, starts, n, shift, offset):
    for i in range(n):
        key = source[i]
        b = offset + ((key >> shift) & _BYTE)
        place = starts[b]
        starts[b] = place + 1
        target[place] = key
