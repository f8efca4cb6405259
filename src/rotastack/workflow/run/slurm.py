"""A test of Slurm before a run: without ``sbatch`` the run would never end, and Snakemake drops the reason of a refusal."""

import re
import shlex
import shutil
import subprocess
from typing import Any

from rotastack.errors import RotastackError, in_one_line

_OPTIONS = {"slurm_account": "account", "slurm_partition": "partition", "runtime": "time", "mem_mb": "mem",
            **{name: name for name in ("qos", "constraint", "clusters", "reservation")}}  # fmt: skip
"""Resource or setting of Snakemake's plugin for Slurm -> option of sbatch."""
_SIZES, _NUMBER, _NAME = ("runtime", "mem_mb"), r"\d+", r"[\w.@+-]+"
_WAITS = ("busy", "node configuration", "Required node")
"""Words of a refusal after which a real submission may wait, such as for drained nodes."""


def check_slurm(workflow: Any) -> None:
    """Raise RotastackError if Snakemake's workflow runs on Slurm, and Slurm refuses a submission; the message is sbatch's.

    The test, ``sbatch --test-only``, submits nothing. Partitions that the plugin chooses job by job are not tested.
    """
    if getattr(workflow.executor_plugin, "name", "") != "slurm":
        return
    if shutil.which("sbatch") is None:
        raise RotastackError("sbatch not found: run on the login node of a cluster with Slurm, or without this profile")
    asked, plugin = workflow.resource_settings, workflow.executor_settings
    given = {name: str(getattr(plugin, name, None) or "") for name in ("qos", "reservation")}
    for resources in (asked.default_resources, *asked.overwrite_resources.values()):
        given |= dict(pair.split("=", 1) for pair in getattr(resources, "args", ()))
    # Another value is an expression of Snakemake, such as attempt * 1000.
    plain = [name for name in _OPTIONS if re.fullmatch(_NUMBER if name in _SIZES else _NAME, given.get(name, ""))]
    extra = shlex.split(" ".join(shlex.split(given.get("slurm_extra", ""))))
    command = ["sbatch", "--test-only", "--wrap=true", *(f"--{_OPTIONS[name]}={given[name]}" for name in plain), *extra]
    done = subprocess.run(command, capture_output=True, text=True)
    waits = getattr(plugin, "partition_config", None) or any(word in done.stderr for word in _WAITS)
    if done.returncode and not waits:
        raise RotastackError(f"Slurm refuses a test submission: {in_one_line(done.stderr)}")
