"""The start of a run: find and read a study; for the Snakefile also check the study, lock the folder, and start the server."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Literal

from pydantic import Field

from rotastack.base.documents import Document, load_mapping, load_yaml
from rotastack.errors import RotastackError, nearest, shortened
from rotastack.files import hashes, lock, read_json
from rotastack.project import find_own_modules, project_file
from rotastack.workflow.run import fingerprint, progress
from rotastack.workflow.run.forks import start_forks
from rotastack.workflow.run.keys import Jobs
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.run.slurm import check_slurm
from rotastack.workflow.study.study import Study, resized
from rotastack.workflow.tracking import address
from rotastack.workflow.tracking.model_types import how_to_trust


class _Data(Document):
    mirror: str | None = Field(
        default=None,
        description="folder of files <name>.parquet or <name>.csv.gz, used before the network; DATA_MIRROR has priority",
    )
    missing: Literal["stop", "skip"] = Field(default="stop", description="action for a data set that is not available")


class _Tracking(Document):
    uri: str | None = Field(
        default=None, description="MLflow tracking address; null: MLFLOW_TRACKING_URI, else SQLite in results/mlflow"
    )


class Machine(Document):
    """The content of config/config.yaml: settings of this machine, not of the study."""

    study: str = Field(
        description="study that `snakemake` runs without options: a file of config/studies or a path of a YAML file"
    )
    data: _Data = Field(default=_Data(), description="sources of data sets")
    tracking: _Tracking = Field(default=_Tracking(), description="settings of MLflow")


_MACHINE_KEYS = tuple(Machine.model_fields)
_LOCK = Path("results/.lock")
_held: list[IO[str]] = []  # keeps the lock's file open; the lock ends with this process


def config_file() -> str:
    """Return the path of ``config/config.yaml`` in the working directory, or else in the project."""
    local = Path("config/config.yaml")
    return str(local if local.is_file() else project_file("config/config.yaml"))


def read_plan(config: Mapping[str, Any], config_files: list[str]) -> Plan:
    """Return the plan of the study in Snakemake's ``config``; its classes and their parameters are not checked."""
    find_own_modules()
    machine = _machine(config)
    content = {k: v for k, v in config.items() if k not in _MACHINE_KEYS}
    size = str(content.pop("size", "full"))
    files = [os.path.relpath(f) for f in config_files if Path(f) != Path(config_file())]
    if not content.keys() & {"datasets", "pools", "methods", "name"}:
        path, _ = find_study(machine["study"])
        files, content = [str(path)], {**load_mapping(path), **content}
    where = ", ".join(files) or "--config"
    return Plan(Study.from_mapping(resized(content, size, where), where), machine, where, size, files)


def _machine(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of this machine, checked; their addresses become defaults of the environment."""
    machine = Machine.read({k: v for k, v in config.items() if k in _MACHINE_KEYS}, "config/config.yaml").dump()
    for variable, value in (("DATA_MIRROR", machine["data"]["mirror"]), (address.VARIABLE, machine["tracking"]["uri"])):
        if value:
            os.environ.setdefault(variable, str(value))
    return machine


def plan_of(name: str, size: str | None = None, study: Study | None = None) -> Plan:
    """Return the plan of a study, given by a file or by a name; its classes are checked later, in Snakemake's process.

    If the content of the file is a checked `study`, the file is not read again.
    """
    if study is not None:
        return Plan(study, _machine(load_mapping(config_file())), name, "full", [name])
    path, found = find_study(name)
    content = load_mapping(path)
    if not {"name", "datasets", "pools", "methods", "study"} & content.keys():
        # Snakemake would merge a part of a study into the study of config.yaml, and run the mixture.
        keys = ", ".join(map(str, content)) or "nothing"
        raise RotastackError(
            f"{path}: not a study; required keys: name, datasets, protocol, pools, methods; found: {keys}"
        )
    options = {} if (size or found) == "full" else {"size": size or found}
    machine = config_file()
    return read_plan({**load_mapping(machine), **content, **options}, [machine, str(path)])


def study_files() -> dict[Path, str]:
    """Return file -> name of the studies in the working directory, in its folders, and of the shipped ones."""
    folders = [Path("studies"), Path("config/studies"), Path(), project_file("config/studies")]
    found = [path for folder in folders for path in sorted(folder.glob("*.yaml")) if os.access(path, os.R_OK)]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in found if path.is_file()}
    names = {path: re.search(r"^name: *[\"']?([\w-]+)", text, re.MULTILINE) for path, text in texts.items()}
    # Other files of the working directory are no studies.
    own = {path: name for path, name in names.items() if path.parent != Path() or "\npools:" in texts[path]}
    return {path: path.stem if name is None else name[1] for path, name in own.items()}


def find_study(name: str) -> tuple[Path, str]:
    """Return the file and size of a study, given by a path, a file's name, or the study's name in results."""
    if name.endswith((".yaml", ".yml")) and Path(name).is_file():
        return Path(name), "full"
    files = study_files()
    known = [*((path, path.stem) for path in files), *files.items()]
    for path, own in known:
        if own == name:
            return path, "full"
    for path, own in known:
        if name.startswith(f"{own}-") and (size := name.removeprefix(f"{own}-")) in _sizes(path):
            return path, size
    if Path(name).is_dir():
        raise RotastackError(f"{name} is a folder; name a table or a study")
    names = sorted({path.stem for path in files})
    raise RotastackError(f"study {name!r} is unknown{nearest(name, names)}; studies: {', '.join(names)}")


def _sizes(path: Path) -> dict[str, Any]:
    sizes = load_mapping(path).get("sizes")
    return sizes if isinstance(sizes, dict) else {}


def open_plan(config: Mapping[str, Any], config_files: list[str], is_main: bool) -> Plan:
    """Return the plan for the rules; if the study is wrong, print one line and end the process.

    Only the process that the user has started (`is_main`) checks the study, and has the results of other keys made again;
    the processes of jobs do not.
    """
    # Jobs must find `rotastack` of this environment, even if the environment is not activated.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with _ends_in_one_line():
        plan = read_plan(config, config_files)
        if plan.skips:
            plan.drop_unavailable() if is_main else plan.drop_skipped()
        if is_main:
            for file in config_files:  # as Snakemake reads 010 as 8
                load_yaml(file)
            check_kernel()
            for note in [*plan.skipped, *_check_classes(plan)]:
                print(f"rotastack: {note}", file=sys.stderr, flush=True)
            progress.expected.update(plan.resources.all_usual_seconds())
    return plan


def _check_classes(plan: Plan) -> list[str]:
    """Raise RotastackError if a class or a parameter is wrong; return notes.

    Results of other keys are found first: if all results are current, the check, which imports all classes, is not needed.
    """
    with suppress(RotastackError):  # of a wrong class, which the check names better
        force_stale(plan.jobs)
        if all(job.is_current for job in plan.jobs.all()):
            return []
    from rotastack.workflow.study.classes import check_classes, without_model

    if not (lacking := without_model(plan.study, check_classes(plan.study, plan.where))):
        return []
    types = list({name: None for names in lacking.values() for name in names})
    reason = f"a model file may not contain objects of {shortened(types)}{how_to_trust(types)}"
    return [f"no model of {shortened(lacking)} will be saved: {reason}"]


def check_kernel() -> None:
    """Raise RotastackError if a source of the kernel in a checkout is not the one that was compiled."""
    kernel = fingerprint.ROOT / "trees/kernel"
    if not (fingerprint.ROOT.parents[1] / "tools/build_kernel.py").is_file() or not list(kernel.glob("*.so")):
        return  # an installed package
    built = read_json(kernel / ".built") if (kernel / ".built").is_file() else {}
    now = hashes(p for p in kernel.iterdir() if p.suffix in (".pyx", ".pxd", ".build"))
    for name in sorted(built.keys() | now.keys()):
        if built.get(name) != now.get(name):
            raise RotastackError(
                f"{kernel / name} has changed since the kernel was compiled; run `make env` to build the kernel"
            )


def start_run(plan: Plan, workflow: Any) -> None:
    """Prepare the first job of Snakemake's workflow: lock the folder, check queue, data sets and MLflow's address, start the server of steps.

    Jobs of a cluster get no server: on a node that is this machine, their steps would escape the cluster's limits.
    """
    with _ends_in_one_line():
        check_slurm(workflow)
        _hold_folder(workflow.execution_settings.lock)
        plan.note_skipped()
        if not plan.skips and (missing := plan.unavailable()):
            raise RotastackError("; ".join(missing.values()))
        address.check_address(uri := address.tracking_uri())
        if not address.is_own(uri):
            from rotastack.workflow.tracking.writer import check_store  # loads MLflow

            check_store(plan.study.name)
        if workflow.local_exec:
            start_forks()


def has_flock() -> bool:
    """Return whether the file system of the results allows the lock of a run; if not, Snakemake's own lock is used."""
    with suppress(OSError), TemporaryFile(dir=_LOCK.parent if _LOCK.parent.is_dir() else Path()) as stream:
        return lock(stream)
    return True  # also for a folder that cannot be written, which the run names


def drop_rate_limit(workflow: Any) -> None:
    """Drop Snakemake's default limit of 100 jobs a second; another limit stays.

    With a limit each finished job starts an endless series of the scheduler's passes, one a second (snakemake issue 2967):
    after 500 jobs they took a third of a core.
    """
    with suppress(AttributeError):  # another version of Snakemake may have no limit
        scheduler = workflow.scheduler
        if (scheduler.job_rate_limiter.max_jobs, scheduler.job_rate_limiter.timespan) == (100, 1):
            scheduler.job_rate_limiter = None


def force_stale(jobs: Jobs) -> None:
    """Let Snakemake, which is this process, make the results of other keys again.

    Snakemake takes the names of their files by an option alone, so the process starts once more, with this option.
    """
    program, *words = sys.argv  # noqa: TID251  # the command line of Snakemake
    path = Path(program)
    if path.name == "snakemake" or path.parts[-2:] == ("snakemake", "__main__.py"):
        longer = forcing(words, jobs.stale())
        if longer != words:
            os.execv(sys.executable, [sys.executable, "-P", "-m", "snakemake", *longer])
    jobs.settle_times()


def forcing(words: list[str], files: list[str]) -> list[str]:
    """Return arguments of Snakemake with the option that makes `files` again, also if the user forces others.

    Forced files are targets, so the user's targets become the ends of the run.
    """
    from snakemake.cli import get_argument_parser

    given = get_argument_parser().parse_known_args(words)[0]
    if not (missing := [file for file in files if file not in given.forcerun]):
        return words
    until = ["--until", *given.targets] if given.targets and not given.until else []
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *until, "--forcerun", *sorted(given.forcerun), *missing, *words[end:]]  # the last one counts


@contextmanager
def _ends_in_one_line() -> Iterator[None]:
    """End the process with one line if the block raises an error that the user can fix."""
    try:
        yield
    except RotastackError as error:
        reason = str(error)
    except OSError as error:
        if error.filename is None:  # an error of the program, not of the user
            raise
        reason = f"{error.filename}: {error.strerror}; a run needs a writable folder"
    else:
        return
    print(f"rotastack: error: {reason}", file=sys.stderr, flush=True)
    sys.exit(2)


def _hold_folder(is_locked: bool) -> None:
    """Lock the folder until this process ends; raise RotastackError if another run works in it.

    If the file system refuses the lock, Snakemake's own lock is enough (`is_locked`).
    """
    Path("results/logs").mkdir(parents=True, exist_ok=True)
    stream = _LOCK.open("a+")
    try:
        if not (lock(stream, waits=False) or is_locked):
            raise RotastackError(
                f"{_LOCK} cannot be locked; start the run by `rotastack run`, or use a profile without nolock"
            )
    except BlockingIOError:
        stream.seek(0)
        raise RotastackError(
            f"another run (process {stream.read().strip() or 'unknown'}) is using this folder; wait for its end, or stop that process"
        ) from None
    stream.truncate(0)
    print(os.getpid(), file=stream, flush=True)
    _held.append(stream)
