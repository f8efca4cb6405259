"""Sort the rows of a node by a column.

The upper half of a key holds the order-preserving bits of a float32, the lower half a row number, so no two keys are
equal. Few keys are ranked: the rank of a key is the number of smaller keys, which needs no branch that could be
mispredicted. Columns of two values, such as dummy columns, are partitioned. Other columns are sorted in steps: the
range from the smallest to the largest value has 2^(2 d) equal steps, and a radix sort by the lower and the upper d bits
of the step is followed by one insertion pass that sorts the values within a step. If this pass has too much work
(because of heavy tails; ties cost nothing), a radix sort of the bits of the values replaces it.
"""

from libc.stdint cimport INT32_MIN, UINT64_MAX, int32_t, uint32_t, uint64_t

from rotastack.trees.kernel.structures cimport Sorter

cdef enum:
    FEW = 20
    MOST_BITS = 11
    STARTS = 1 << (MOST_BITS + 1)   # length of a sorter's `starts`

cdef union Single:
    float value
    int32_t bits


cdef inline uint64_t key_of(float value, uint32_t row) noexcept nogil:
    """Return the key of a value and a row; keys are ordered by value, then by row, and -0 equals 0."""
    cdef Single single
    cdef int32_t bits
    single.value = value
    bits = 0 if single.bits == INT32_MIN else single.bits
    return (<uint64_t> <uint32_t> (bits ^ ((bits >> 31) | INT32_MIN)) << 32) | row


cdef inline float value_of(uint64_t key) noexcept nogil:
    """Return the value of a key."""
    cdef Single single
    cdef int32_t ordered = <int32_t> (key >> 32)
    single.bits = ordered ^ ((~ordered >> 31) | INT32_MIN)
    return single.value


cdef inline uint32_t row_of(uint64_t key) noexcept nogil:
    return <uint32_t> key


cdef inline bint differ(uint64_t key, uint64_t other) noexcept nogil:
    """Return whether the values of two keys differ."""
    return (key ^ other) >> 32 != 0


cdef inline void gather(
    const float* column, const uint32_t* rows, Py_ssize_t n, float* values, float* least, float* largest,
) noexcept nogil:
    """Copy the values of n rows to `values`, and write the smallest and the largest value."""
    cdef Py_ssize_t i
    cdef float value, low = column[rows[0]], high = column[rows[0]]
    for i in range(n):
        value = column[rows[i]]
        values[i] = value
        low = value if value < low else low
        high = value if value > high else high
    least[0] = low
    largest[0] = high


cdef inline void sort_rows(
    const uint32_t* rows, Py_ssize_t n, float low, float high, const Sorter* sorter
) noexcept nogil:
    """Write the sorted keys of ``rows[:n]`` to the sorter.

    The sorter holds the values of the rows, from `low` to `high`, as `gather` writes them. Equal values are in order
    of the row numbers or in the order of `rows`, which makes no difference to a split.
    """
    cdef int scale_bits = 5
    cdef float scale
    if n <= FEW:
        rank_few(sorter.values, rows, n, sorter.keys, sorter.other)
        return
    if deal_two(sorter.values, rows, n, low, high, sorter.keys):
        return
    while scale_bits < MOST_BITS and (16 * n) >> (2 * scale_bits) > 1:
        scale_bits += 1
    scale = <float> (1 << (2 * scale_bits)) / (high - low)
    # No steps if the range overflows float32 or is almost 0.
    if not (0 < scale < <float> 1e30 and deal_by_step(rows, n, low, scale, scale_bits, sorter)):
        sort_by_bits(rows, n, sorter)


cdef inline void rank_few(
    const float* values, const uint32_t* rows, Py_ssize_t n, uint64_t* keys, uint64_t* unsorted
) noexcept nogil:
    cdef Py_ssize_t i, block, rank, padded = (n + 7) & ~7
    cdef uint64_t key
    cdef int j
    for i in range(n):
        unsorted[i] = key_of(values[i], rows[i])
    if n == 2:
        i = unsorted[0] > unsorted[1]
        keys[0] = unsorted[i]
        keys[1] = unsorted[1 - i]
        return
    for i in range(n, padded):
        unsorted[i] = UINT64_MAX
    for i in range(n):
        key = unsorted[i]
        rank = 0
        for block in range(0, padded, 8):
            for j in range(8):
                rank += unsorted[block + j] < key
        keys[rank] = key


cdef inline bint deal_two(
    const float* values, const uint32_t* rows, Py_ssize_t n, float low, float high, uint64_t* keys
) noexcept nogil:
    """Sort a column of two values; return False without sorting if there are values between them."""
    cdef Py_ssize_t i, to_low = 0, to_high = 0
    cdef bint is_low
    for i in range(n):
        if values[i] != low and values[i] != high:
            return False
        to_high += values[i] == low
    for i in range(n):
        is_low = values[i] == low
        keys[to_low if is_low else to_high] = key_of(values[i], rows[i])
        to_low += is_low
        to_high += not is_low
    return True


cdef inline bint deal_by_step(
    const uint32_t* rows, Py_ssize_t n, float low, float scale, int scale_bits, const Sorter* sorter
) noexcept nogil:
    """Sort by steps; return False, with the keys unsorted, if too many different values share a step."""
    cdef const float* values = sorter.values
    cdef uint64_t* keys = sorter.keys
    cdef uint64_t* other = sorter.other
    cdef int32_t* lower = sorter.starts
    cdef int32_t* upper = sorter.starts + (1 << scale_bits)
    cdef uint32_t step, mask = (1 << scale_bits) - 1
    cdef int32_t count, total_lower = 0, total_upper = 0
    cdef float last = <float> ((1 << (2 * scale_bits)) - 1)
    cdef float steps
    cdef uint64_t key
    cdef Py_ssize_t i, j, patience = 2 * n
    for i in range(2 << scale_bits):
        lower[i] = 0
    for i in range(n):
        steps = (values[i] - low) * scale
        step = <int32_t> (steps if steps < last else last)  # NaN, the result of an overflow, is last
        other[i] = (<uint64_t> step << 32) | <uint64_t> i
    for i in range(n):
        step = <uint32_t> (other[i] >> 32)
        lower[step & mask] += 1
        upper[step >> scale_bits] += 1
    for i in range(1 << scale_bits):
        count = lower[i]
        lower[i] = total_lower
        total_lower += count
        count = upper[i]
        upper[i] = total_upper
        total_upper += count
    for i in range(n):
        key = other[i]
        step = <uint32_t> (key >> 32) & mask
        keys[lower[step]] = key
        lower[step] += 1
    for i in range(n):
        key = keys[i]
        step = <uint32_t> (key >> 32) >> scale_bits
        other[upper[step]] = key
        upper[step] += 1
    for i in range(n):
        j = row_of(other[i])
        key = key_of(values[j], rows[j])
        j = i
        while j > 0 and keys[j - 1] >> 32 > key >> 32:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
        patience -= i - j
        if patience < 0:
            return False
    return True


cdef inline void sort_by_bits(const uint32_t* rows, Py_ssize_t n, const Sorter* sorter) noexcept nogil:
    """Sort by the four bytes of the value, least significant first; a byte that all values share is skipped."""
    cdef const float* values = sorter.values
    cdef uint64_t* keys = sorter.keys
    cdef uint64_t* other = sorter.other
    cdef int32_t* starts = sorter.starts
    cdef uint64_t key
    cdef int32_t count, total
    cdef bint alone, in_keys = True
    cdef Py_ssize_t i
    cdef int b, digit
    for b in range(4 * 256):
        starts[b] = 0
    for i in range(n):
        key = key_of(values[i], rows[i])
        keys[i] = key
        for digit in range(4):
            starts[digit * 256 + ((key >> (32 + 8 * digit)) & 0xFF)] += 1
    for digit in range(4):
        total = 0
        alone = False
        for b in range(digit * 256, digit * 256 + 256):
            count = starts[b]
            alone |= count == n
            starts[b] = total
            total += count
        if alone:
            continue
        if in_keys:
            deal(keys, other, starts + digit * 256, n, 32 + 8 * digit)
        else:
            deal(other, keys, starts + digit * 256, n, 32 + 8 * digit)
        in_keys = not in_keys
    if not in_keys:
        for i in range(n):
            keys[i] = other[i]


cdef inline void deal(
    const uint64_t* source, uint64_t* target, int32_t* starts, Py_ssize_t n, int shift
) noexcept nogil:
    cdef Py_ssize_t i
    cdef int32_t* start
    for i in range(n):
        start = &starts[(source[i] >> shift) & 0xFF]
        target[start[0]] = source[i]
        start[0] += 1
