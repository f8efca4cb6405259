"""``rotastack datasets`` and ``methods``: list the names that a study may use."""

from argparse import Namespace
from typing import Any

from rotastack.cli.options import command


def add(commands: Any) -> None:
    """Add the commands."""
    datasets = command(commands, "datasets", _datasets, "list the data sets")
    text = "also check whether each data set is available (uses the network)"
    datasets.add_argument("--available", action="store_true", help=text)
    command(commands, "methods", _methods, "list short names of estimators, views and pruners")


def _datasets(arguments: Namespace) -> None:
    from rotastack.data.registry import registry

    print(f"{'name':24s} {'rows':>6s} {'columns':>7s} {'classes':>7s}  source")
    for name, spec in registry().items():
        columns = spec["columns"] if isinstance(spec["columns"], int) else len(spec["columns"])
        sources = ", ".join(next(iter(source)) for source in spec["sources"]) or "mirror only"
        line = f"{name:24s} {spec['rows']:6d} {columns:7d} {len(spec.get('classes', [])) or '-':>7}  {sources}"
        if arguments.available:
            from rotastack.data.loading import unavailable

            why = unavailable(name, spec)
            line += "  available" if why is None else f"  NOT available: {why}"
        print(line)


def _methods(arguments: Namespace) -> None:
    import yaml

    from rotastack.workflow.study.catalogue import ESTIMATORS, PRUNERS, REGRESSORS, VIEWS

    print(
        "A study names an estimator, view or pruner by its short name or by its class: a dotted path, or the name of a Rotastack class."
    )
    print("Parameters are those of the class. Short names, classes and fixed parameters:")
    titles = ("estimators", "estimators, task regression", "views", "pruners")
    for title, entries in zip(titles, (ESTIMATORS, REGRESSORS, VIEWS, PRUNERS), strict=True):
        print(f"{title}:")
        for name, entry in entries.items():
            fixed = yaml.safe_dump(entry.parameters, default_flow_style=True, sort_keys=False, width=10**6).strip()
            print(f"  {name}: {entry.path}{f' {fixed}' if entry.parameters else ''}")
    print("combiners (kind): vote, stacking, log_linear, weights, member, prune, other")
