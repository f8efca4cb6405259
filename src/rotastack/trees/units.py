"""Run units of a fit: in threads of this process, or wherever joblib's active backend has workers.

Within ``joblib.parallel_config("dask")``, "ray" or "loky", units go to the workers of that backend; otherwise compiled
code, which releases the GIL, runs in threads of this process. A unit is a function of its number and of what all units
share, so what comes back is the same wherever it is run, and comes back in order.

What is shared is one file, which each node maps into its memory once: with a unit its name is sent. The file is in the
folder that joblib's own is in, ``JOBLIB_TEMP_FOLDER`` or that of temporary files. Where workers do not see it, the
arrays are sent instead, to each worker once, as joblib's backends do by themselves.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import joblib
import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from rotastack.base.warned import warn
from rotastack.trees import parts
from rotastack.trees.narrow import narrow
from rotastack.trees.threads import run_threads, workers_apart

__all__ = ["elsewhere", "run_units", "run_wholes"]

SMALL = 1 << 12
"""Arrays of so many numbers come back as they are."""

PATIENCE = 3
"""The backend may fail so often, one time after the other without a unit done, before that is the end."""


def run_units(
    function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None, *, splits: bool = True
) -> Iterator:
    """Yield ``function(item, stop, *shared)`` of all items, in order.

    Parameters
    ----------
    function : callable
        Of a module; what it returns may hold arrays in tuples. `stop` is as for
        :func:`rotastack.trees.threads.run_threads`.
    items : sequence of int, str or tuple of these
        Sent with each unit.
    shared : sequence
        Arrays, which are only read, and whatever else all units take.
    n_jobs : int or None
    splits : bool
        Whether parts of a fit (:mod:`rotastack.trees.parts`) share the units out; otherwise each runs all of them.
    """

    def here(items: Sequence) -> Iterator:
        return run_threads(lambda item, stop: function(item, stop, *shared), items, n_jobs)

    return _run(_unit, function, items, shared, n_jobs, here, splits)


def run_wholes(function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None) -> Iterator:
    """Yield ``function(item, n_jobs, *shared)`` of all items, in order: of units that use threads themselves.

    In this process they run one after the other, with `n_jobs` threads each; elsewhere side by side, with one each.
    """

    def here(items: Sequence) -> Iterator:
        return (function(item, n_jobs, *shared) for item in items)

    return _run(_whole, function, items, shared, n_jobs, here, True)


def _run(
    call: Callable, function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None, here: Callable, splits: bool
) -> Iterator:  # fmt: skip
    if splits and parts.active():
        yield from parts.shared_out(here, items)
    elif len(items) > 1 and elsewhere(n_jobs):
        yield from _sent(call, function, items, shared, n_jobs)
    else:
        yield from here(items)


def elsewhere(n_jobs: int | None) -> bool:
    """Return whether units go to workers that do not share the memory of this process."""
    return n_jobs != 1 and workers_apart() and effective_n_jobs(n_jobs) > 1


def _sent(call: Callable, function: Callable, items: Sequence, shared: Sequence, n_jobs: int | None) -> Iterator:
    """Yield what workers return, in order. If one of them is lost, and units with it, the rest is sent once more."""
    backend = get_active_backend(prefer="threads")[0]
    how = "generator" if backend.supports_return_generator else "list"
    # Workers may still have the file mapped: on NFS, and on Windows, it cannot go before they close it.
    with TemporaryDirectory(
        prefix="rotastack-", dir=os.environ.get("JOBLIB_TEMP_FOLDER"), ignore_cleanup_errors=True
    ) as folder:
        given: Sequence = (_File(f"{folder}/shared"),)
        joblib.dump(tuple(shared), given[0].path)
        done = failures = 0
        while done < len(items):
            try:
                rest = (delayed(_guarded)(call, function, item, *given) for item in items[done:])
                for found in Parallel(n_jobs, return_as=how)(rest):
                    yield _unpacked(found)
                    done, failures = done + 1, 0
            except _UnseenError:
                given = shared
            except _UnitError as raised:
                raise raised.args[0] from None
            except Exception as error:  # a worker was lost; each backend raises something else then
                failures += 1
                if failures > PATIENCE:
                    raise RuntimeError(
                        f"{type(backend).__name__} failed {failures} times without a unit done, at last with "
                        f"{type(error).__name__}: {error}"
                    ) from error
                warn(f"a worker was lost ({type(error).__name__}); what it had to do is done anew")


class _File(NamedTuple):
    """Where shared arguments are."""

    path: str


class _UnseenError(Exception):
    """This worker does not see the file of shared arguments."""


class _UnitError(Exception):
    """What a unit raised; anything else is the backend's."""


def _guarded(call: Callable, function: Callable, item: Any, *given: Any) -> Any:
    if given and isinstance(given[0], _File):
        given = _opened(given[0].path)
    try:
        return call(function, item, *given)
    except Exception as error:  # the unit's own: told from what the backend raises, which is tried again
        raise _UnitError(error) from error


@lru_cache(maxsize=1)
def _opened(path: str) -> tuple:
    """Return what is in a file, its arrays mapped into memory."""
    if not Path(path).exists():
        raise _UnseenError
    return tuple(np.asarray(part) if isinstance(part, np.memmap) else part for part in joblib.load(path, mmap_mode="r"))


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
    if found.dtype.kind == "f" and (np.signbit(found).any() or (found != np.rint(found)).any() or found.max() > 2**32):
        return found
    return _Narrowed(narrow(found), found.dtype)


def _unpacked(found: Any) -> Any:
    if type(found) is tuple:
        return tuple(_unpacked(part) for part in found)
    return found.numbers.astype(found.kind) if isinstance(found, _Narrowed) else found
