"""``rotastack run``: run a study, or the user's own table."""

import argparse
import json
import sys
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from rotastack.cli.answer import Answer
from rotastack.cli.own import OwnTable, cores, look_at
from rotastack.cli.screen import headed
from rotastack.cli.studies import offer, plan_of, score_names, snakemake
from rotastack.errors import RotastackError, nearest

__all__ = ["add", "ending", "profile_names", "profile_options"]

EXAMPLES = """\
examples:
  rotastack run customers.csv --target churned
  rotastack run prices.xlsx --target price --time 10m
  rotastack run rotation_weights --size small --cores 4
  rotastack run rotation_stacking --profile slurm -- --default-resources slurm_account=A slurm_partition=P
  rotastack run studies/customers.yaml -- --forcerun train

Options after -- are passed to snakemake unchanged."""


def add(commands: Any) -> None:
    """Add the command."""
    run = commands.add_parser(
        "run", help="run a study, or compare methods on a table", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Compare ensembles on a table, train the best method on all rows, and print the verdict.",
    )  # fmt: skip
    study = run.add_argument(
        "study", metavar="TABLE|STUDY",
        help="table (CSV, Excel, Parquet, JSON, ARFF, ..., or a web address), study of config/studies, or YAML file",
    )  # fmt: skip
    run.add_argument("--target", metavar="COLUMN", help="tables: column to predict")
    run.add_argument(
        "--task",
        choices=["classification", "regression"],
        help="tables: kind of the target; the default depends on its values",
    )
    size = run.add_argument(
        "--size", help="tables: small, medium (default) or full; studies: a size of their file, or full (default)"
    )
    run.add_argument(
        "--time", type=_seconds, metavar="TIME", help="tables: limit of the run's time, such as 90s, 10m or 2h"
    )
    score = run.add_argument(
        "--score", metavar="NAME",
        help="tables: score by which methods are ranked and tested, such as error, roc_auc, log_loss, rmse or mae, or scikit-learn's "
        "name of a score (default: depends on the target; studies have the key evaluation.score)",
    )  # fmt: skip
    split = run.add_mutually_exclusive_group()
    split.add_argument(
        "--groups",
        metavar="COLUMN",
        help="tables: rows with the same value of this column stay together, in training or in test",
    )
    split.add_argument(
        "--time-column",
        metavar="COLUMN",
        help="tables: column of dates or numbers; test rows are later than training rows",
    )
    split.add_argument(
        "--split-column", metavar="COLUMN",
        help="tables: column of given splits: train and test, or the number of the fold that tests the row",
    )  # fmt: skip
    run.add_argument(
        "--kind", metavar="COLUMN=KIND", action="append", default=[],
        help="tables: kind of a column: numeric, categorical or id, which is left out (repeatable)",
    )  # fmt: skip
    run.add_argument(
        "--methods", metavar="NAMES",
        help="tables: methods to compare, such as 'Rotastack, ridge', or to leave out, such as 'all but XGBoost'",
    )  # fmt: skip
    run.add_argument(
        "--memory", type=_megabytes, metavar="SIZE",
        help="tables: memory of all jobs together, such as 8G; a method that needs more is left out (default: the free memory)",
    )  # fmt: skip
    run.add_argument("--cores", default="all", help="cores to use (default: all)")
    profile = run.add_argument(
        "--profile", help="workflow profile: default, slurm, pbs, sge, lsf, kubernetes, or a folder of your own"
    )
    run.add_argument("--dry-run", action="store_true", help="describe the run, and write nothing")
    run.add_argument("--verbose", action="store_true", help="show the output of snakemake")
    run.add_argument("--json", action="store_true", help="print the answer as JSON only")
    run.set_defaults(run=_run)
    offer(study, _studies_and_tables)
    offer(size, lambda **_: ("small", "medium", "full"))
    offer(score, score_names)
    offer(profile, profile_names)


def _studies_and_tables(prefix: str = "", **_: Any) -> list[str]:
    """Return the studies, and the folders, tables and YAML files in the folder of `prefix`."""
    from rotastack.cli.studies import study_names
    from rotastack.data.formats import format_of

    folder = Path(prefix).parent if not prefix.endswith("/") else Path(prefix)
    files = [p for p in folder.glob("*") if p.is_dir() or format_of(p.name) or p.suffix == ".yaml"]
    return [*study_names(), *(f"{p}/" if p.is_dir() else str(p) for p in files)]


def _seconds(text: str) -> float:
    import pandas as pd

    with suppress(ValueError):
        if (seconds := pd.Timedelta(text).total_seconds()) >= 0.1:  # a number alone counts nanoseconds
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is not a time; examples: 90s, 10m, 2h")


def _megabytes(text: str) -> float:
    from pydantic import ByteSize, TypeAdapter

    with suppress(ValueError):
        if (size := TypeAdapter(ByteSize).validate_python(text)) >= 1e4:  # a number alone counts bytes
            return size / 1e6
    raise argparse.ArgumentTypeError(f"{text!r} is not a size; examples: 500M, 8G")


def _run(arguments: Namespace) -> int:
    own, name, size = None, arguments.study, arguments.size
    if _is_table(name):
        own, size = _own(arguments), None
        if arguments.dry_run:
            return 0
        name = str(own.place.path)
    else:
        _refuse(
            arguments,
            ("target", "task", "score", "groups", "time_column", "split_column", "time", "kind", "methods", "memory"),
            f"is an option for tables, and {name} is a study",
        )
    plan = plan_of(name, size)
    options = [*profile_options(arguments.profile), *arguments.rest, "--cores", str(arguments.cores)]
    if own is not None and arguments.profile is None:
        options += ["--resources", f"mem_mb={own.megabytes}"]
    if arguments.dry_run:
        options += ["--dry-run", "--quiet", "host"]  # prints Snakemake's reasons
        return snakemake(plan, options, quiet=False)[0] if arguments.verbose else _describe(plan, arguments, options)
    code, seconds = snakemake(plan, options, quiet=not arguments.verbose)
    if code == 0 and not arguments.rest:
        answer = Answer(plan, None if own is None else own.about)
        print(answer.as_json(seconds) if arguments.json else f"\n{ending(answer, plan.root, seconds)}")
    return code


def _describe(plan: Any, arguments: Namespace, options: list[str]) -> int:
    """Print what a run of the study would do; return Snakemake's exit code."""
    from tempfile import TemporaryDirectory

    from rotastack.cli.planned import lines_of

    with TemporaryDirectory() as folder:
        code, _ = snakemake(plan, options, log=f"{folder}/log")
        log = Path(folder, "log").read_text(encoding="utf-8") if code == 0 else ""
    if code == 0:
        lines = lines_of(plan, log, cores(arguments.cores) if arguments.profile is None else 1)
        print(json.dumps(lines, indent=1) if arguments.json else headed(lines.items()))
    return code


def ending(answer: Answer, root: str, seconds: float | None = None) -> str:
    """Return the text at the end of a run: the verdict, the leaderboard, and where everything is."""
    return f"{answer.as_text(seconds)}\n{headed([('runs', 'rotastack ui'), ('results', root)])}"


def _refuse(arguments: Namespace, options: tuple[str, ...], why: str) -> None:
    for option in options:
        if getattr(arguments, option) not in (None, []):
            raise RotastackError(f"--{option.replace('_', '-')} {why}")


def _is_table(name: str) -> bool:
    from rotastack.data.formats import format_of, is_address

    path = Path(name)
    if path.is_dir():
        raise RotastackError(f"{name} is a folder; name a table or a study")
    if path.suffix in (".yaml", ".yml"):
        return False
    return format_of(path.name) is not None or is_address(name) or name.startswith("openml:") or path.is_file()


def _own(arguments: Namespace) -> OwnTable:
    """Print what the table is and how it will be studied, and write its study."""
    from rotastack.workflow.use.own_study import write_study
    from rotastack.workflow.use.own_table import SIZES

    if arguments.size not in (None, *SIZES):
        raise RotastackError(f"--size: {arguments.size!r} is not a size of tables; allowed: {', '.join(SIZES)}")
    own = look_at(arguments)
    print(headed(own.lines), file=sys.stderr if arguments.json else sys.stdout, flush=True)
    if not arguments.dry_run:
        write_study(own.study, own.place)
    elif arguments.json:
        print(json.dumps(own.about, indent=1, default=str))
    return own


def profile_options(name: str | None) -> list[str]:
    """Return Snakemake's options for a profile, given by the name of a shipped profile or by a folder."""
    from rotastack.project import project_file

    if name in (None, "default"):
        return ["--workflow-profile", "none", *_as_options(project_file("workflow/profiles/default/config.yaml"))]
    shipped = project_file(f"workflow/profiles/{name}")
    folder = shipped if shipped.is_dir() else Path(name)
    if not folder.exists() and not Path("profiles", name).exists():
        names = profile_names()
        raise RotastackError(
            f"--profile: {name!r} is neither a folder nor a profile{nearest(name, names)}; profiles: {', '.join(names)}"
        )
    for needed in _missing_plugins(folder):
        raise RotastackError(f"profile {name}: {needed} is not installed; run `pip install {needed}`")
    return ["--workflow-profile", str(folder)]


def profile_names(**_: Any) -> list[str]:
    """Return the names of the shipped profiles."""
    from rotastack.project import project_file

    return sorted(path.name for path in project_file("workflow/profiles").iterdir() if path.is_dir())


def _as_options(file: Path) -> list[str]:
    """Return a profile as options; with a profile Snakemake would print a notice at every run."""
    from rotastack.base.documents import load_yaml

    options = []
    for key, value in load_yaml(file).items():
        if key == "logger":  # the command names it, with a file
            continue
        pairs = [f"{name}={number}" for name, number in value.items()] if isinstance(value, dict) else value
        values = pairs if isinstance(pairs, list) else [] if value is True else [value]
        options += [f"--{key}", *map(str, values)]
    return options


def _missing_plugins(profile: Path) -> list[str]:
    """Return the Snakemake plugins that a profile needs and that are not installed."""
    from importlib.util import find_spec

    from rotastack.base.documents import load_yaml

    file = profile / "config.yaml"
    content = load_yaml(file) if file.is_file() else {}
    kinds = {"executor": "executor", "default-storage-provider": "storage"}
    plugins = [f"snakemake-{kind}-plugin-{content[key]}" for key, kind in kinds.items() if content.get(key)]
    built_in = (
        "snakemake-executor-plugin-local",
        "snakemake-executor-plugin-dryrun",
        "snakemake-executor-plugin-touch",
    )
    return [name for name in plugins if name not in built_in and find_spec(name.replace("-", "_")) is None]
