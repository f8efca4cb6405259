"""Helpers of the commands on studies: find a study, plan it, and run Snakemake on it."""

import os
import sys
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.cli.stopping import ending_with_us
from rotastack.errors import RotastackError
from rotastack.project import project_file

if TYPE_CHECKING:
    from rotastack.workflow.run.plan import Plan

__all__ = [
    "add_study_arguments",
    "call_snakemake",
    "offer",
    "plan_of",
    "score_names",
    "snakemake",
    "studies_with_models",
    "study_names",
]

REFUSED = 2
"""Exit code of a run that ended before its first job."""


def add_study_arguments(parser: Any) -> None:
    """Add the arguments that name a study."""
    offer(
        parser.add_argument("study", help="study of this folder, of studies or of config/studies, or a YAML file"),
        study_names,
    )
    parser.add_argument("--size", help="size of the study, such as small (default: full)")


def plan_of(name: str, size: str | None = None) -> "Plan":
    """Return the plan of a study, given by a file or by a name; see :func:`rotastack.workflow.run.launch.find_study`."""
    from rotastack.base.documents import load_yaml
    from rotastack.workflow.run.launch import config_file, find_study, read_plan

    path, found = find_study(name)
    content = load_yaml(path) or {}
    if not isinstance(content, dict) or not {"name", "datasets", "pools", "methods", "study"} & content.keys():
        # Snakemake would merge a part of a study into the study of config.yaml, and run the mixture.
        keys = ", ".join(map(str, content)) if isinstance(content, dict) else type(content).__name__
        raise RotastackError(
            f"{path}: not a study; needed keys: name, datasets, protocol, pools, methods; found: {keys or 'nothing'}"
        )
    options = {} if (size or found) == "full" else {"size": size or found}
    machine = config_file()
    return read_plan({**load_yaml(Path(machine)), **content, **options}, [machine, str(path)])


def study_names(**_: Any) -> list[str]:
    """Return the names of the studies in the working directory and of the shipped studies."""
    from rotastack.workflow.run.launch import study_files

    return sorted({path.stem for path in study_files()})


def score_names(**_: Any) -> list[str]:
    """Return the names of the scores that can rank methods, for both tasks."""
    from rotastack.stats.metrics import METRICS

    return [name for scores in METRICS.values() for name, higher in scores.items() if higher is not None]


def studies_with_models(**_: Any) -> list[str]:
    """Return the names of the studies in the working directory that have a model."""
    return sorted({path.parents[2].name for path in Path("results").glob("*/*/model/model.skops")})


def offer(action: Any, values: Callable[..., Iterable[str]]) -> None:
    """Set the function by which argcomplete lists the values of an argument."""
    action.completer = values


def snakemake(plan: "Plan", options: list[str], *, quiet: bool = True, log: str | None = None) -> tuple[int, float]:
    """Run Snakemake on a study in the working directory; return its exit code and its seconds."""
    log = log or f"results/logs/{plan.study.name}.log"
    logger = ["--logger", "rotastack", "--logger-rotastack-file", log] if quiet else []
    sized = [] if plan.size == "full" else ["--config", f"size={plan.size}"]
    began = time.monotonic()
    code = call_snakemake("Snakefile", [*logger, *options, "--configfile", plan.where, *sized])
    if quiet and code not in (0, REFUSED) and "--dry-run" not in options:
        print(f"rotastack: finished steps are kept; repeat the command to continue; details: {log}", file=sys.stderr)
    return code, time.monotonic() - began


def call_snakemake(snakefile: str, options: list[str]) -> int:
    """Run a Snakefile of the project in the working directory; return Snakemake's exit code."""
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError("no snakemake", name="snakemake")
    here = Path.cwd()
    if not os.access(here, os.W_OK):  # Snakemake would print a traceback, even in a dry run
        raise RotastackError(f"{here} is not writable; run in a folder of your own")
    command = [sys.executable, "-P", "-m", "snakemake", "--snakefile", str(project_file(snakefile)), *options]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with ending_with_us(command, env={**os.environ, "PATH": path}, stdout=2) as process:
        return process.wait()
