"""``rotastack run``: run a study, or one's own table."""

import argparse
import json
import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.cli.profiles import profile_options
from rotastack.cli.studies import run_snakemake, snakemake, study_file, without_traces
from rotastack.errors import RotastackError

__all__ = ["add"]

EXAMPLES = """\
examples:
  rotastack run customers.csv --target churned
  rotastack run prices.xlsx --target price --time 10m
  rotastack run rotation_weights --size small --cores 4
  rotastack run rotation_stacking --profile slurm
  rotastack run studies/customers.yaml -- --forcerun train

What follows -- goes to snakemake as it is."""


def add(commands: Any) -> None:
    """Add the command."""
    run = commands.add_parser(
        "run", help="run one's own table, or a study", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Compare ensembles on a table, make a model of the best, and say what came out.",
    )  # fmt: skip
    run.add_argument(
        "study", metavar="TABLE|STUDY",
        help="a table (CSV, Excel, Parquet, JSON, ARFF, ..., or an address), a study of config/studies, or a YAML file",
    )  # fmt: skip
    run.add_argument("--target", metavar="COLUMN", help="of a table: the column to be predicted")
    run.add_argument(
        "--task", choices=["classification", "regression"], help="of a table: by default the target decides"
    )
    run.add_argument(
        "--size", help="small, medium or full; of a table medium by default, of a study what it has, by default full"
    )
    run.add_argument(
        "--time", type=_seconds, metavar="TIME", help="of a table: what the run may take, such as 90s, 10m or 2h"
    )
    run.add_argument("--cores", default="all", help="cores to use (default: all)")
    run.add_argument(
        "--cache", metavar="FOLDER",
        help="share raw and prepared tables, groups and pools with other checkouts that name the same folder",
    )  # fmt: skip
    run.add_argument(
        "--profile", help="workflow profile: default, slurm, pbs, sge, lsf, kubernetes, or a folder of your own"
    )
    run.add_argument("--dry-run", action="store_true", help="say what would be done, and write nothing")
    run.add_argument("--verbose", action="store_true", help="show what snakemake prints")
    run.add_argument("--json", action="store_true", help="print the answer as JSON, and nothing else")
    run.set_defaults(run=_run)


def _seconds(text: str) -> float:
    from rotastack.cli.own import seconds_of

    try:
        return seconds_of(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; such as 90s, 10m or 2h is") from None


def _run(arguments: Namespace) -> int:
    own = None
    if _is_table(arguments.study):
        own, study = _own(arguments)
        if study is None:
            return 0
    else:
        for option in ("target", "task", "time"):
            if getattr(arguments, option) is not None:
                raise RotastackError(f"--{option} goes with a table, and {arguments.study} is a study")
        study = study_file(arguments.study)
    options = ["--configfile", str(study)]
    size = arguments.size if own is None and arguments.size != "full" else None
    if size:
        options += ["--config", f"size={size}"]
    if arguments.cache:
        options += _shared(Path(arguments.cache))
    # Last, as it takes one value: what follows may be a target.
    options += ["--cores", str(arguments.cores), *profile_options(arguments.profile)]
    if arguments.dry_run:
        with without_traces():
            # Before the others, as it takes many values: what follows may be a target.
            quiet = [] if arguments.verbose else ["--quiet", "rules", "host", "reason"]
            return snakemake([*quiet, "--dry-run", *options, *arguments.rest])
    if arguments.verbose:
        code, seconds = snakemake(options + arguments.rest, out=sys.stderr if arguments.json else None), None
    else:
        outcome = run_snakemake(options + arguments.rest, study, size)
        code, seconds = outcome.code, outcome.seconds
    if code == 0 and not arguments.rest:
        _answer(study, size, own, arguments, seconds)
    return code


def _shared(folder: Path) -> list[str]:
    """Return the option by which Snakemake takes outputs from a folder, and keeps them there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RotastackError(f"--cache: {folder}: {error.strerror}") from None
    os.environ["SNAKEMAKE_OUTPUT_CACHE"] = str(folder.resolve())
    return ["--cache"]


def _is_table(name: str) -> bool:
    from rotastack.data.formats import format_of, is_address

    path = Path(name)
    if path.is_dir():
        raise RotastackError(f"{name} is a folder; name a table in it, or a study")
    if path.suffix in (".yaml", ".yml"):
        return False
    return format_of(path.name) is not None or is_address(name) or name.startswith("openml:") or path.is_file()


def _own(arguments: Namespace) -> tuple[Any, Path | None]:
    """Say what the table is and what will be done; return the study's file, or None if nothing is to be run."""
    from rotastack.cli.own import look_at
    from rotastack.use.own_table import SIZES, write_study

    if arguments.size not in (None, *SIZES):
        raise RotastackError(f"--size: of a table there are {', '.join(SIZES)}, found {arguments.size!r}")
    own = look_at(arguments)
    out = sys.stderr if arguments.json else sys.stdout
    print(own.text, file=out, flush=True)
    if arguments.dry_run:
        if arguments.json:
            print(json.dumps(own.about, indent=1, default=str))
        return own, None
    write_study(own.study, own.place)
    return own, own.place.path


def _answer(study: Path, size: str | None, own: Any, arguments: Namespace, seconds: float | None) -> None:
    """Say what came out, and where it is."""
    from rotastack.cli.answer import Answer

    answer = Answer.read(study, size, None if own is None else own.about)
    if arguments.json:
        print(json.dumps(answer.as_dict(seconds), indent=1, default=str))
    else:
        print("\n" + answer.as_text(seconds))
