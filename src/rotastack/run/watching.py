"""Training in a process of its own, where an estimator may crash or hang: that ends this process, and the study goes on.

No exception comes of a crash, and a loop in C hears no signal. So the process that trains sets an alarm as each training
begins, by which the kernel ends it, and the job's process looks at how it ended.
"""

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.errors import RotastackError
from rotastack.run.job import Job

__all__ = ["Beat", "TrainingStoppedError", "check_numbers", "train_watched"]

Beat = Callable[[float | None], None]
"""To be called as a training begins, with the seconds that it may take; None is no limit."""
Work = Callable[[Job, Beat, Exception | None], None]
"""Trains, and writes what came of it; given an exception, writes that training failed by it."""

_OF_THE_MACHINE = {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU", "SIGBUS"}
"""Signals that are no estimator's doing: memory ran out, the job was ended."""
_CAREFUL = ("rotastack", "sklearn")
"""Packages whose estimators are not thought to crash."""
_GLANCE = 0.05  # seconds between two looks


class TrainingStoppedError(Exception):
    """A training took too long, or its process crashed."""


def train_watched(job: Job, work: Work, trained: Any, limit: float | None = None) -> None:
    """Do the work of a job that trains: in a process of its own if there is a limit, or classes of others are trained.

    Parameters
    ----------
    job : Job
    work : callable
    trained : mapping
        Part of a slice, with the paths of classes.
    limit : float, optional
        Seconds that a training may take, if that is limited; the work tells them as it begins one.

    Raises
    ------
    RotastackError
        The process was ended from outside.
    """
    if sys.platform == "win32" or not (limit or _foreign(trained)):
        work(job, lambda seconds: None, None)
        return
    try:
        failure = _apart(lambda: work(job, _set_alarm, None), limit)
    except MemoryError:
        if not limit:
            raise
        failure = TrainingStoppedError("it was out of memory")
    if failure is not None:
        work(job, lambda seconds: None, failure)


def check_numbers(outputs: NDArray[np.floating], estimator: str, task: str) -> None:
    """Refuse outputs (..., row, class) of which some are no numbers; a regression's intervals may be missing.

    Raises
    ------
    ValueError
        With how many rows there are of them.
    """
    decided = outputs[..., :1] if task == "regression" else outputs
    odd = ~np.isfinite(decided).all(axis=-1)
    if odd.any():
        name = estimator.rpartition(".")[2]
        raise ValueError(f"{name} gave NaN or infinity for {int(odd.sum())} of {odd.size} predicted rows")


def _foreign(content: Any) -> bool:
    """Tell whether a slice names a class that is neither ours nor scikit-learn's."""
    if isinstance(content, Mapping):
        named = [content[k] for k in ("class", "estimator") if isinstance(content.get(k), str)]
        return any(n.partition(".")[0] not in _CAREFUL for n in named) or any(map(_foreign, content.values()))
    return isinstance(content, list) and any(map(_foreign, content))


def _set_alarm(seconds: float | None) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the kernel ends the process
    signal.setitimer(signal.ITIMER_REAL, seconds or 0)


def _apart(work: Callable[[], None], limit: float | None) -> TrainingStoppedError | None:
    """Do the work in a fork; return why it did not come to its end, if an estimator is to blame."""
    context = multiprocessing.get_context("fork")
    hears, tells = context.Pipe(duplex=False)
    process = context.Process(target=_work_and_tell, args=(work, tells))
    process.start()
    tells.close()
    said: list[BaseException | None] = []
    try:
        while process.exitcode is None and not hears.poll(_GLANCE):
            pass
        with suppress(EOFError):  # it ended without a word: its exit code tells
            said = [hears.recv()] if hears.poll() else []
        process.join(timeout=1.0 if said else None)
    finally:
        with suppress(ProcessLookupError):  # all have ended
            os.killpg(process.pid or 0, signal.SIGKILL)  # and what an estimator has started
        process.join()
    if said and said[0] is None:
        return None
    if said and said[0] is not None:
        raise said[0]
    code = process.exitcode or 0
    if code >= 0:
        return TrainingStoppedError(f"the process was ended from inside, with exit code {code}")
    name = signal.Signals(-code).name
    if name == "SIGALRM":
        return TrainingStoppedError(f"it took longer than {limit:g} s (training_limit)")
    if name == "SIGKILL" and limit:
        return TrainingStoppedError("its process was ended by SIGKILL: it was out of memory, most likely")
    if name in _OF_THE_MACHINE:
        more = ": was it out of memory?" if name == "SIGKILL" else ""
        raise RotastackError(f"the process that trains was ended by {name}{more}")
    return TrainingStoppedError(f"the process crashed ({name})")


def _end_with_the_job() -> None:
    """Wait for the job's process to end, and end this one then, with what an estimator has started."""
    job = multiprocessing.parent_process()
    assert job is not None  # this is a fork of it
    wait([job.sentinel])
    os.killpg(0, signal.SIGKILL)


def _work_and_tell(work: Callable[[], None], tells: Connection) -> None:
    """In the fork: work, and tell of an error, or of None at the end."""
    os.setpgid(0, 0)
    threading.Thread(target=_end_with_the_job, daemon=True).start()
    said: BaseException | None = None
    try:
        work()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except (RotastackError, OSError, MemoryError, KeyboardInterrupt) as error:
        said = error
    except Exception as error:
        traceback.print_exception(error)
        said = RotastackError(f"{type(error).__name__}: {error}")
    sys.stdout.flush()
    sys.stderr.flush()
    tells.send(said)
