"""Run units of a fit: in threads of this process, or wherever joblib's active backend has workers.

Within ``joblib.parallel_config("dask")``, "ray" or "loky", units go to the workers
of that backend; otherwise compiled code, which releases the GIL, runs in threads of this process. A unit is a function of
its number and of what all units share, so what comes back is the same wherever it is run, and comes back in order.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from rotastack.trees.narrow import narrow
from rotastack.trees.threads import run_threads, workers_apart

__all__ = ["elsewhere", "run_units", "run_wholes"]

SMALL = 1 << 12
"""Arrays of so many numbers travel as they are."""


def run_units(function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item, stop, *shared)`` of all items, in order.

    Parameters
    ----------
    function : callable
        Of a module; what it returns may hold arrays in tuples. `stop` is as for
        :func:`rotastack.trees.threads.run_threads`.
    items : sequence of int, str or tuple of these
        Sent with each unit.
    shared : sequence
        Arrays, which are only read, and whatever else all units take. What is large reaches a worker once: a memory map of
        loky, an object of ray's store, or data scattered by dask, as the backend does by itself with arguments of Parallel.
    n_jobs : int or None
    """
    if elsewhere(n_jobs) and len(items) > 1:
        yield from _sent(_unit, function, items, shared, n_jobs)
    else:
        yield from run_threads(lambda item, stop: function(item, stop, *shared), items, n_jobs)


def run_wholes(function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item, n_jobs, *shared)`` of all items, in order: of units that use threads themselves.

    In this process they run one after the other, with `n_jobs` threads each; elsewhere side by side, with one each.
    """
    if elsewhere(n_jobs) and len(items) > 1:
        yield from _sent(_whole, function, items, shared, n_jobs)
    else:
        yield from (function(item, n_jobs, *shared) for item in items)


def elsewhere(n_jobs: int | None) -> bool:
    """Return whether units go to workers that do not share the memory of this process."""
    return n_jobs != 1 and workers_apart() and effective_n_jobs(n_jobs) > 1


def _sent(
    call: Callable, function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None
) -> Iterator:
    backend = get_active_backend(prefer="threads")[0]
    returned = Parallel(n_jobs, return_as="generator" if backend.supports_return_generator else "list")(
        delayed(call)(function, item, *shared) for item in items
    )
    return map(_unpacked, returned)


def _unit(function: Callable, item: Any, *shared: Any) -> Any:
    return _packed(function(item, np.zeros(1, np.uint8), *shared))


def _whole(function: Callable, item: Any, *shared: Any) -> Any:
    return _packed(function(item, 1, *shared))


class _Narrowed(NamedTuple):
    """Whole numbers on their way, and the type that they come back to."""

    numbers: NDArray
    kind: np.dtype


def _packed(found: Any) -> Any:
    """Return what a unit found with whole numbers in as few bytes as they take: sums of pure leaves' outputs are such."""
    if type(found) is tuple:
        return tuple(_packed(part) for part in found)
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "if" or found.size < SMALL:
        return found
    if found.dtype.kind == "f" and (
        np.signbit(found).any() or (found != np.rint(found)).any() or found.max() > 2**32
    ):
        return found
    return _Narrowed(narrow(found), found.dtype)


def _unpacked(found: Any) -> Any:
    if type(found) is tuple:
        return tuple(_unpacked(part) for part in found)
    return found.numbers.astype(found.kind) if isinstance(found, _Narrowed) else found
