"""Processes of a command that end when the command is stopped."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_PATIENCE = 15.0  # seconds that a process gets to end by itself


class StoppedError(BaseException):
    """The stop of this process by a signal; no ``except Exception`` may catch it."""

    def __init__(self, number: int):
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def ending_with_us(command: list[str], **options: object) -> Iterator[subprocess.Popen]:
    """Start a process; on SIGTERM, SIGHUP, Ctrl-C or an error, end this process and its children.

    Signals that the command was started to ignore (``nohup``) stay ignored. Ctrl-C in a terminal reaches all
    processes directly, so they get time to end before they are signalled again.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise StoppedError(number)

    main = threading.current_thread() is threading.main_thread()
    handled = [s for s in (signal.SIGTERM, signal.SIGHUP) if main and signal.getsignal(s) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in handled}
    process = None
    try:
        process = subprocess.Popen(command, **options)  # type: ignore[call-overload]
        yield process
    except BaseException as reason:  # no process may be left behind, whatever the error
        for number in handled:
            signal.signal(number, signal.SIG_IGN)  # the processes are already being ended
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
    """End a process and its children, first by SIGINT, so that Snakemake also cancels its jobs on a cluster."""
    import psutil

    deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # as in the background processes of a shell script
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
