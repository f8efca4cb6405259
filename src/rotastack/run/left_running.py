"""Slurm jobs of a run whose own process is gone: they work on, and are waited for rather than submitted again."""

import getpass
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rotastack.errors import RotastackError, in_one_line
from rotastack.run.plan import Plan
from rotastack.run.provenance import forget_old_notes

__all__ = ["go_on", "jobs_here", "poll_steadily"]

_LOGS = Path(".snakemake/slurm_logs")  # is there once something was submitted
_EVERY = 5.0  # seconds
_TRIES = 3
_LONGEST_POLL = 10  # seconds between two looks at how jobs do


def jobs_here() -> list[str]:
    """Return the ids of Snakemake's jobs of this user that wait or run, and work in this folder.

    Raises
    ------
    RotastackError
        Jobs were submitted from here, and ``squeue`` does not say which of them are left: they would be submitted again.
    """
    if not _LOGS.is_dir() or shutil.which("squeue") is None:
        return []
    here = os.path.realpath(".")
    found = []
    for line in _queue().splitlines():
        number, _, rest = line.partition("|")
        comment, _, folder = rest.rpartition("|")
        if comment.startswith("rule_") and os.path.realpath(folder) == here:
            found.append(number.strip())
    return found


def _queue() -> str:
    """Return what ``squeue`` says of this user's jobs; a busy controller is asked again."""
    command = ["squeue", "--noheader", "--user", getpass.getuser(), "--format=%i|%k|%Z"]
    why = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_EVERY)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            why = "nothing in a minute"
            continue
        if done.returncode == 0:
            return done.stdout
        why = in_one_line(done.stderr)
    raise RotastackError(
        f"squeue does not say whether jobs of an earlier run still work here ({why}): run again once it does; "
        f"if there are none, delete {_LOGS}"
    )


def go_on(plan: Plan) -> None:
    """Wait for jobs that an earlier run left behind; what they made counts."""
    said: list[str] = []
    while waiting := jobs_here():
        if set(waiting) - set(said):
            said = waiting
            print(
                f"rotastack: {len(waiting)} Slurm job{'s' * (len(waiting) > 1)} of an earlier run still work in this "
                f"folder ({', '.join(waiting)}): waiting for them; `scancel {' '.join(waiting)}` ends them",
                file=sys.stderr,
                flush=True,
            )
        time.sleep(_EVERY)
    forget_old_notes(plan)


def poll_steadily() -> None:
    """Let Snakemake look at submitted jobs every ten seconds at least.

    The plugin for Slurm waits ten seconds longer after each look that finds no job ended, up to three minutes, and has
    no option for it: a study of a few long submissions would stand still for minutes after each.
    """
    from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

    known = RemoteExecutor.next_seconds_between_status_checks
    if known.fset is None or getattr(known.fset, "is_steady", False):
        return
    longer = known.fset

    def set_seconds(self: RemoteExecutor, value: float | None) -> None:
        longer(self, value if value is None else min(value, _LONGEST_POLL))

    set_seconds.is_steady = True  # type: ignore[attr-defined]
    RemoteExecutor.next_seconds_between_status_checks = property(known.fget, set_seconds)  # type: ignore[assignment]
