"""What the Snakefile calls first: find the study, check it, and hold the working directory."""

import fcntl
import gc
import inspect
import os
import re
import sys
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, Literal, NoReturn

from pydantic import Field

from rotastack.base.documents import Document, load_yaml
from rotastack.errors import RotastackError, nearest
from rotastack.project import find_own_modules, project_file
from rotastack.run.job import declarations
from rotastack.run.left_running import go_on, jobs_here, poll_steadily
from rotastack.run.plan import Plan
from rotastack.run.provenance import mark_unfinished, outdated
from rotastack.run.remembered import remembered
from rotastack.run.resources import SPARE_OF_MANY
from rotastack.study.sizes import resized
from rotastack.study.study import Study, compact
from rotastack.tracking import address
from rotastack.warm.client import VARIABLE
from rotastack.warm.start import start_server

__all__ = ["Machine", "config_file", "open_plan", "read_plan", "remember_parameters", "runs_nothing", "step"]


class _Data(Document):
    mirror: Annotated[
        str | None,
        Field(description="folder with <name>.csv.gz that is asked before the network; DATA_MIRROR goes before it"),
    ] = None
    missing: Annotated[Literal["stop", "skip"], Field(description="what to do about a data set that cannot be had")] = (
        "stop"
    )


class _Tracking(Document):
    uri: Annotated[
        str | None,
        Field(description="MLflow tracking address; null: MLFLOW_TRACKING_URI, else SQLite in results/mlflow"),
    ] = None


class Machine(Document):
    """config/config.yaml: what concerns this machine and not the study."""

    study: Annotated[
        str,
        Field(description="the study that plain `snakemake` runs, a file of config/studies or a path to a YAML file"),
    ]
    data: Annotated[_Data, Field(description="where data sets are had")] = _Data()
    tracking: Annotated[_Tracking, Field(description="where runs are logged")] = _Tracking()


_MACHINE_KEYS = tuple(Machine.model_fields)
_holding: list[Any] = []  # the lock file of this process: closing it would let go of the lock


def config_file() -> str:
    """Return ``config/config.yaml`` of the working directory, else of the project."""
    own = Path("config/config.yaml")
    return str(own if own.is_file() else project_file("config/config.yaml"))


def runs_nothing(arguments: list[str]) -> bool:
    """Tell whether Snakemake was called to look and not to run: --dry-run, --lint, --dag, ..."""
    looks = ("--dry-run", "--dryrun", "--lint", "--unlock", "--dag", "--rulegraph", "--filegraph", "--list",
             "--summary", "--detailed-summary", "--d3dag", "--print-compilation", "--report")  # fmt: skip
    return any(
        (a.startswith(looks) and not a.startswith("--report-"))  # --report-after-run runs
        or re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", a)
        for a in arguments
    )


def open_plan(
    config: Mapping[str, Any], config_files: list[str], main: bool, dry_run: bool, grouped: bool = False
) -> Plan:
    """Read and check the study that Snakemake was asked for; stop with one line if it is wrong.

    Parameters
    ----------
    config : mapping
        Snakemake's ``config``: config/config.yaml, and the study of ``--configfile`` if given.
    config_files : list of str
        Files it came from, for messages.
    main : bool
        Whether this is the process that the user started, and not a job's.
    dry_run : bool
        Nothing will be run: a data set that cannot be had is only a warning.
    grouped : bool
        Jobs are submitted many at a time, so that their time limits add up: each asks for little to spare.
    """
    # Jobs run `rotastack` of this environment, also where nobody activated it.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # Snakemake makes many objects, and keeps them: a sixth of its time was looking for garbage.
    gc.set_threshold(100_000, 20, 100)
    try:
        plan = read_plan(config, config_files, check=main)
        if grouped:
            plan.resources.spare_minutes = SPARE_OF_MANY
        if main and not dry_run:
            _hold_directory()
            address.check_address(os.environ.get(address.VARIABLE))
        if main:
            plan.drop_unavailable(only_warn=dry_run)
            _look_back(plan, dry_run)
        else:
            plan.drop_what_is_not_there()
        _warm(main and not dry_run)
        return plan
    except (RotastackError, OSError) as error:
        _stop(error)


def _stop(error: Exception) -> NoReturn:
    """End with one line; an error of the machine that names no file is a mistake of ours."""
    if isinstance(error, OSError) and error.filename is None:
        raise error
    print(f"rotastack: error: {_in_words(error)}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(2)  # Snakemake would wrap any exception in a report of the Snakefile's lines


def _look_back(plan: Plan, dry_run: bool) -> None:
    """See to what earlier runs left here that Snakemake's own notes do not tell."""
    if dry_run:
        waiting: list[str] = []
        try:
            waiting = jobs_here()
        except RotastackError as error:  # nothing is submitted now
            print(f"rotastack: warning: {error}", file=sys.stderr)
        if waiting:
            print(f"rotastack: Slurm jobs of an earlier run still work here: {', '.join(waiting)}", file=sys.stderr)
    else:
        poll_steadily()
        go_on(plan)
    if old := outdated(plan):
        if not dry_run:
            mark_unfinished(old)
        print(
            f"rotastack: {len(old)} files were made with other parameters or code by their records, and Snakemake has no "
            f"notes of them here: they are made again ({old[0]}{', ...' if len(old) > 1 else ''})",
            file=sys.stderr,
        )


def _in_words(error: Exception) -> str:
    """Return what to say of an error; of a file that cannot be written or read, its name first."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}; runs need a folder that they can write to"
    return str(error)


def read_plan(config: Mapping[str, Any], config_files: list[str], check: bool) -> Plan:
    """Return the plan of the study that Snakemake was asked for.

    Parameters
    ----------
    config, config_files
        See :func:`open_plan`.
    check : bool
        Look at classes and their parameters, too, unless this study was looked at before: jobs are of one that was.
    """
    find_own_modules()
    machine = {k: v for k, v in config.items() if k in _MACHINE_KEYS}
    content = {k: v for k, v in config.items() if k not in _MACHINE_KEYS}
    size = str(content.pop("size", "full"))
    machine = Machine.read(machine, "config/config.yaml").dump()
    own = [f for f in config_files if Path(f) != Path(config_file())]
    where = ", ".join(os.path.relpath(f) for f in own) or "--config"
    if not content.keys() & {"datasets", "pools", "methods", "name"}:
        name = machine["study"]
        path = Path(name) if name.endswith((".yaml", ".yml")) else project_file(f"config/studies/{name}.yaml")
        if not path.is_file():
            known = sorted(p.stem for p in project_file("config/studies").glob("*.yaml"))
            raise RotastackError(
                f"config/config.yaml: study {name!r} is unknown{nearest(name, known)}; there are {', '.join(known)}"
            )
        where = str(path)
        shipped = load_yaml(path)
        if not isinstance(shipped, Mapping):
            raise RotastackError(f"{path}: must be a mapping, found {shipped!r}")
        content = {**shipped, **content}
    if machine["data"]["mirror"] and not os.environ.get("DATA_MIRROR"):
        os.environ["DATA_MIRROR"] = str(machine["data"]["mirror"])
    if machine["tracking"]["uri"] and not os.environ.get(address.VARIABLE):
        os.environ[address.VARIABLE] = str(machine["tracking"]["uri"])
    plan = Plan(Study.from_mapping(resized(content, size, where), where), machine)
    if check:
        known = {"where": where, "study": plan.study.document.dump(), "code": plan.code_of_classes()}
        remembered("checked", compact(known).encode(), lambda: _check(plan.study, where))
    return plan


def _check(study: Study, where: str) -> bool:
    """Look at classes and parameters, for which libraries are imported; True if nothing is wrong."""
    from rotastack.study.classes import check_classes

    check_classes(study, where)
    return True


def _hold_directory() -> None:
    """Hold the working directory until this process ends, however it ends.

    Snakemake's own lock outlives a kill -9. This one does not: whoever gets it knows that no
    run is under way, and that Snakemake's lock files, if any, are left over.
    """
    folder = Path(".snakemake")
    folder.mkdir(exist_ok=True)
    stream = (folder / "rotastack.lock").open("a+")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.seek(0)
        owner = stream.read().strip() or "unknown"
        raise RotastackError(
            f"another run (process {owner}) works in this directory; wait for it or stop it. "
            "If it ran on another machine and is gone, unlock with `snakemake --unlock` and delete .snakemake/rotastack.lock"
        ) from None
    stream.truncate(0)
    stream.write(str(os.getpid()))
    stream.flush()
    os.set_inheritable(stream.fileno(), False)
    _holding.append(stream)
    for left_over in (folder / "locks").glob("*.lock"):
        left_over.unlink(missing_ok=True)


def _warm(runs_many: bool) -> None:
    """Start a warm server where many steps will run: in the user's process, and in that of a group of jobs on a cluster."""
    os.environ.pop(VARIABLE, None)  # that of the submitting process may be on this machine, but is not of this job
    words = sys.argv[1:]
    if "--target-jobs" in words and "slurm-jobstep" not in words:
        jobs = takewhile(lambda word: not word.startswith("-"), words[words.index("--target-jobs") + 1 :])
        runs_many = len(list(jobs)) > 1
    if runs_many:
        start_server()


def remember_parameters(rules: Iterable[Any]) -> None:
    """Tell Snakemake once what the functions in rules take: it would look at each of them again for each job.

    That was a sixth of what it does for a job in a dry run; most of it was of the method by which resources are evaluated.
    """
    from snakemake.common import overwrite_function_params
    from snakemake.resources import Resource

    overwrite_function_params(Resource.evaluate, inspect.signature(Resource("any", 0).evaluate).parameters)
    for rule in rules:
        for item in [*rule.input, *rule.params]:
            function = getattr(item, "callable", item)
            if isinstance(function, FunctionType):
                overwrite_function_params(function, inspect.signature(function).parameters)


def step(name: str) -> str:
    """Return the shell line of a rule, which follows from what its step declares to read and to write.

    The rule's inputs and outputs have the names of the step's ``INPUTS`` and ``OUTPUTS``; a name that ends in ``/`` is
    a param, the folder above files of which a large study has too many for a command line. What the record is
    ``ABOUT`` is a param, too, but for the data set, which is a wildcard. The slice of the study is ``params.spec``, the fingerprint ``params.code``.
    """
    declared = declarations(name)
    line = [f"rotastack step {name} --spec {{params.spec:q}} --code {{params.code}} --threads {{threads}}"]
    sources = {key: "wildcards" if key == "dataset" else "params" for key in declared["ABOUT"]}
    if sources:
        line.append("--about " + " ".join(f"{key}={{{source}.{key}:q}}" for key, source in sources.items()))
    for key in declared["INPUTS"]:
        source = "params" if key.endswith("/") else "input"
        line.append(f"--input {key.rstrip('/')} {{{source}.{key.rstrip('/')}:q}}")
    line += [f"--output {key} {{output.{key}:q}}" for key in declared["OUTPUTS"]]
    return " ".join([*line, "2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"])
