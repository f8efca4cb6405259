"""``rotastack fit``: fit one estimator to the user's own table."""

import argparse
from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError

__all__ = ["add"]

EXAMPLES = """\
examples:
  rotastack fit customers.csv --target churned --out churned.skops
  rotastack fit prices.parquet --target price --out price.skops --set trees_per_family=500 --threads 8
  rotastack predict --model churned.skops new.csv"""


def add(commands: Any) -> None:
    """Add the command."""
    fit = commands.add_parser(
        "fit", help="fit one estimator to one's own table", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Fit one estimator to all rows of a table, without comparing it to others.",
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
    fit.add_argument("--threads", type=int, default=1, help="threads (default: 1)")
    fit.set_defaults(run=_fit)


def _fit(arguments: Namespace) -> int:
    from rotastack.tracking.model_files import dump_model
    from rotastack.use.fitted_table import fit_table

    if arguments.threads < 1:
        raise RotastackError(f"--threads: must be a number from 1, found {arguments.threads}")
    if not Path(arguments.out).suffix:
        raise RotastackError(f"--out: {arguments.out} is no name of a file; such as {arguments.out}.skops is")
    model, reading = fit_table(
        arguments.table, arguments.target, arguments.task, arguments.estimator, _parameters(arguments.set), arguments.seed,
        arguments.threads,
    )  # fmt: skip
    dump_model(model, arguments.out)
    print(f"{reading}\nmodel: {arguments.out}")
    return 0


def _parameters(given: list[str]) -> dict[str, Any]:
    import yaml

    parameters = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier():
            raise RotastackError(f"--set: {item!r} is not NAME=VALUE")
        try:
            parameters[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise RotastackError(f"--set: the value of {name} is no YAML: {value!r}") from None
    return parameters
