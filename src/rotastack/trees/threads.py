"""Run the units of work of a fit in threads of this process, since compiled code releases the GIL.

A unit depends on its arguments alone, and results come back in order, so a fit gives the same bytes for any number of
threads.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray


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
    with parallel_config("threading"):  # the number of processors here, not in a cluster
        return effective_n_jobs(n_jobs)
