"""Run compiled functions, which release the GIL, in threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

__all__ = ["own", "run_threads"]


def run_threads(
    function: Callable[[Any, NDArray[np.uint8]], Any], items: Sequence, n_jobs: int | None
) -> Iterator:
    """Yield ``function(item, stop)`` of all items, in order.

    Only the main thread hears of Ctrl-C, and it waits for the others to end: they do so soon if they look
    at the entry of `stop`, which is then 1.
    """
    stop = np.zeros(1, np.uint8)
    n_threads = min(effective_n_jobs(n_jobs), len(items)) if n_jobs not in (None, 1) else 1
    if n_threads <= 1:
        yield from (function(item, stop) for item in items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            yield from pool.map(function, items, repeat(stop))
        except BaseException:  # of this thread, of another one, or nobody wants the rest
            stop[0] = 1
            raise


def own(array: NDArray, dtype: type | None = None) -> NDArray:
    """Return the array as compiled code takes it: contiguous and aligned, and of its type."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned and (dtype is None or array.dtype == dtype):
        return array
    return np.require(array, dtype, ["C", "A"])
