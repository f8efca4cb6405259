"""``rotastack run``: run a study, or the user's own table."""

import argparse
import json
import sys
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from rotastack.cli.options import add_trust_option, command, cores, headed
from rotastack.cli.studies import profile_options, snakemake
from rotastack.cli.versions import is_current
from rotastack.errors import RotastackError

EXAMPLES = """\
examples:
  rotastack run customers.csv --target churned
  rotastack run prices.xlsx --target price --time 10m
  rotastack run rotation_weights --size small --cores 4
  rotastack run rotation_stacking --profile slurm -- --default-resources slurm_account=A slurm_partition=P
  rotastack run studies/customers.yaml -- --forcerun train

Options after -- are passed to snakemake unchanged."""


OF_TABLES = (
    "target",
    "task",
    "score",
    "groups",
    "time_column",
    "split_column",
    "test",
    "time",
    "kind",
    "methods",
    "memory",
    "trust",
)
"""Options that no study takes."""
PARTS = {"-n", "--dry-run", "--dryrun", "-U", "--until", "-O", "--omit-from"}
"""Options of Snakemake with which a run is not for the whole study."""


def add(commands: Any) -> None:
    """Add the command."""
    run = command(
        commands,
        "run",
        _run,
        "run a study, or compare methods on a table",
        epilog=EXAMPLES,
        description="Compare ensembles on a table, train the best method on all rows, and print the verdict.",
    )
    run.add_argument(
        "study",
        metavar="TABLE|STUDY",
        help="table (CSV, Excel, Parquet, JSON lines, ARFF, ..., or an OpenML number such as openml:61), study of config/studies, or YAML file",
    )
    run.add_argument("--target", metavar="COLUMN", help="tables: column to predict")
    run.add_argument(
        "--task",
        choices=["classification", "regression"],
        help="tables: kind of the target; the default depends on its values",
    )
    run.add_argument(
        "--size", help="tables: small, medium (default) or full; studies: a size of their file, or full (default)"
    )
    run.add_argument("--time", metavar="TIME", help="tables: time limit of the run, such as 90s, 10m or 2h")
    run.add_argument(
        "--score",
        metavar="NAME",
        help="tables: score by which methods are ranked and tested, such as error, roc_auc, log_loss, rmse or mae, or scikit-learn's "
        "name of a score (default: depends on the target; studies have the key evaluation.score)",
    )
    run.add_argument(
        "--groups",
        metavar="COLUMN",
        help="tables: rows with the same value of this column stay together, in training or in test; with --time-column, the column "
        "that names the series, such as stores, for naive forecasts",
    )
    split = run.add_mutually_exclusive_group()
    split.add_argument(
        "--time-column",
        metavar="COLUMN",
        help="tables: column of dates or numbers; test rows are later than training rows",
    )
    split.add_argument(
        "--split-column",
        metavar="COLUMN",
        help="tables: column with given splits: train or test, or the number of the fold that tests the row",
    )
    split.add_argument("--test", metavar="FILE", help="tables: file with the test rows, all others being for training")
    run.add_argument(
        "--kind",
        metavar="COLUMN=KIND",
        action="append",
        default=[],
        help="tables: kind of a column: numeric, categorical, text, or id, which is left out (repeatable)",
    )
    run.add_argument(
        "--methods",
        metavar="NAMES",
        help="tables: methods to compare, such as 'Rotastack, ridge, sklearn.svm.SVC', or to leave out, such as 'all but XGBoost'",
    )
    add_trust_option(run)
    run.add_argument(
        "--memory",
        type=_megabytes,
        metavar="SIZE",
        help="tables: memory of all jobs together, such as 8G; a method that needs more is left out (default: the free memory)",
    )
    run.add_argument("--cores", default="all", help="cores to use (default: all)")
    run.add_argument(
        "--profile", help="workflow profile: default, slurm, pbs, sge, lsf, kubernetes, or a folder of your own"
    )
    run.add_argument("--dry-run", action="store_true", help="describe the run, and write nothing")
    run.add_argument("--verbose", action="store_true", help="show the output of snakemake")
    run.add_argument("--json", action="store_true", help="print the answer as JSON only")


def _megabytes(text: str) -> float:
    from pydantic import ByteSize, TypeAdapter

    with suppress(ValueError):
        if (size := TypeAdapter(ByteSize).validate_python(text)) >= 1e4:  # a number alone counts bytes
            return size / 1e6
    raise argparse.ArgumentTypeError(f"{text!r} is not a size of memory; examples: 500M, 8G")


def _run(arguments: Namespace) -> int:
    own, name, size = None, arguments.study, arguments.size
    n_cores = cores(arguments.cores)  # checked here, because Snakemake waits for ever with none
    if _is_table(name):
        from rotastack.workflow.run.own_table import OwnTable
        from rotastack.workflow.use.study_file import write_study

        own, size = OwnTable(arguments, n_cores), None
        print(headed(own.lines), file=sys.stderr if arguments.json else sys.stdout, flush=True)
        if arguments.dry_run:
            if arguments.json:
                print(json.dumps(own.about, indent=1, default=str))
            return 0
        write_study(own.content, own.file)
        name = str(own.file.path)
    else:
        for option in OF_TABLES:
            if getattr(arguments, option) not in (None, []):
                raise RotastackError(f"--{option.replace('_', '-')} is an option for tables, and {name} is a study")
    from rotastack.workflow.run.launch import plan_of

    plan = plan_of(name, size, None if own is None or own.file.edited else own.study)
    options = [*profile_options(arguments.profile), *arguments.rest, "--cores", str(arguments.cores)]
    if own is not None and arguments.profile is None:
        options += ["--resources", f"mem_mb={max(int(own.memory), plan.resources.largest_mb())}"]
    if not (arguments.rest or plan.skips):  # else Snakemake's process finds the results of other keys, and starts again
        with suppress(RotastackError):  # a wrong class, which the check of classes names better
            options += ["--forcerun", *stale] if (stale := plan.jobs.stale()) else []
    if arguments.dry_run:
        options += ["--dry-run", "--quiet", "host"]  # prints Snakemake's reasons
        return snakemake(plan, options, quiet=False)[0] if arguments.verbose else _dry_run(plan, arguments, options)
    code, seconds = snakemake(plan, options, quiet=not arguments.verbose)
    if code == 0 and (not arguments.rest or (PARTS.isdisjoint(arguments.rest) and is_current(plan, "track"))):
        plan.copy_pages()  # Snakemake does so after jobs alone
        from rotastack.cli.answer import Answer

        answer = Answer(plan, None if own is None else own.about)
        print(answer.as_json(seconds) if arguments.json else f"\n{answer.as_text(seconds)}")
    return code


def _dry_run(plan: Any, arguments: Namespace, options: list[str]) -> int:
    """Print a description of a run of the study; return Snakemake's exit code."""
    from concurrent.futures import ThreadPoolExecutor
    from tempfile import TemporaryDirectory

    from rotastack.cli.dry_run import lines_of, needs_of

    with TemporaryDirectory() as folder, ThreadPoolExecutor(1) as thread:
        needs = thread.submit(needs_of, plan)  # imports what the study names, while Snakemake plans
        code, _ = snakemake(plan, options, log=f"{folder}/log")
        log = Path(folder, "log").read_text(encoding="utf-8") if code == 0 else ""
    if code == 0:
        n_cores = cores(arguments.cores) if arguments.profile is None else 1
        lines = lines_of(plan, log, n_cores, *needs.result())
        print(json.dumps(lines, indent=1) if arguments.json else headed(lines.items()))
    return code


def _is_table(name: str) -> bool:
    from rotastack.data.formats import format_of

    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.is_dir():  # a study may have the name of a folder
        return False
    return format_of(path.name) is not None or name.startswith("openml:") or path.is_file()
