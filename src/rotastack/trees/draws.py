"""Arrays of the kernel's random numbers (see `kernel/randomness.pxd`)."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_many_below", "draw_many_units"]

_STEP, _MIX_1, _MIX_2 = (np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_11, _27, _30, _31, _32 = (np.uint64(k) for k in (11, 27, 30, 31, 32))


def _many_bits(seed: int | np.uint64, size: int) -> NDArray[np.uint64]:
    """Return the first `size` results of ``draw_bits(state)``, starting from the state `seed`."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + _STEP * np.arange(1, size + 1, dtype=np.uint64)
        z = (z ^ (z >> _30)) * _MIX_1
        z = (z ^ (z >> _27)) * _MIX_2
        return z ^ (z >> _31)


def draw_many_below(seed: int | np.uint64, n: int, size: int) -> NDArray[np.int64]:
    """Return the first `size` results of ``draw_below(state, n)``, starting from the state `seed`."""
    return (((_many_bits(seed, size) >> _32) * np.uint64(n)) >> _32).astype(np.int64)


def draw_many_units(seed: int | np.uint64, size: int) -> NDArray[np.float64]:
    """Return the first `size` results of ``draw_unit(state)``, starting from the state `seed`."""
    return (_many_bits(seed, size) >> _11).astype(np.float64) * (1.0 / 9007199254740992.0)
