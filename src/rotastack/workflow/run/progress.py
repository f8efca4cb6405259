"""The logger ``rotastack``, a plugin of Snakemake: it shows one line of progress, and writes all messages to a file."""

import logging
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from rich.console import Console
from rich.live import Live
from rich.text import Text
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from rotastack.files import lock
from rotastack.workflow.run.slurm import refusal, request_of

SHORT_JOB_SECONDS = 1.0
"""Expected seconds of a job that is no training."""
ALMOST = 0.95
"""The largest share of its expected seconds that a running job counts for."""
STOPPED = "Terminating processes on user request"
"""What Snakemake says after Ctrl-C; it has no event."""
TURNS_TO_SACCT = "Falling back to 'sacct' for status queries (MinJobAge=None"
"""What the plugin for Slurm says when the controller does not answer; if ``sacct`` fails, too, it forgets all its jobs."""
EVERY = 30.0
"""Seconds between two lines where a line cannot be overwritten."""

expected: dict[tuple[str, ...], float] = {}
"""Wildcards of a training -> its expected seconds; ``open_plan``, in the same process, fills in the values."""
answers: list[Callable[[], str]] = []
"""Functions that return the text after a complete run; the Snakefile adds one at the end of the jobs."""


def duration(seconds: float) -> str:
    """Return a rounded duration, such as ``40 s``, ``3 min`` or ``2 h 10 min``."""
    if seconds < 90:
        return f"{max(round(seconds / 5) * 5, 5)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Options of the logger: ``--logger-rotastack-file``."""

    file: Optional[str] = field(  # noqa: UP045 - Snakemake takes no other form
        default=None, metadata={"help": "file for all messages of Snakemake (default: results/logs/run.log)"}
    )


@dataclass
class Progress:
    """The share of the work that is done."""

    planned: float = 0.0
    done: float = 0.0
    running: dict[int, tuple[str, float, float]] = field(default_factory=dict)

    def plan(self, counts: dict[str, int]) -> None:
        """Set the planned seconds from rule -> number of jobs; each training counts as a mean training."""
        each = sum(expected.values()) / max(len(expected), 1)
        jobs = Counter(counts)
        self.planned = jobs["train"] * each + SHORT_JOB_SECONDS * (jobs["total"] - jobs["train"] - jobs["all"])

    def start(self, job: int, rule: str, wildcards: dict[str, str], message: str, now: float) -> None:
        """Add a job that begins."""
        key = tuple(wildcards.get(name, "") for name in ("dataset", "pool", "block"))
        seconds = expected.get(key, SHORT_JOB_SECONDS) if rule == "train" else SHORT_JOB_SECONDS
        self.running[job] = (message, seconds, now)

    def end(self, job: int) -> None:
        """Count a job that has ended as done."""
        if job in self.running:
            self.done += self.running.pop(job)[1]

    def share(self, now: float) -> float:
        """Return the share of the work that is done; running jobs count by their elapsed time."""
        if not self.planned:
            return 0.0
        under_way = sum(min(now - began, ALMOST * seconds) for _, seconds, began in [*self.running.values()])
        return min((self.done + under_way) / self.planned, 1.0)

    def line(self, elapsed: float, now: float) -> str:
        """Return the line of progress; an empty string before the first job."""
        share, running = self.share(now), [*self.running.values()]  # another thread may end jobs meanwhile
        if not running or not share:
            return ""
        left = f", {duration(elapsed * (1 - share) / share)} left" if 0.03 < share < 1 else ""
        return f"{share:4.0%}{left}: {running[-1][0]}"


class LogHandler(LogHandlerBase):
    """A handler that shows one line on standard error, logs to a file, and reports failed jobs at the end.

    Without a file in its settings, a user has called Snakemake: the handler also prints the answer, and in a dry run
    Snakemake prints its messages by itself, as always with ``--verbose``.
    """

    writes_to_file = has_filter = has_formatter = needs_rulegraph = False  # type: ignore[assignment]

    @property
    def writes_to_stream(self) -> bool:
        """Whether this handler replaces Snakemake's output."""
        return not (self.common_settings.verbose or (self.common_settings.dryrun and self.named is None))

    def __post_init__(self) -> None:
        logging.raiseExceptions = False  # a full disk: Snakemake's log would print a traceback for each line
        self.named: str | None = getattr(self.settings, "file", None)
        self.progress, self.is_complete, self.is_stopped = Progress(), False, False
        self.words: list[str] = []
        self.reasons: dict[int | str, str] = {}  # a job, as text its submission, or another name -> why it failed
        self.submitted: dict[str, Any] = {}  # group of jobs -> one of them
        self.errors: dict[str, None] = {}
        self.began, self.shown = time.monotonic(), float("-inf")
        console = Console(stderr=True, force_terminal=sys.stderr.isatty(), color_system=None)
        self.live = Live(
            get_renderable=self._shown,
            console=console,
            refresh_per_second=1,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        path = Path(self.named or (os.devnull if self.common_settings.dryrun else "results/logs/run.log"))
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = path.open("a", encoding="utf-8")
        with suppress(OSError):  # another run, by which this one will be refused, writes to the file
            lock(self.file, waits=False)
            self.file.truncate(0)

    def emit(self, record: Any) -> None:
        """Handle a message of Snakemake."""
        event, now = getattr(record, "event", None), time.monotonic()
        self._write(record)
        if event == LogEvent.RUN_INFO:
            self.progress.plan(record.stats)
            self.began = now
            self.is_complete = "all" in record.stats
            if self.writes_to_stream and not self.common_settings.dryrun and not self.live.is_started:
                self.live.start()
                self.live.console.show_cursor(True)  # a run that is killed would leave the terminal without it
        elif event == LogEvent.JOB_INFO:
            self.progress.start(
                record.jobid, record.rule_name, dict(record.wildcards or {}), record.rule_msg or "", now
            )
        elif event == LogEvent.JOB_FINISHED:
            self.progress.end(record.job_id)
            for name in (record.job_id, str(record.job_id)):
                self.reasons.pop(name, None)  # an earlier attempt may have failed
        elif self.is_stopped or (event is None and record.getMessage().startswith(STOPPED)):
            self.is_stopped = True  # by Ctrl-C: the errors that follow are of jobs that end with the run
        elif event == LogEvent.JOB_ERROR:
            self.progress.running.pop(record.jobid, None)
            # Without a log of the job, the log of its submission has the reason.
            if not (known := self.reasons.get(str(record.jobid))) or (
                "refuses" not in known and any(Path(name).is_file() for name in record.log)
            ):
                self.reasons[record.jobid] = _reason(f"rule {record.rule_name}", record.log)
        elif event == LogEvent.GROUP_INFO:
            self.submitted[record.group_id] = next(iter(record.jobs))
        elif event == LogEvent.GROUP_ERROR:
            # A submission without a log was refused, or has another executor.
            refused = "" if record.aux_logs else refusal(request_of(self.submitted[record.groupid]))
            why = f"rotastack: error: {refused}" if refused else _reason("a submission", record.aux_logs)
            # What the jobs' own logs told before was of an earlier attempt.
            self.reasons |= {key: why for job in record.job_error_info for key in (job["jobid"], str(job["jobid"]))}
        elif event == LogEvent.ERROR:
            self.errors[f"rotastack: error: {record.getMessage().strip()}"] = None
        elif record.getMessage().startswith(TURNS_TO_SACCT) and subprocess.run("sacct", capture_output=True).returncode:
            self.reasons["queue"] = (
                "rotastack: error: Slurm's controller did not answer, and without accounting the run cannot follow its jobs "
                "any longer; wait until they end (squeue --me), then repeat the command"
            )
            for job in [*self.submitted.values()][:1]:
                job.dag.workflow.scheduler.executor_error_callback(TimeoutError("Slurm's controller did not answer"))

    def _write(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if not text or text == "None":
            return
        if not self.progress.planned:
            self.words.append(text)
        try:
            print(text, file=self.file, flush=True)
        except OSError as error:  # a full disk: the run may still go on
            self.reasons["log"] = f"rotastack: error: {self.file.name}: {error.strerror}; the log is incomplete"

    def _shown(self) -> Text:
        """Return the line of progress, which a terminal overwrites every second; without a terminal, print the line now and then."""
        now = time.monotonic()
        line = self.progress.line(now - self.began, now)
        if line and now - self.shown >= EVERY and not self.live.console.is_terminal:
            print(line, file=sys.stderr, flush=True)
            self.shown = now
        return Text(line, no_wrap=True, overflow="crop")

    def close(self) -> None:
        """Clear the line, and print why jobs failed, or the answer."""
        if not self.file.closed:
            with suppress(OSError):  # the terminal was closed
                self.live.stop()
            lines = list(dict.fromkeys(self.reasons.values()) or self.errors)  # Snakemake's errors give no reason
            if self.named is None and not self.progress.planned:  # such as --unlock, or nothing to be done
                lines = lines or self.words
            elif lines and self.named is None:
                lines.append(f"rotastack: finished steps are kept; details: {self.file.name}")
            for line in lines if self.writes_to_stream else []:
                print(line, file=sys.stderr, flush=True)
            for answer in answers if self.named is None and self.is_complete else []:
                print(f"\n{answer()}", flush=True)
            with suppress(OSError):  # a full disk was already reported
                self.file.close()
        super().close()


def _reason(what: str, logs: Iterable[str]) -> str:
    """Return why a job failed: the last error in its log, or else Slurm's message, or else the last line."""
    for name in logs:
        path = Path(name)
        lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines() if path.is_file() else []
        errors = [line for line in lines if line.startswith("rotastack: error")]
        if errors:
            return errors[-1]
        if lines:
            last = ([line for line in lines if line.startswith("slurmstepd")] or lines)[-1]
            return f"rotastack: error: {what}: {last.strip()} ({name})"
        try:
            if path.exists():
                path.write_text("\n", encoding="utf-8")
        except OSError as error:  # a full disk
            return f"rotastack: error: {name}: {error.strerror}; {what} could not write why it failed"
    return f"rotastack: error: {what} failed without a message{''.join(f' ({name})' for name in logs)}"
