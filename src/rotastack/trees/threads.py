"""Run compiled functions, which release the GIL, in threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

__all__ = ["own", "run_threads"]


def run_threads(function: Callable[[Any], Any], items: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item)`` of all items, in order."""
    n_threads = min(effective_n_jobs(n_jobs), len(items)) if n_jobs not in (None, 1) else 1
    if n_threads <= 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, items)


def own(array: NDArray, dtype: type | None = None) -> NDArray:
    """Return the array as compiled code takes it: contiguous and writable.

    Read-only arrays, such as those joblib shares between processes, are another type to numba
    and would be compiled for anew.
    """
    flags = array.flags
    if flags.c_contiguous and flags.writeable and (dtype is None or array.dtype == dtype):
        return array
    return np.require(array, dtype, ["C", "W"])
