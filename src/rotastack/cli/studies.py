"""Find a study, plan it, and run Snakemake on it, with its profiles."""

import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

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

    It has no SNAKEMAKE_PROFILE: a profile for other workflows, such as one with ``dry-run``, has no say in a study.
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
    if name in (None, "default"):
        return ["--workflow-profile", "none", *_as_options(project_file("workflow/profiles/default/config.yaml"))]
    shipped = project_file(f"workflow/profiles/{name}")
    folder = next((path for path in (shipped, Path(name), Path("profiles", name)) if path.exists()), None)
    if folder is None:
        names = sorted(path.name for path in project_file("workflow/profiles").iterdir() if path.is_dir())
        raise RotastackError(
            f"--profile: {name!r} is neither a folder nor a profile{nearest(name, names)}; profiles: {', '.join(names)}"
        )
    for needed in _missing_plugins(folder):
        raise RotastackError(f"profile {name}: {needed} is not installed; run `pip install {needed}`")
    from rotastack.workflow.run.launch import has_flock

    if has_flock():
        return ["--workflow-profile", str(folder)]
    return ["--workflow-profile", "none", *_as_options(folder / "config.yaml")]


def _as_options(file: Path) -> list[str]:
    """Return a profile as options; with a profile Snakemake would print a notice at every run.

    Without the lock of a run Snakemake locks the folder, and no option could revoke ``nolock`` of a profile.
    """
    from rotastack.base.documents import load_mapping
    from rotastack.workflow.run.launch import has_flock

    options = []
    for key, value in load_mapping(file, exactly=False).items():
        if key == "logger" or (key == "nolock" and not has_flock()):  # the command names the logger, with a file
            continue
        pairs = value
        if isinstance(value, dict):
            deep = {name: part if isinstance(part, dict) else {"": part} for name, part in value.items()}
            pairs = [f"{name}:{k}={v}" if k else f"{name}={v}" for name, part in deep.items() for k, v in part.items()]
        values = pairs if isinstance(pairs, list) else [] if value is True else [value]
        options += [f"--{key}", *(os.path.expandvars(str(v)) for v in values)]
    return options


def _missing_plugins(profile: Path) -> list[str]:
    """Return the Snakemake plugins that a profile needs and that are not installed."""
    from rotastack.base.documents import load_mapping

    file = profile / "config.yaml"
    content = load_mapping(file, exactly=False) if file.is_file() else {}
    kinds = {"executor": "executor", "default-storage-provider": "storage"}
    built_in = ("local", "dryrun", "touch")
    plugins = [
        f"snakemake-{kind}-plugin-{content[key]}"
        for key, kind in kinds.items()
        if content.get(key) and content[key] not in built_in
    ]
    return [name for name in plugins if find_spec(name.replace("-", "_")) is None]
