"""Parts that the commands share: parsers, options on studies and models, and plain text.

Tables and lines with headings are plain text of any width: pipes and logs cut no name and show no colours.
"""

import os
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rotastack.errors import RotastackError


def command(commands: Any, name: str, run: Callable[[Namespace], int | None], summary: str, **texts: str) -> Any:
    """Return the parser of a new command, which `run` does; `texts` are its description and its epilog."""
    parser = commands.add_parser(name, help=summary, formatter_class=RawDescriptionHelpFormatter, **texts)
    parser.set_defaults(run=run)
    return parser


def add_study_options(parser: ArgumentParser) -> None:
    """Add the arguments that name a study."""
    parser.add_argument("study", help="study in this folder, in studies or in config/studies, or a YAML file")
    parser.add_argument("--size", help="size of the study, such as small (default: full)")


def add_model_options(parser: ArgumentParser) -> None:
    """Add the options that choose a model of a study: the data set and the project's folder."""
    parser.add_argument("--dataset", metavar="NAME", help="data set of the model, for a study of several data sets")
    parser.add_argument(
        "-C",
        "--project",
        metavar="DIR",
        default=".",
        help="folder in which the study was run (default: the current folder)",
    )
    add_trust_option(parser)


def add_trust_option(parser: ArgumentParser) -> None:
    """Add the option that consents to types of modules in a model file."""
    text = "your own module, or a package, whose classes and functions the model may contain (repeatable)"
    parser.add_argument("--trust", metavar="MODULE", action="append", default=[], help=text)


def cores(given: str) -> int:
    """Return the number of cores for ``--cores``, which is a number or ``all``."""
    if given == "all":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not given.isdigit() or int(given) < 1:
        raise RotastackError(f"--cores must be all or a whole number of at least 1, found {given!r}")
    return int(given)


def headed(lines: Iterable[tuple[str, str]]) -> str:
    """Return lines with their headings in one column."""
    return "\n".join(f"{heading:10s}{text}" for heading, text in lines)


def table_text(head: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    """Return a table with its first column aligned left and the others right; a row has its first cell as its key."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for k, name in enumerate(head):
        table.add_column(name, justify="right" if k else "left")
    for name, cells in rows.items():
        table.add_row(name, *cells)
    console = Console(width=10_000, color_system=None, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
