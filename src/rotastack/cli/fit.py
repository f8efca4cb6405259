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
        "fit", help="fit one estimator to a table", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Fit one estimator to all rows of a table, without a comparison of methods.",
    )  # fmt: skip
    fit.add_argument("table", help="table, in a format that `rotastack run` reads")
    fit.add_argument("--target", metavar="COLUMN", required=True, help="column to predict")
    fit.add_argument("--out", metavar="FILE", required=True, help="file of the model, such as model.skops")
    fit.add_argument(
        "--task", choices=["classification", "regression"], help="kind of the target; the default depends on its values"
    )
    fit.add_argument(
        "--kind", metavar="COLUMN=KIND", action="append", default=[],
        help="kind of a column: numeric, categorical or id, which is left out (repeatable)",
    )  # fmt: skip
    fit.add_argument("--estimator", default="rotastack", help="short name or class, as in a study (default: rotastack)")
    fit.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="parameter of the estimator, as in a study (repeatable)",
    )
    fit.add_argument("--seed", type=int, default=0, help="seed (default: 0)")
    fit.add_argument("--threads", type=int, default=1, help="threads (default: 1)")
    fit.set_defaults(run=_fit)


def _fit(arguments: Namespace) -> int:
    import sys

    from rotastack.cli.own import declared_kinds
    from rotastack.workflow.tracking.model_files import dump_model
    from rotastack.workflow.use.fitted_table import fit_table

    if arguments.threads < 1:
        raise RotastackError(f"--threads must be at least 1, found {arguments.threads}")
    if not Path(arguments.out).suffix:
        raise RotastackError(f"--out: {arguments.out} is not a file name; name a file such as {arguments.out}.skops")
    model, reading = fit_table(
        arguments.table, arguments.target, arguments.task, arguments.estimator, _parameters(arguments.set), arguments.seed,
        arguments.threads, declared_kinds(arguments.kind),
    )  # fmt: skip
    dump_model(model, arguments.out)
    for note in reading.notes:
        print(f"rotastack: {arguments.table}: {note}", file=sys.stderr)
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
            raise RotastackError(f"--set: the value of {name} is not valid YAML: {value!r}") from None
    return parameters
