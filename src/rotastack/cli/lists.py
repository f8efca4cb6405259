"""``rotastack datasets``, ``methods`` and ``schema``: list the names and keys that a study may use."""

from argparse import Namespace
from typing import Any

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the commands."""
    datasets = commands.add_parser("datasets", help="list the data sets")
    datasets.add_argument(
        "--available", action="store_true", help="also check whether each data set is available (uses the network)"
    )
    datasets.set_defaults(run=_datasets)

    methods = commands.add_parser("methods", help="list short names of estimators, views and pruners")
    methods.set_defaults(run=_methods)

    schema = commands.add_parser("schema", help="print the JSON schema of studies, for editors")
    schema.set_defaults(run=_schema)


def _datasets(arguments: Namespace) -> None:
    from rotastack.data.registry import registry

    entries = registry()
    print(f"{'name':24s} {'rows':>6s} {'columns':>7s} {'classes':>7s}  source")
    for name, spec in entries.items():
        columns = spec["columns"] if isinstance(spec["columns"], int) else len(spec["columns"])
        sources = ", ".join(next(iter(source)) for source in spec["sources"]) or "mirror only"
        line = f"{name:24s} {spec['rows']:6d} {columns:7d} {len(spec.get('classes', [])) or '-':>7}  {sources}"
        if arguments.available:
            from rotastack.data.loading import unavailable

            why = unavailable(name, spec)
            line += "  available" if why is None else f"  NOT available: {why}"
        print(line)


def _methods(arguments: Namespace) -> None:
    from rotastack.workflow.study.catalogue import ESTIMATORS, PRUNERS, REGRESSORS, VIEWS

    print(
        "A study names an estimator, view or pruner by its short name or by its class: a dotted path, or the name of a Rotastack class."
    )
    print("Parameters are those of the class. Short names, classes and fixed parameters:")
    for title, entries in [
        ("estimators", ESTIMATORS),
        ("estimators, task regression", REGRESSORS),
        ("views", VIEWS),
        ("pruners", PRUNERS),
    ]:
        print(f"{title}:")
        for name, entry in entries.items():
            print(f"  {name}: {entry.path}{_fixed(entry.parameters)}")
    print(
        "combiners (kind): vote, stacking, log_linear, weights, member, prune, other; `rotastack schema` prints their keys"
    )


def _fixed(parameters: dict) -> str:
    """Return fixed parameters in the YAML of a study."""
    import yaml

    if not parameters:
        return ""
    return " " + yaml.safe_dump(parameters, default_flow_style=True, sort_keys=False, width=10**6).strip()


def _schema(arguments: Namespace) -> None:
    import json

    from rotastack.workflow.study.model import StudyDocument

    print(json.dumps(StudyDocument.model_json_schema(), indent=1))
