"""Random numbers inside compiled code: splitmix64 (Steele, Lea & Flood 2014), one state per tree."""

import numpy as np

from rotastack.trees.kernel.compiling import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31, _32 = (np.uint64(k) for k in (11, 27, 30, 31, 32))


@compiled
def draw_bits(state):
    """Return 64 random bits and advance `state`, an array of one uint64."""
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


@compiled
def draw_below(state, n):
    """Return a whole number from 0 to n - 1; uneven by at most n / 2^32."""
    return np.int64(((draw_bits(state) >> _32) * np.uint64(n)) >> _32)


@compiled
def draw_unit(state):
    """Return a float64 in [0, 1)."""
    return np.float64(draw_bits(state) >> _11) * (1.0 / 9007199254740992.0)


@compiled
def draw_bootstrap(state, rows, n, ends, size, counts):
    """Add draws with replacement from ``rows[:n]`` to `counts`.

    Without `ends` there are n of them, and all rows are alike; otherwise `size`, and a number in [0, 1) is that of
    the first row whose entry in `ends` is larger.
    """
    if ends.shape[0] == 0:
        for _ in range(n):
            counts[rows[draw_below(state, n)]] += 1
        return
    for _ in range(size):
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
