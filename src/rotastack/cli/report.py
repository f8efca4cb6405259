"""``rotastack report``: bring the HTML report of a study up to date."""

from argparse import Namespace
from typing import Any

from rotastack.cli.studies import snakemake, study_file
from rotastack.errors import RotastackError

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    report = commands.add_parser(
        "report", help="bring the HTML report of a study up to date, and say where it is"
    )
    report.add_argument("study", help="a study of config/studies or a YAML file")
    report.add_argument("--size", default="full", help="size of the study, such as small (default: full)")
    report.set_defaults(run=_report)


def _report(arguments: Namespace) -> int:
    from rotastack.base.documents import load_yaml

    study = study_file(arguments.study)
    content = load_yaml(study)
    if not isinstance(content, dict) or "name" not in content:
        raise RotastackError(f"{study}: top level: key 'name' is missing")
    sized = arguments.size != "full"
    page = f"results/{content['name']}{'-' + arguments.size if sized else ''}/report.html"
    options = ["--config", f"size={arguments.size}"] if sized else []
    code = snakemake(["--configfile", str(study), *options, "--cores", "all", page])
    if code == 0:
        print(f"rotastack: the report is {page}")
    return code
