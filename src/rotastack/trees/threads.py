"""Run compiled functions, which release the GIL, in threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
from joblib import effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

__all__ = ["n_threads", "own", "run_threads", "workers_apart"]


def run_threads(function: Callable[[Any, NDArray[np.uint8]], Any], items: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item, stop)`` of all items, in order.

    Only the main thread hears of Ctrl-C, and it waits for the others to end: they do so soon if they look
    at the entry of `stop`, which is then 1.
    """
    stop = np.zeros(1, np.uint8)
    wanted = min(n_threads(n_jobs), len(items))
    if wanted <= 1:
        yield from (function(item, stop) for item in items)
        return
    with ThreadPoolExecutor(wanted) as pool:
        try:
            yield from pool.map(function, items, repeat(stop))
        except BaseException:  # of this thread, of another one, or nobody wants the rest
            stop[0] = 1
            raise


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads of this process `n_jobs` stands for."""
    if n_jobs in (None, 1):
        return 1
    if not workers_apart():
        return effective_n_jobs(n_jobs)
    with parallel_config("threading"):  # not as many as the cluster has processors
        return effective_n_jobs(n_jobs)


def workers_apart() -> bool:
    """Return whether a backend is asked for whose workers do not share the memory of this process."""
    return not getattr(get_active_backend(prefer="threads")[0], "supports_sharedmem", False)


def own(array: NDArray, dtype: type | None = None) -> NDArray:
    """Return the array as compiled code takes it: contiguous and aligned, and of its type."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned and (dtype is None or array.dtype == dtype):
        return array
    return np.require(array, dtype, ["C", "A"])
