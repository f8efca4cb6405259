"""Run the units of work of a fit in threads of this process, or on the workers of joblib's active backend.

Within ``joblib.parallel_config("dask")``, "ray" or "loky", units go to the workers of that backend. Otherwise the units
run in threads of this process, since compiled code releases the GIL. A unit depends on its arguments alone, and results
come back in order, so a fit gives the same bytes wherever its units run.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

__all__ = ["n_threads", "on_workers", "own", "run_on_workers", "run_threads", "run_units"]


def run_units(function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item, stop, *shared)`` of all items, in order, from threads or from workers.

    `function` is one of a module, so that workers can import it; units must not write to `shared` arrays.
    :func:`run_threads` describes `stop`.
    """
    if len(items) > 1 and on_workers(n_jobs):
        return run_on_workers(function, items, (np.zeros(1, np.uint8), *shared), n_jobs)
    return run_threads(lambda item, stop: function(item, stop, *shared), items, n_jobs)


def run_on_workers(function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item, *shared)`` of all items, in order, from the workers of joblib's active backend."""
    streams = get_active_backend(prefer="threads")[0].supports_return_generator
    parallel = Parallel(n_jobs, return_as="generator" if streams else "list")
    yield from parallel(delayed(function)(item, *shared) for item in items)


def on_workers(n_jobs: int | None) -> bool:
    """Return whether joblib's active backend has several workers that do not share the memory of this process."""
    return n_jobs != 1 and _apart() and effective_n_jobs(n_jobs) > 1


def run_threads(function: Callable[[Any, NDArray[np.uint8]], Any], items: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item, stop)`` of all items, in order.

    Only the main thread receives Ctrl-C. It then sets the entry of `stop` to 1 and waits for the other threads, which
    end soon if `function` checks `stop`.
    """
    stop = np.zeros(1, np.uint8)
    size = min(n_threads(n_jobs), len(items))
    if size <= 1:
        yield from (function(item, stop) for item in items)
        return
    with ThreadPoolExecutor(size) as pool:
        try:
            yield from pool.map(function, items, repeat(stop))
        except BaseException:  # raised here or in a thread, or the caller closed this generator
            stop[0] = 1
            raise


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads of this process that `n_jobs` means."""
    if n_jobs in (None, 1):
        return 1
    if not _apart():
        return effective_n_jobs(n_jobs)
    with parallel_config("threading"):  # the number of processors here, not in the cluster
        return effective_n_jobs(n_jobs)


def _apart() -> bool:
    return not getattr(get_active_backend(prefer="threads")[0], "supports_sharedmem", False)


def own(array: NDArray, dtype: type | None = None) -> NDArray:
    """Return the array contiguous, aligned and of type `dtype`, as compiled code needs it; copied only if necessary."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned and (dtype is None or array.dtype == dtype):
        return array
    return np.require(array, dtype, ["C", "A"])
