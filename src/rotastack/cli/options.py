"""Parts that the commands share: their parsers, the options on studies and models, and the values that shells complete."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

__all__ = [
    "add_model_options", "add_study_options", "command", "offer", "score_names", "studies_with_models", "study_names",
]  # fmt: skip


def command(commands: Any, name: str, run: Callable[[Namespace], int | None], summary: str, **texts: str) -> Any:
    """Return the parser of a new command, which `run` does; `texts` are its description and its epilog."""
    parser = commands.add_parser(name, help=summary, formatter_class=RawDescriptionHelpFormatter, **texts)
    parser.set_defaults(run=run)
    return parser


def offer(action: Any, values: Callable[..., Iterable[str]]) -> None:
    """Set the function by which argcomplete lists the values of an argument."""
    action.completer = values


def add_study_options(parser: ArgumentParser) -> None:
    """Add the arguments that name a study."""
    text = "study of this folder, of studies or of config/studies, or a YAML file"
    offer(parser.add_argument("study", help=text), study_names)
    parser.add_argument("--size", help="size of the study, such as small (default: full)")


def add_model_options(parser: ArgumentParser) -> None:
    """Add the options that choose a model of a study: the data set and the project's folder."""
    parser.add_argument("--dataset", metavar="NAME", help="data set of the model, for a study of several data sets")
    parser.add_argument(
        "-C", "--project", metavar="DIR", default=".",
        help="folder in which the study was run (default: the current folder)",
    )  # fmt: skip


def study_names(**_: Any) -> list[str]:
    """Return the names of the studies in the working directory and of the shipped studies."""
    from rotastack.workflow.run.launch import study_files

    return sorted({path.stem for path in study_files()})


def score_names(**_: Any) -> list[str]:
    """Return the names of the scores that can rank methods, for both tasks."""
    from rotastack.stats.metrics import METRICS

    return [name for scores in METRICS.values() for name, higher in scores.items() if higher is not None]


def studies_with_models(**_: Any) -> list[str]:
    """Return the names of the studies in the working directory that have a model."""
    return sorted({path.parents[2].name for path in Path("results").glob("*/*/model/model.skops")})
