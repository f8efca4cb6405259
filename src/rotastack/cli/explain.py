"""``rotastack explain``: print which columns a study's model uses, and write a page about them."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.cli.options import add_model_options, command
from rotastack.cli.versions import check_model


def add(commands: Any) -> None:
    """Add the command."""
    explain = command(
        commands,
        "explain",
        _explain,
        "explain the model of a study, and write a page",
        description="Compute importances of columns, weights of rotated columns, and partial dependence of the predictions on the most important columns.",
        epilog="example:\n  rotastack explain customers",
    )
    explain.add_argument("study", help="the study that made the model")
    add_model_options(explain)
    explain.add_argument("--score", help="score by which importances are measured (default: the study's score)")


def _explain(arguments: Namespace) -> None:
    from rotastack.workflow.use.explaining import explain_saved
    from rotastack.workflow.use.explanation import write_explanation
    from rotastack.workflow.use.saved_model import file_of_study

    path = file_of_study(arguments.study, arguments.dataset, arguments.project)
    folder = path.parents[1]
    check_model(path, arguments.study, arguments.project)
    own = folder.parent / f"raw/{folder.name}.parquet"
    raw = own if own.is_file() else Path(arguments.project) / f"data/raw/{folder.name}.parquet"
    content = explain_saved(path, raw, folder.parent.name, folder.name, arguments.score, arguments.trust)
    page = folder / "explain.html"
    told = write_explanation(content, path.with_name("explanation.json"), page)
    for sentence in [*content["words"], *told]:
        print(sentence)
    print(f"rotastack: page written to {page}")
