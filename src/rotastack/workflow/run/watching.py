"""Training in a separate process, for estimators that may crash or hang: the process ends, and the study goes on.

A crash raises no exception, and a loop in C handles no signal. So a fork of the job's process trains and sends each result,
and the job's process ends a fork that sends nothing within the limit.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from rotastack.errors import RotastackError
from rotastack.workflow.run.job import NO_FAULTS_OF_MODELS

Result = TypeVar("Result")

_OF_THE_MACHINE = {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU", "SIGBUS"}
"""Signals that no estimator causes: memory ran out, or the job was ended."""
_TRUSTED = ("rotastack", "sklearn")
"""Packages whose estimators do not crash."""
_INTERVAL = 0.05  # seconds between two checks


class TrainingStoppedError(Exception):
    """The error of a training that took too long, or whose process crashed."""


class EndedByMachineError(RotastackError, BrokenExecutor):
    """The error of a job whose training process was ended from outside, which is no fault of a model."""


def watched(
    trainings: Iterator[Result], content: Any, limit: float | None = None, apart: bool = True
) -> Iterator[Result]:
    """Yield the results of trainings, each within `limit` seconds; raise TrainingStoppedError after a crash or the limit.

    The trainings are done in a fork if there is a limit or if `content`, a slice, names a foreign class. Errors and warnings
    of the fork are raised again; an error of a model has its name and its text, since its class may be unknown here.
    Memory that runs out is the fault of a model with a limit, also if the trainings are not done `apart`.
    """
    trainings = _within_memory(trainings) if limit else trainings
    if not (apart and (limit or _foreign(content))):
        yield from trainings
        return
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_all, args=(trainings, sender))
    process.start()
    sender.close()
    try:
        while message := _received(receiver, process, limit):
            result, error, told = message
            for category, text in told:
                warnings.warn(text, category, stacklevel=2)
            if isinstance(error, BaseException):
                raise error
            if error is not None:
                name, text = error
                raise type(name, (TrainingStoppedError,), {})(text)
            yield result
    finally:
        process.kill()
        with suppress(ProcessLookupError):  # all processes have ended
            os.killpg(process.pid or 0, signal.SIGKILL)  # this also ends processes that an estimator started
        process.join()


def done_watched(work: Callable[[], Result], content: Any, limit: float | None = None) -> Result:
    """Return the result of one training, see :func:`watched`."""
    return next(watched((work() for _ in range(1)), content, limit))


def _within_memory(trainings: Iterator[Result]) -> Iterator[Result]:
    """Yield the results of trainings; memory that runs out is an error of the training."""
    try:
        yield from trainings
    except MemoryError:
        raise TrainingStoppedError("the training ran out of memory") from None


def _foreign(content: Any) -> bool:
    """Return whether a slice names a class that is not from Rotastack or scikit-learn."""
    if isinstance(content, Mapping):
        named = [content[k] for k in ("class", "estimator") if isinstance(content.get(k), str)]
        return any(n.partition(".")[0] not in _TRUSTED for n in named) or any(map(_foreign, content.values()))
    return isinstance(content, list) and any(map(_foreign, content))


def _received(receiver: Connection, process: Any, limit: float | None) -> Any:
    """Return the next message of the fork; raise an error if there is none within the limit, or if the fork has ended."""
    end = time.monotonic() + (limit or float("inf"))
    while time.monotonic() < end:
        code = process.exitcode  # before the pipe, which an estimator's own processes may hold open
        with suppress(EOFError):  # the fork is about to end
            if receiver.poll(_INTERVAL):
                return receiver.recv()
        if code is not None:
            raise _stopped(code, limit)
    raise TrainingStoppedError(f"the training took longer than {limit:g} s (training_limit)")


def _stopped(code: int, limit: float | None) -> Exception:
    """Return the error of a fork that ended with an exit code: its estimator's fault, or the machine's."""
    if code >= 0:
        return TrainingStoppedError(f"the training process exited with code {code}")
    name = signal.Signals(-code).name
    more = ", probably for lack of memory" if name == "SIGKILL" else ""
    if name in _OF_THE_MACHINE and not (more and limit):
        return EndedByMachineError(f"{name} ended the training process{more}")
    how = f"{name} ended the training process{more}" if more else f"the training process crashed ({name})"
    return TrainingStoppedError(how)


def _end_with_the_job() -> None:
    """Wait until the job's process ends, then end this process and the processes that an estimator started."""
    job = multiprocessing.parent_process()
    assert job is not None  # this process is a fork of the job's process
    wait([job.sentinel])
    os.killpg(0, signal.SIGKILL)


def _send_all(trainings: Iterator[Any], sender: Connection) -> None:
    """Train in the fork, and send each result, or an error, with the warnings; send None at the end."""
    os.setpgid(0, 0)
    threading.Thread(target=_end_with_the_job, daemon=True).start()
    error: Any = None
    while error is None:
        result = None
        with warnings.catch_warnings(record=True) as caught:
            try:
                result = next(trainings)
            except StopIteration:
                break
            except (*NO_FAULTS_OF_MODELS, KeyboardInterrupt) as failure:
                error = failure
            except Exception as failure:
                error = type(failure).__name__, str(failure)
        # A foreign category of warnings may be unknown in the job's process, so the built-in one above it is sent.
        told = [(next(c for c in w.category.__mro__ if c.__module__ == "builtins"), str(w.message)) for w in caught]
        sender.send((result, error, told))
    sender.send(None)
    sys.stdout.flush()
    sys.stderr.flush()
