"""Training in a separate process, for estimators that may crash or hang: the process ends, and the study goes on.

A crash raises no exception, and a loop in C handles no signal. So the training process sets an alarm at the start of
each training, by which the kernel ends the process. The job's process then reads how the training process ended.
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

from rotastack.errors import RotastackError
from rotastack.workflow.run.job import Job

Alarm = Callable[[float | None], None]
"""Sets, at the start of a training, the seconds that the training may take; None is no limit."""
Work = Callable[[Job, Alarm], None]
"""Trains and writes the outputs; if the alarm raises an error, writes that the training failed with it."""

_OF_THE_MACHINE = {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU", "SIGBUS"}
"""Signals that no estimator causes: memory ran out, or the job was ended."""
_TRUSTED = ("rotastack", "sklearn")
"""Packages whose estimators do not crash."""
_INTERVAL = 0.05  # seconds between two checks


class TrainingStoppedError(Exception):
    """The error of a training that took too long, or whose process crashed."""


def train_watched(job: Job, work: Work, trained: Any, limit: float | None = None) -> None:
    """Do the work of a training job, in a separate process if it has a limit or trains foreign classes."""
    if not (limit or _foreign(trained)):
        work(job, lambda seconds: None)
        return
    try:
        failure = _in_fork(lambda: work(job, _set_alarm), limit)
    except MemoryError:
        if not limit:
            raise
        failure = TrainingStoppedError("the training ran out of memory")
    if failure is not None:
        work(job, failing(failure))


def _foreign(content: Any) -> bool:
    """Return whether a slice names a class that is not from Rotastack or scikit-learn."""
    if isinstance(content, Mapping):
        named = [content[k] for k in ("class", "estimator") if isinstance(content.get(k), str)]
        return any(n.partition(".")[0] not in _TRUSTED for n in named) or any(map(_foreign, content.values()))
    return isinstance(content, list) and any(map(_foreign, content))


def _set_alarm(seconds: float | None) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # at the alarm the kernel ends the process
    signal.setitimer(signal.ITIMER_REAL, seconds or 0)


def failing(failure: Exception) -> Alarm:
    """Return an alarm by which a training fails at its start, because it failed in another process."""

    def set_alarm(seconds: float | None) -> None:
        raise failure

    return set_alarm


def _in_fork(work: Callable[[], None], limit: float | None) -> TrainingStoppedError | None:
    """Do the work in a fork; return the error if an estimator ended the fork, and None if the work was done."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work_and_send, args=(work, sender))
    process.start()
    sender.close()
    received: list[BaseException | None] = []
    try:
        while process.exitcode is None and not receiver.poll(_INTERVAL):
            pass
        with suppress(EOFError):  # the fork sent nothing: its exit code is the reason
            received = [receiver.recv()] if receiver.poll() else []
        process.join(timeout=1.0 if received else None)
    finally:
        with suppress(ProcessLookupError):  # all processes have ended
            os.killpg(process.pid or 0, signal.SIGKILL)  # this also ends processes that an estimator started
        process.join()
    if received and received[0] is None:
        return None
    if received and received[0] is not None:
        raise received[0]
    code = process.exitcode or 0
    if code >= 0:
        return TrainingStoppedError(f"the training process exited with code {code}")
    name = signal.Signals(-code).name
    if name == "SIGALRM":
        return TrainingStoppedError(f"the training took longer than {limit:g} s (training_limit)")
    if name == "SIGKILL" and limit:
        return TrainingStoppedError("SIGKILL ended the training process, probably for lack of memory")
    if name in _OF_THE_MACHINE:
        more = ", probably for lack of memory" if name == "SIGKILL" else ""
        raise RotastackError(f"{name} ended the training process{more}")
    return TrainingStoppedError(f"the training process crashed ({name})")


def _end_with_the_job() -> None:
    """Wait until the job's process ends, then end this process and the processes that an estimator started."""
    job = multiprocessing.parent_process()
    assert job is not None  # this process is a fork of the job's process
    wait([job.sentinel])
    os.killpg(0, signal.SIGKILL)


def _work_and_send(work: Callable[[], None], sender: Connection) -> None:
    """Work in the fork, and send the error to the job's process; send None at the end of the work."""
    os.setpgid(0, 0)
    threading.Thread(target=_end_with_the_job, daemon=True).start()
    failure: BaseException | None = None
    try:
        work()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except (RotastackError, OSError, MemoryError, KeyboardInterrupt) as error:
        failure = error
    except Exception as error:
        traceback.print_exception(error)
        failure = RotastackError(f"{type(error).__name__}: {error}")
    sys.stdout.flush()
    sys.stderr.flush()
    sender.send(failure)
