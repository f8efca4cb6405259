"""Snakemake on a study, with its profiles."""

import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.cli.stopping import ending_with_us
from rotastack.errors import RotastackError, nearest
from rotastack.project import project_file

if TYPE_CHECKING:
    from rotastack.workflow.run.plan import Plan


REFUSED = 2
"""Exit code of a run that ended before its first job."""


def snakemake(plan: "Plan", options: list[str], *, quiet: bool = True, log: str | None = None) -> tuple[int, float]:
    """Run Snakemake on a study in the working directory; return its exit code and its seconds.

    A `quiet` run shows one line of progress, and writes Snakemake's messages to the file `log`.
    """
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError("no snakemake", name="snakemake")
    here = Path.cwd()
    if not os.access(here, os.W_OK):  # Snakemake would print a traceback, even in a dry run
        raise RotastackError(f"{here} is not writable; run in a folder of your own")
    log = log or f"results/logs/{plan.study.name}.log"
    logger = ["--logger", "rotastack", "--logger-rotastack-file", log] if quiet else []
    sized = [] if plan.size == "full" else ["--config", f"size={plan.size}"]
    command = [
        sys.executable,
        "-P",
        "-m",
        "snakemake",
        "--snakefile",
        str(project_file("Snakefile")),
        *logger,
        *options,
        "--configfile",
        *plan.study_files,
        *sized,
    ]
    began = time.monotonic()
    with ending_with_us(command, stdout=sys.__stderr__, env=_environment(here)) as process:
        code = process.wait()
    if quiet and code not in (0, REFUSED) and "--dry-run" not in options:
        print(f"rotastack: finished steps are kept; repeat the command to continue; details: {log}", file=sys.stderr)
    return code, time.monotonic() - began


def _environment(here: Path) -> dict[str, str]:
    """Return the environment of Snakemake, with a cache in the working folder if the user's cannot be written.

    SNAKEMAKE_PROFILE is left out, because a profile for other workflows, such as one with ``dry-run``, is not for a study.
    """
    kept = {name: value for name, value in os.environ.items() if name != "SNAKEMAKE_PROFILE"}
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "snakemake"
    if os.access(next(path for path in (cache, *cache.parents) if path.exists()), os.W_OK):
        return kept
    return {**kept, "XDG_CACHE_HOME": str(here / "results/.cache")}


def profile_options(name: str | None) -> list[str]:
    """Return Snakemake's options for a profile, given by the name of a shipped profile or by a folder.

    Without such a profile Snakemake would silently run all jobs on this machine.
    """
    from rotastack.base.documents import load_mapping
    from rotastack.workflow.run.launch import has_flock

    name = name or "default"
    shipped = project_file(f"workflow/profiles/{name}")
    folder = next((path for path in (shipped, Path(name), Path("profiles", name)) if path.exists()), None)
    if folder is None:
        names = sorted(path.name for path in project_file("workflow/profiles").iterdir() if path.is_dir())
        raise RotastackError(
            f"--profile: {name!r} is neither a folder nor a profile{nearest(name, names)}; profiles: {', '.join(names)}"
        )
    file = folder / "config.yaml"
    content = load_mapping(file, exactly=False) if file.is_file() else {}
    for key, kind in (("executor", "executor"), ("default-storage-provider", "storage")):
        plugin = f"snakemake-{kind}-plugin-{content.get(key)}"
        is_built_in = content.get(key) in (None, "", "local", "dryrun", "touch")
        if not is_built_in and find_spec(plugin.replace("-", "_")) is None:
            raise RotastackError(f"profile {name}: {plugin} is not installed; run `pip install {plugin}`")
    has_lock = has_flock()
    if has_lock and name != "default":
        return ["--workflow-profile", str(folder)]
    return ["--workflow-profile", "none", *_as_options(content, has_lock)]


def _as_options(profile: dict[str, Any], has_lock: bool) -> list[str]:
    """Return a profile as options; with a profile Snakemake would print a notice at every run.

    Without the lock of a run Snakemake locks the folder, and no option could revoke ``nolock`` of a profile.
    """
    options = []
    for key, value in profile.items():
        if key == "logger" or (key == "nolock" and not has_lock):  # the command names the logger, with a file
            continue
        pairs = value
        if isinstance(value, dict):
            deep = {name: part if isinstance(part, dict) else {"": part} for name, part in value.items()}
            pairs = [f"{name}:{k}={v}" if k else f"{name}={v}" for name, part in deep.items() for k, v in part.items()]
        values = pairs if isinstance(pairs, list) else [] if value is True else [value]
        options += [f"--{key}", *(os.path.expandvars(str(v)) for v in values)]
    return options
