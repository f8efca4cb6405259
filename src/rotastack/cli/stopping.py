"""End what a command has started when the command is told to end."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

__all__ = ["StoppedError", "ending_with_us"]

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_PATIENCE = 15.0  # seconds: what ends by itself has ended by then


class StoppedError(BaseException):
    """A signal told this process to end; no handler of errors should take it for one.

    Parameters
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int):
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def ending_with_us(command: list[str], **options: object) -> Iterator[subprocess.Popen]:
    """Start a process; if the block ends by SIGTERM, SIGHUP, Ctrl-C or an error, end it and all that it started.

    Signals that this process was started to ignore (``nohup``) stay ignored. Ctrl-C in a terminal reaches all
    processes by itself, so they are given time before they are told again.

    Raises
    ------
    StoppedError
        SIGTERM or SIGHUP came, and all has ended.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise StoppedError(number)

    main = threading.current_thread() is threading.main_thread()
    heard = [s for s in _SIGNALS if main and signal.getsignal(s) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heard}
    process = None
    try:
        process = subprocess.Popen(command, **options)  # type: ignore[call-overload]
        yield process
    except BaseException as reason:  # whatever it is, nothing is left behind
        for number in heard:
            signal.signal(number, signal.SIG_IGN)  # it is being done
        if process is not None:
            if isinstance(reason, KeyboardInterrupt):
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_PATIENCE)
            _end(process)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(process: subprocess.Popen) -> None:
    """End a process and those that it started: as Ctrl-C does, so that Snakemake cancels what runs on a cluster, too."""
    import psutil

    deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # as is what a script starts behind its back
    for number in (signal.SIGTERM,) if deaf else (signal.SIGINT, signal.SIGTERM):
        with suppress(psutil.NoSuchProcess):
            first = psutil.Process(process.pid)
            for each in [first, *first.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    each.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
            return
    process.wait()
