"""Trainings in a process of their own, where an estimator may crash or hang: that ends this process, and the study goes on.

No exception comes of a crash, and a loop in C hears no signal, so the process that trains is watched by the job's: it
tells of each training as it begins, and when there are no more.
"""

import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rotastack.errors import DamagedError, RotastackError
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
_END_BY_ITSELF = 2.0  # seconds, after Ctrl-C or the last word
_GLANCE = 0.1  # seconds between two looks


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
    if not hasattr(os, "fork") or not (limit or _foreign(trained)):
        work(job, lambda n: None, None)
        return
    failure = _watched(lambda beat: work(job, beat, None))
    if failure is not None:
        work(job, lambda n: None, failure)


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


def _watched(work: Callable[[Beat], None]) -> TrainingStoppedError | None:
    """Run the work in a fork; return why it did not come to its end, if an estimator is to blame."""
    import psutil

    sys.stdout.flush()
    sys.stderr.flush()
    reads, writes = os.pipe()
    others = [child.pid for child in psutil.Process().children(recursive=True)]
    _adopt(True)
    pid = os.fork()
    if pid == 0:
        os.close(reads)
        _work_and_exit(work, writes)
    os.close(writes)
    fork = _Fork(pid, others)
    try:
        heard = _listen(fork, reads)
    except BaseException:  # Ctrl-C reached the fork, too
        fork.wait(_END_BY_ITSELF)
        raise
    finally:
        fork.kill()
        _adopt(False)
        os.close(reads)
    if "late" in heard:
        return TrainingStoppedError(f"it took longer than {heard['late']:g} s (training_limit)")
    if "done" in heard:
        return None
    if "error" in heard:
        raise _as_raised(heard)
    assert fork.code is not None
    if fork.code >= 0:
        return TrainingStoppedError(f"the process was ended from inside, with exit code {fork.code}")
    name = signal.Signals(-fork.code).name
    if name in _OF_THE_MACHINE:
        more = ": was it out of memory?" if name == "SIGKILL" else ""
        raise RotastackError(f"the process that trains was ended by {name}{more}")
    return TrainingStoppedError(f"the process crashed ({name})")


def _work_and_exit(work: Callable[[Beat], None], writes: int) -> NoReturn:
    """Work in the fork, tell how it ended, and leave without what the parent is to do at its end."""
    _end_with_parent()
    _forget_workers()

    def tell(message: Mapping[str, Any]) -> None:
        os.write(writes, json.dumps(message).encode() + b"\n")

    code = 1
    try:
        try:
            work(lambda n: tell({"allowed": n}))
            message: dict[str, Any] = {"done": True}
        except SystemExit as error:  # an estimator's
            code = error.code if isinstance(error.code, int) else 1
            message = {}
        except BaseException as error:
            message = _as_told(error)
        if (own := _workers()) is not None:  # they would stay for minutes
            with suppress(Exception):  # some are gone, or broken
                own.shutdown(kill_workers=True)
        sys.stdout.flush()
        sys.stderr.flush()
        if message:
            tell(message)
            code = 0
    finally:
        os._exit(code)


_OF_LOKY = "joblib.externals.loky.reusable_executor"
_kept: list[Any] = []


def _workers() -> Any:
    """Return the processes that joblib keeps for the next call, if there are any."""
    return getattr(sys.modules.get(_OF_LOKY), "_executor", None)


def _forget_workers() -> None:
    """Have joblib start processes anew: the threads that led those of the parent are not in a fork, and a call would wait for ever."""
    inherited = _workers()
    if inherited is not None:
        _kept.append(inherited)  # its end would be told to the parent's
        sys.modules[_OF_LOKY]._executor = None  # type: ignore[attr-defined]


class _Fork:
    """A child, and its exit code once it has ended; `others` are children that were there before it."""

    def __init__(self, pid: int, others: Collection[int] = ()):
        self.pid = pid
        self.others = others
        self.code: int | None = None

    def has_ended(self) -> bool:
        """Look, and do not wait."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code is not None

    def wait(self, seconds: float) -> None:
        """Wait so long at most."""
        deadline = time.monotonic() + seconds
        while not self.has_ended() and time.monotonic() < deadline:
            time.sleep(_GLANCE)

    def kill(self) -> None:
        """End it, if it has not ended, and what it has started: of a fork that crashed, too."""
        import psutil

        known = {self.pid, *self.others}
        left = [] if self.has_ended() else psutil.Process(self.pid).children(recursive=True)
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        left += [c for c in psutil.Process().children(recursive=True) if c.pid not in known]
        for each in left:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        psutil.wait_procs(left, timeout=1)


def _listen(fork: _Fork, reads: int) -> dict[str, Any]:
    """Return what the fork told last: that it is done, an error, or nothing if it just ended; or that it is late.

    The end of the pipe says little: what an estimator has started may hold it open.
    """
    allowed, deadline, said = None, float("inf"), b""
    while True:
        ended = fork.has_ended()
        while select.select([reads], [], [], 0 if ended else _GLANCE)[0]:
            part = os.read(reads, 65536)
            said += part
            *lines, said = said.split(b"\n")
            for message in map(json.loads, lines):
                if "allowed" not in message:
                    fork.wait(_END_BY_ITSELF)
                    return message
                allowed = message["allowed"]
                deadline = time.monotonic() + allowed if allowed else float("inf")
            if not part:
                fork.wait(_GLANCE)
                break
        if ended:
            return {}
        if time.monotonic() > deadline:
            return {"late": allowed}


def _as_told(error: BaseException) -> dict[str, Any]:
    """Return an error as JSON; one that is a mistake of ours is printed where it was raised."""
    kind, text = type(error).__name__, str(error)
    if isinstance(error, DamagedError):
        return {"error": "damaged", "args": [str(error.path), error.why]}
    if isinstance(error, RotastackError):
        return {"error": "told", "args": [text]}
    if isinstance(error, OSError) and error.errno:
        return {"error": "machine", "args": [error.errno, error.strerror, str(error.filename or "a file")]}
    if isinstance(error, KeyboardInterrupt):
        return {"error": "stopped", "args": []}
    if not isinstance(error, MemoryError):
        traceback.print_exception(error)
    return {"error": "told", "args": [f"{kind}: {text}"]}


def _as_raised(told: Mapping[str, Any]) -> BaseException:
    kind, given = told["error"], told["args"]
    if kind == "damaged":
        return DamagedError(Path(given[0]), given[1])
    return {"told": RotastackError, "machine": OSError, "stopped": KeyboardInterrupt}[kind](*given)


def _adopt(orphans: bool) -> None:
    """On Linux: be the parent of processes that a child leaves behind, or no longer."""
    if sys.platform == "linux":
        import ctypes

        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, int(orphans))


def _end_with_parent() -> None:
    """On Linux: have this process killed when its parent dies, so that a job that is killed leaves nothing behind."""
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
