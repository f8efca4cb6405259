"""What commands share that are about studies: find one, and hand it to Snakemake."""

import errno
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rotastack.cli.progress import Outcome, Progress, run_with_progress
from rotastack.cli.stopping import ending_with_us
from rotastack.errors import RotastackError, nearest
from rotastack.project import project_file

__all__ = ["plan_of", "run_snakemake", "snakemake", "study_file", "without_traces"]

REFUSED = 2
"""The exit code of a run that ended before any job began, as what was asked for makes no sense."""


def study_file(name: str) -> Path:
    """Return the YAML file of a study: a file, or a name of ``studies`` or ``config/studies``.

    Raises
    ------
    RotastackError
        There is none, or it holds no study, or a part of one: Snakemake would lay that over the study of config.yaml, and run it.
    """
    for path in (
        Path(name),
        Path("studies") / f"{name}.yaml",
        Path("config/studies") / f"{name}.yaml",
        project_file(f"config/studies/{name}.yaml"),
    ):
        if path.suffix in (".yaml", ".yml") and path.is_file():
            _check_keys(path)
            return path
    folders = (Path("studies"), Path("config/studies"), project_file("config/studies"))
    known = sorted({p.stem for folder in folders for p in folder.glob("*.yaml")})
    raise RotastackError(f"study {name!r} is unknown{nearest(name, known)}; there are {', '.join(known)}")


def _check_keys(path: Path) -> None:
    from rotastack.base.documents import load_yaml

    content = load_yaml(path)
    keys = content.keys() if isinstance(content, dict) else ()
    if not {"name", "datasets", "pools", "methods", "study"} & set(keys):
        found = ", ".join(map(str, keys)) or ("nothing" if not content else type(content).__name__)
        raise RotastackError(f"{path}: a study has name, datasets, protocol, pools and methods, found {found}")


def snakemake(arguments: list[str], out: Any = None) -> int:
    """Run Snakemake on the project's workflow in the working directory; return its exit code.

    Parameters
    ----------
    arguments : list of str
    out : file, optional
        Where its standard output goes, if not to this process's own.
    """
    command, environment = _command(arguments)
    with ending_with_us(command, env=environment, stdout=out) as process:
        return process.wait()


def run_snakemake(arguments: list[str], study: Path, size: str | None) -> Outcome:
    """Run Snakemake under one line of progress; what concerns people is printed on standard error at the end.

    Parameters
    ----------
    arguments : list of str
    study : Path
    size : str or None
    """
    command, environment = _command(arguments)
    try:
        plan = plan_of(study, size)
        log, progress = Path("results") / "logs" / f"{plan.study.name}.log", _progress(plan)
    except RotastackError:  # a mistake in the study, which Snakemake's process finds with file and key
        log, progress = Path("results") / "logs" / f"{study.stem}.log", Progress(lambda _: 1.0, {})
    outcome = run_with_progress(command, environment, log, progress)
    for line in outcome.said:
        print(line, file=sys.stderr)
    if outcome.code:
        if not outcome.said:
            print(f"rotastack: error: the run failed; its last lines are\n{_tail(log)}", file=sys.stderr)
        if outcome.code != REFUSED:
            print(
                f"rotastack: what was done is kept, and the same command goes on from there; details: {log}",
                file=sys.stderr,
            )
    return outcome


@contextmanager
def without_traces() -> Iterator[None]:
    """Take away the folder that Snakemake makes for itself even when it only looks.

    Raises
    ------
    OSError
        It cannot be made, and Snakemake does not look without.
    """
    folder = Path(".snakemake")
    was_there = folder.exists()
    folder.mkdir(exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    try:
        yield
    finally:
        if not was_there:
            shutil.rmtree(folder, ignore_errors=True)


def _command(arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError("no snakemake", name="snakemake")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    command = [sys.executable, "-P", "-m", "snakemake", "--snakefile", str(project_file("Snakefile")), *arguments]
    return command, {**os.environ, "PATH": path}


def plan_of(study: Path, size: str | None) -> Any:
    """Return the plan of a study whose classes Snakemake's process is yet to check."""
    from rotastack.base.documents import load_yaml
    from rotastack.run.launch import config_file, read_plan

    files = [config_file(), str(study)]
    found = {k: v for f in files for k, v in load_yaml(Path(f)).items()}
    return read_plan(found | ({"size": size} if size else {}), files, check=False)


def _progress(plan: Any) -> Progress:
    from rotastack.study.costs import JOB_SECONDS

    trainings = {
        f"{dataset}: training pool {pool} on {block}": plan.resources.usual_seconds(dataset, pool, block)
        for dataset in plan.datasets
        for pool in plan.study.used_pools
        for block in plan.study.blocks
    }
    return Progress(lambda message: trainings.get(message, JOB_SECONDS), trainings)


_CAUSE = re.compile(r"(?!WorkflowError)[\w.]*(?:Error|Exception|Interrupt): ")
"""Begins the last line of a traceback; Snakemake's own error says no more than that a job has failed."""


def _tail(log: Path) -> str:
    """Return what a log says last, and before it the last error of a job, which may stand far above."""
    lines = log.read_text(encoding="utf-8").splitlines()
    last = lines[-8:]
    causes = [line for line in lines[:-8] if _CAUSE.match(line)]
    shown = [textwrap.shorten(causes[-1], 300), "..."] if causes else []
    return "\n".join(f"  {line}" for line in [*shown, *last])
