"""``rotastack fit``: fit one estimator to the user's own table."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.cli.options import add_trust_option, command
from rotastack.errors import RotastackError

EXAMPLES = """\
examples:
  rotastack fit customers.csv --target churned --out churned.skops
  rotastack fit prices.parquet --target price --out price.skops --set trees_per_family=500 --threads 8
  rotastack predict --model churned.skops new.csv"""


def add(commands: Any) -> None:
    """Add the command."""
    fit = command(
        commands,
        "fit",
        _fit,
        "fit one estimator to a table",
        epilog=EXAMPLES,
        description="Fit one estimator to all rows of a table, without a comparison of methods.",
    )
    fit.add_argument("table", help="table, in a format that `rotastack run` reads")
    fit.add_argument("--target", metavar="COLUMN", required=True, help="column to predict")
    fit.add_argument("--out", metavar="FILE", required=True, help="file to write, such as model.skops")
    fit.add_argument(
        "--task", choices=["classification", "regression"], help="kind of the target; the default depends on its values"
    )
    fit.add_argument(
        "--kind",
        metavar="COLUMN=KIND",
        action="append",
        default=[],
        help="kind of a column: numeric, categorical, text, or id, which is left out (repeatable)",
    )
    fit.add_argument("--estimator", default="rotastack", help="short name or class, as in a study (default: rotastack)")
    fit.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="parameter of the estimator, as in a study (repeatable)",
    )
    add_trust_option(fit)
    fit.add_argument("--seed", type=int, default=0, help="seed of all random numbers (default: 0)")
    fit.add_argument("--threads", type=int, default=1, help="number of threads (default: 1)")


def _fit(arguments: Namespace) -> None:
    from rotastack.workflow.run.own_table import declared_kinds
    from rotastack.workflow.tracking.model_files import dump_model
    from rotastack.workflow.use.fitted_table import fit_table, read_target

    if arguments.threads < 1:
        raise RotastackError(f"--threads must be at least 1, found {arguments.threads}")
    if not Path(arguments.out).suffix:
        raise RotastackError(f"--out: {arguments.out} is not a file name; name a file such as {arguments.out}.skops")
    parameters = _parameters(arguments.set)
    read = read_target(arguments.table, arguments.target, arguments.task, declared_kinds(arguments.kind))
    model, notes = fit_table(read, arguments.estimator, parameters, arguments.seed, arguments.threads)
    dump_model(model, arguments.out, arguments.trust)
    for note in notes:
        print(f"rotastack: {arguments.table}: {note}", file=sys.stderr)
    print(f"{read.reading}\nmodel: {arguments.out}")


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
