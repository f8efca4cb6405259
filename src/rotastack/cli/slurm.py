"""What commands know of the Slurm cluster that they run on: what it is, what to tell Snakemake, what failed."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError
from rotastack.run.submissions import MINUTES, Submissions

__all__ = ["Cluster", "failed_submissions", "slurm_options"]

PLUGIN = "snakemake_executor_plugin_slurm"
POLL_SECONDS = 5
_SUBMITTED = re.compile(r"^ *Job (\S+) has been submitted with SLURM jobid (\d+) \(log: (.*)\)\.$", re.M)
_FAILED = re.compile(r"slurm_logs/\S*?(\d+)\.log \(check log")
_REFUSED = re.compile(r"SLURM sbatch failed\. The error message was '(.*)'")
_SAID_OF = {
    "TIMEOUT": "out of time", "OUT_OF_MEMORY": "out of memory", "NODE_FAIL": "its node went down",
    "CANCELLED": "it was cancelled", "PREEMPTED": "others went first",
}  # fmt: skip
_LINES = 12  # of a failed submission's log that are shown


@dataclass(frozen=True)
class Cluster:
    """A Slurm cluster, as its commands describe it.

    Parameters
    ----------
    name, version : str
    accounting : bool
        Whether it keeps a database of jobs that ended: else ``sacct`` and accounts mean nothing.
    remembers : int
        Seconds for which ``squeue`` tells of a job that ended.
    partitions : dict of str to (bool, float or None)
        Name -> whether it is the default, and the minutes that a job may take, if there is a limit.
    """

    name: str
    version: str
    accounting: bool
    remembers: int
    partitions: dict[str, tuple[bool, float | None]]

    @classmethod
    def look(cls) -> "Cluster":
        """Ask ``scontrol``; RotastackError if nobody answers."""
        if shutil.which("sbatch") is None:
            raise RotastackError("sbatch is not on the PATH: run this on the cluster's login node, or without --slurm")
        facts = dict(re.findall(r"^(\S+)\s+= (.*)$", ask("scontrol", "show", "config"), re.M))
        if "ClusterName" not in facts:
            raise RotastackError(
                "Slurm does not answer (`scontrol show config`): ask those who run it, or run without --slurm"
            )
        partitions = {}
        for line in ask("scontrol", "--oneliner", "show", "partition").splitlines():
            entry = dict(re.findall(r"(\w+)=(\S+)", line))
            if "PartitionName" in entry:
                partitions[entry["PartitionName"]] = (
                    entry.get("Default") == "YES", _minutes(entry.get("MaxTime", "")),
                )  # fmt: skip
        age = re.match(r"\d+", facts.get("MinJobAge", ""))
        return cls(
            facts["ClusterName"], facts.get("SLURM_VERSION", ""),
            not facts.get("AccountingStorageType", "").endswith("none"), int(age[0]) if age else 0, partitions,
        )  # fmt: skip

    def limit(self, partition: str | None) -> float | None:
        """Return the minutes that a job may take in a partition, by default the default one."""
        if partition is not None and partition not in self.partitions:
            raise RotastackError(f"--partition: there is no {partition!r} here; there are {', '.join(self.partitions)}")
        chosen = [
            limit for name, (default, limit) in self.partitions.items()
            if name == partition or (partition is None and default)
        ]  # fmt: skip
        return chosen[0] if chosen else None

    @property
    def status_command(self) -> str:
        """What is to be asked how jobs do: without accounting ``sacct`` never says that one ended."""
        return "sacct" if self.accounting else "squeue"

    def as_text(self) -> str:
        """Return what it is, in a line."""
        kept = "accounting" if self.accounting else "no accounting, so that squeue is asked"
        return f"Slurm {self.version} ({self.name}): {kept}"


def slurm_options(
    cluster: Cluster, plan: Any, account: str | None, partition: str | None, minutes: float = MINUTES
) -> tuple[list[str], Submissions]:
    """Return what Snakemake is told, beside the shipped profile, and how jobs are submitted."""
    submissions = Submissions(plan, minutes, cluster.limit(partition))
    defaults = ["mem_mb=1000", "runtime=30"]
    if account is not None and cluster.accounting:
        defaults.append(f"slurm_account='{_word(account, '--account')}'")
    if partition is not None:
        defaults.append(f"slurm_partition='{_word(partition, '--partition')}'")
    name = re.sub(r"[^A-Za-z0-9_-]", "-", f"rotastack-{plan.study.name}")[:50]
    return [
        "--slurm-status-command", cluster.status_command,
        "--slurm-init-seconds-before-status-checks", str(POLL_SECONDS),
        "--slurm-jobname-prefix", name,
        *submissions.arguments(),
        "--default-resources", *defaults,
        "--local-cores", "2",
    ], submissions  # fmt: skip


def failed_submissions(log: str, folder: Path) -> list[str]:
    """Return a text for each Slurm job that failed for good: its id, why, and the end of its log.

    Parameters
    ----------
    log : str
        What Snakemake said.
    folder : Path
        Where it ran.
    """
    attempts: dict[str, list[tuple[str, str]]] = {}
    for job, number, path in _SUBMITTED.findall(log):
        attempts.setdefault(job, []).append((number, path))
    failed = set(_FAILED.findall(log))
    texts = [f"sbatch refused: {text}" for text in dict.fromkeys(_REFUSED.findall(log))]
    for tried in attempts.values():
        number, path = tried[-1]
        if number not in failed:
            continue
        why = " ".join(
            _SAID_OF[state] for state in re.findall(r"JobState=(\w+)", ask("scontrol", "show", "job", number))
            if state in _SAID_OF
        )  # fmt: skip
        again = f", after {len(tried) - 1} others" if len(tried) > 1 else ""
        text = f"Slurm job {number} failed{again}{': ' + why if why else ''}"
        file = folder / path
        if file.is_file():
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            said = [line for line in lines if line.startswith(("rotastack: error", "slurmstepd", "srun: error"))]
            shown = "\n".join(f"  {line}" for line in dict.fromkeys((said or lines)[-_LINES:]))
            text += f"; the end of {os.path.relpath(file, folder)}:\n{shown}"
        texts.append(text)
    return texts


def ask(*command: str) -> str:
    """Return what a command of Slurm prints; nothing if it fails or does not answer."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _minutes(text: str) -> float | None:
    """Return the minutes of Slurm's ``days-hours:minutes:seconds``; None if there is no limit."""
    if (found := re.fullmatch(r"(?:(\d+)-)?(\d+):(\d+):(\d+)", text)) is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return 1440 * days + 60 * hours + minutes + seconds / 60


def _word(text: str, option: str) -> str:
    """Return a name as it is, if it is one: it becomes part of an expression, and of a shell line."""
    if not re.fullmatch(r"[\w.,@+-]+", text):
        raise RotastackError(f"{option}: {text!r} is no name of Slurm's")
    return text
