"""A test of Slurm before a run, and why Slurm refuses a submission: Snakemake drops the reason."""

import os
import re
import shlex
import shutil
import subprocess
from typing import Any

from rotastack.errors import RotastackError, in_one_line

_SIZES = {"mem_mb": "mem", "_cores": "cpus-per-task", "runtime": "time"}
_OPTIONS = {
    **_SIZES,
    "slurm_account": "account",
    "slurm_partition": "partition",
    **{name: name for name in ("qos", "constraint", "clusters", "reservation")},
}
"""Resource of a job, or setting of Snakemake's plugin for Slurm -> option of sbatch."""
_WAITS = "busy|node configuration|Required node"
"""Words with which even a small request is refused if a real submission waits, such as for drained nodes."""


def check_slurm(workflow: Any) -> None:
    """Raise RotastackError if Snakemake's workflow runs on Slurm, and Slurm refuses one of its largest submissions.

    Partitions that the plugin chooses job by job are not tested.
    """
    if getattr(workflow.executor_plugin, "name", "") != "slurm":
        return
    if shutil.which("sbatch") is None:
        raise RotastackError("sbatch not found: run on the login node of a cluster with Slurm, or without this profile")
    chosen = workflow.executor_settings.partition_config or os.environ.get("SNAKEMAKE_SLURM_PARTITIONS")
    asked = [request_of(job) for job in workflow.dag.needrun_jobs() if not (job.is_local or chosen)]
    largest = {
        (size, *_unsized(request).items()): request  # the last one, so for each partition and so on the largest
        for size in _SIZES
        for request in sorted(asked, key=lambda request: request.get(size, 0))
    }
    for request in largest.values():
        if (why := refusal(request)) and not re.search(_WAITS, refusal(_unsized(request))):
            raise RotastackError(why)


def request_of(job: Any) -> dict[str, Any]:
    """Return the request to Slurm of the submission that has a job of Snakemake, alone or in its group."""
    plugin, submission = job.dag.workflow.executor_settings, job.dag.get_job_group(job) or job
    given = {name: getattr(plugin, name, None) for name in ("qos", "reservation")} | dict(submission.resources.items())
    # A value of another type is not known yet.
    return {
        name: given[name] for name in (*_OPTIONS, "slurm_extra") if type(given.get(name)) in (int, str) and given[name]
    }


def _unsized(request: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name not in _SIZES}


def refusal(request: dict[str, Any]) -> str:
    """Return the words with which ``sbatch --test-only``, which submits nothing, refuses a request; else an empty text."""
    options = [
        f"--{_OPTIONS[name]}={str(value).partition(',')[0] if name == 'slurm_account' else value}"  # of several, the first
        for name, value in request.items()
        if name in _OPTIONS
    ]
    command = ["sbatch", "--test-only", "--wrap=true", *options, *shlex.split(request.get("slurm_extra", ""))]
    done = subprocess.run(command, capture_output=True, text=True) if shutil.which("sbatch") else None
    words = "" if done is None or done.returncode == 0 else in_one_line(done.stderr)
    return words and f"Slurm refuses a test submission: {words} ({' '.join(command[3:])})"
