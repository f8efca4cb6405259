"""Run Snakemake under one line of progress; everything that it says goes to a log file."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any

from rotastack.cli.stopping import ending_with_us

__all__ = ["Outcome", "Progress", "duration", "run_with_progress"]

_STARTED = re.compile(r"^Job (\d+): (.*)$")
_ENDED = re.compile(r"^Finished jobid: (\d+) ")
_COUNT = re.compile(r"^(\w+) +(\d+)$")
_ALMOST = 0.95  # of a job that takes longer than was thought
_EVERY = 30.0  # seconds between two lines, where a line cannot be written over


def duration(seconds: float) -> str:
    """Return seconds in words that fit a guess: ``40 s``, ``3 min``, ``2 h 10 min``."""
    if seconds < 90:
        return f"{max(round(seconds / 5) * 5, 5)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


@dataclass
class Progress:
    """How much of the work is done, from what Snakemake prints.

    Parameters
    ----------
    seconds_of : function of str
        What the job of this message is thought to take.
    trainings : dict of str to float
        Message -> seconds of all training jobs that the study has; of other jobs their number says enough.
    """

    seconds_of: Callable[[str], float]
    trainings: dict[str, float]
    planned: float = 0.0
    done: float = 0.0
    running: dict[str, tuple[str, float]] = field(default_factory=dict)
    doing: str = ""
    _in_table: bool = False

    def read(self, line: str, now: float) -> None:
        """Take note of a line."""
        if line.startswith("Job stats:"):
            self._in_table, self.planned = True, 0.0
        elif self._in_table and (found := _COUNT.match(line)):
            rule, count = found[1], int(found[2])
            if rule == "total":
                self._in_table = False
            elif rule == "train":  # some may be done already: which ones is not said
                self.planned += count * sum(self.trainings.values()) / max(len(self.trainings), 1)
            elif rule != "all":
                self.planned += count * self.seconds_of("")
        elif found := _STARTED.match(line):
            self.running[found[1]] = (found[2], now)
            self.doing = found[2]
        elif (found := _ENDED.match(line)) and found[1] in self.running:
            message, _ = self.running.pop(found[1])
            self.done += self.seconds_of(message)
            if self.running:
                self.doing = next(reversed(self.running.values()))[0]

    def share(self, now: float) -> float:
        """Return the share of the work that is done; jobs under way count by their time."""
        if not self.planned:
            return 0.0
        under_way = sum(
            min(now - start, _ALMOST * self.seconds_of(message)) for message, start in self.running.values()
        )
        return min((self.done + under_way) / self.planned, 1.0)


@dataclass
class Outcome:
    """How a run ended: Snakemake's exit code, and the lines that are meant for people."""

    code: int
    said: list[str]
    log: Path
    seconds: float


def run_with_progress(command: list[str], environment: dict[str, str], log: Path, progress: Progress) -> Outcome:
    """Run a command that prints what Snakemake prints, and show one line on standard error meanwhile."""
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    said: list[str] = []
    shown = _Line(sys.stderr)
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    try:
        with (
            _Log(log, said) as stream,
            ending_with_us(command, env=environment, errors="replace", **options) as process,
        ):
            assert process.stdout is not None
            for line in _lines(process.stdout):
                now = time.monotonic()
                if line is not None:
                    stream.write(line)
                    progress.read(line.rstrip("\n"), now)
                    if line.startswith("rotastack: ") and line.rstrip("\n") not in said:
                        said.append(line.rstrip("\n"))
                share = progress.share(now)
                if progress.doing and share:
                    left = (now - start) * (1 - share) / share
                    known = f", {duration(left)} left" if share > 0.03 and share < 1 else ""
                    with suppress(OSError):  # a terminal that is gone
                        shown.show(f"{share:4.0%}{known}: {progress.doing}", now)
            code = process.wait()
    finally:
        shown.clear()
    return Outcome(code, said, log, time.monotonic() - start)


class _Log:
    """A log file; on a full disk it ends early, with a line to be said, as the run may yet go on.

    Parameters
    ----------
    path : Path
    said : list of str
    """

    def __init__(self, path: Path, said: list[str]):
        self.path, self.said, self.full = path, said, False

    def __enter__(self) -> "_Log":
        self.stream = self.path.open("wb", buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()

    def write(self, line: str) -> None:
        """Write a line at once."""
        try:
            if not self.full:
                self.stream.write(line.encode())
        except OSError as error:
            self.full = True
            self.said.append(f"rotastack: error: {self.path}: {error.strerror}; the log ends there")


def _lines(stream: IO[str]) -> Iterator[str | None]:
    """Give lines as they come, and None each half second without one."""
    queue: Queue[str | None] = Queue()

    def read() -> None:
        for line in stream:
            queue.put(line)
        queue.put(None)

    reader = Thread(target=read, daemon=True)
    reader.start()
    while True:
        try:
            line = queue.get(timeout=0.5)
        except Empty:
            yield None
            continue
        if line is None:
            return
        yield line


class _Line:
    """A line that is written over on a terminal, and now and then repeated elsewhere."""

    def __init__(self, stream: IO[str]):
        self.stream = stream
        self.over = stream.isatty()
        self.last = float("-inf")
        self.width = 0

    def show(self, text: str, now: float) -> None:
        """Show the text, if it is time to."""
        if self.over:
            import shutil

            text = text[: max(shutil.get_terminal_size().columns - 1, 20)]
            self.stream.write("\r" + text.ljust(self.width))
            self.width = len(text)
            self.stream.flush()
        elif now - self.last >= _EVERY:
            print(text, file=self.stream, flush=True)
            self.last = now

    def clear(self) -> None:
        """Take the line away."""
        if self.over and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()
