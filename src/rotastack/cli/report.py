"""``rotastack report``: bring the HTML report of a study up to date."""

from argparse import Namespace, RawDescriptionHelpFormatter
from typing import Any

from rotastack.cli.studies import plan_of, run_snakemake, study_file

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    report = commands.add_parser(
        "report", help="bring the HTML report of a study up to date, and say where it is",
        formatter_class=RawDescriptionHelpFormatter,
        epilog="examples:\n  rotastack report customers\n  rotastack report rotation_weights --size small",
    )  # fmt: skip
    report.add_argument("study", help="a study of studies or config/studies, or a YAML file")
    report.add_argument("--size", help="size of the study, such as small (default: full)")
    report.set_defaults(run=_report)


def _report(arguments: Namespace) -> int:
    study = study_file(arguments.study)
    size = None if arguments.size == "full" else arguments.size
    page = f"{plan_of(study, size).root}/report.html"
    options = ["--config", f"size={size}"] if size else []
    outcome = run_snakemake(["--configfile", str(study), *options, "--cores", "all", page], study, size)
    if outcome.code == 0:
        print(f"rotastack: the report is {page}")
    return outcome.code
