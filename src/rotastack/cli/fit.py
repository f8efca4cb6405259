"""``rotastack fit``: fit one estimator to one's own table, in this process or in parts that are jobs."""

import argparse
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError

__all__ = ["add"]

EXAMPLES = """\
examples:
  rotastack fit customers.csv --target churned --out churned.skops
  rotastack fit customers.parquet --target churned --out churned.skops --parts 20 --profile slurm
  rotastack predict --model churned.skops new.csv

What follows -- goes to snakemake as it is, with --parts."""


def add(commands: Any) -> None:
    """Add the command."""
    fit = commands.add_parser(
        "fit", help="fit one estimator to one's own table", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Fit one estimator to all rows of a table, without comparing it to others. With --parts the fit is "
        "shared out to jobs, on this machine or a cluster; the model is the same.",
    )  # fmt: skip
    fit.add_argument("table", help="the table, in a format that `rotastack run` reads")
    fit.add_argument("--target", metavar="COLUMN", required=True, help="the column to be predicted")
    fit.add_argument("--out", metavar="FILE", required=True, help="the model's file, such as model.skops")
    fit.add_argument("--task", choices=["classification", "regression"], help="by default the target decides")
    fit.add_argument(
        "--estimator", default="rotastack", help="as in a study: a short name, or a class (default: rotastack)"
    )
    fit.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the estimator, as in a study"
    )
    fit.add_argument("--seed", type=int, default=0, help="seed (default: 0)")
    fit.add_argument("--threads", type=int, default=1, help="threads of each process (default: 1)")
    fit.add_argument("--parts", type=int, help="share the fit out to so many jobs, which Snakemake runs")
    fit.add_argument("--cores", default="all", help="with --parts: cores to use, or jobs at once (default: all)")
    fit.add_argument("--profile", help="with --parts: workflow profile: default, slurm, or a folder")
    fit.add_argument("--part", help=argparse.SUPPRESS)  # what a job does: a number, or "all" to gather
    fit.set_defaults(run=_fit)


def _fit(arguments: Namespace) -> int:
    from rotastack.tracking.model_files import dump_model
    from rotastack.use.fitted_table import FittedTable, part_file

    if arguments.parts is not None and arguments.parts < 2:
        raise RotastackError(f"--parts: must be a number from 2, found {arguments.parts}")
    if arguments.threads < 1:
        raise RotastackError(f"--threads: must be a number from 1, found {arguments.threads}")
    if not Path(arguments.out).suffix:
        raise RotastackError(f"--out: {arguments.out} is no name of a file; such as {arguments.out}.skops is")
    fitted = FittedTable(
        arguments.table, arguments.target, arguments.task, arguments.estimator, _parameters(arguments.set), arguments.seed
    )  # fmt: skip
    if arguments.parts and arguments.part is None:
        return _jobs(arguments, {"megabytes": fitted.megabytes, "code": fitted.code})
    if arguments.part is None:
        dump_model(fitted.fit(arguments.threads), arguments.out)
        print(f"{fitted.reading}\nmodel: {arguments.out}")
    elif arguments.part == "all":
        dump_model(fitted.gather(arguments.out, arguments.parts, arguments.threads), arguments.out)
    else:
        part_file(arguments.out, 0).parent.mkdir(parents=True, exist_ok=True)
        fitted.fit_part(arguments.out, int(arguments.part), arguments.parts, arguments.threads)
    return 0


def _parameters(given: list[str]) -> dict[str, Any]:
    import yaml

    found = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier():
            raise RotastackError(f"--set: {item!r} is not NAME=VALUE")
        try:
            found[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise RotastackError(f"--set: the value of {name} is no YAML: {value!r}") from None
    return found


def _jobs(arguments: Namespace, about: dict[str, Any]) -> int:
    import json

    from rotastack.cli.own import cores
    from rotastack.cli.profiles import profile_options
    from rotastack.cli.studies import call_snakemake
    from rotastack.files import write_text

    for option, name in (("--out", arguments.out), ("the table", arguments.table)):
        if "{" in name or "}" in name:  # of a file that Snakemake would take for many
            raise RotastackError(f"{option}: with --parts the name of a file holds no braces, found {name}")
    cores(arguments.cores)
    profile = profile_options(arguments.profile)
    line = [
        arguments.table,
        "--target",
        arguments.target,
        "--estimator",
        arguments.estimator,
        "--seed",
        str(arguments.seed),
    ]
    line += ["--task", arguments.task] if arguments.task else []
    line += [word for item in arguments.set for word in ("--set", item)]
    config = Path(f"{arguments.out}.parts") / "fit.json"
    content = {
        "line": line, "table": arguments.table if Path(arguments.table).is_file() else None, "out": arguments.out,
        "parts": arguments.parts, "threads": arguments.threads, **about,
    }  # fmt: skip
    write_text(config, json.dumps(content, indent=1))
    options = ["--configfile", str(config), "--cores", str(arguments.cores), *profile]
    # First, as it takes many values: what follows may be a target.
    quiet = ["--quiet", "rules", "host", "reason"]
    code = call_snakemake("workflow/fit.smk", [*quiet, *options, *arguments.rest])
    if code:
        print(
            f"rotastack: error: a part failed, see above and {config.parent}/logs; what was done is kept, and the same "
            "command goes on",
            file=sys.stderr,
        )
        return code
    if not arguments.rest:  # which may ask for a dry run
        print(f"model: {arguments.out}")
    return 0
