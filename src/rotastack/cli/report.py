"""``rotastack report``: bring the HTML report of a study up to date."""

from argparse import Namespace, RawDescriptionHelpFormatter
from typing import Any

from rotastack.cli.studies import add_study_arguments, plan_of, snakemake

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    report = commands.add_parser(
        "report", help="update the HTML report of a study, and print its path",
        formatter_class=RawDescriptionHelpFormatter,
        epilog="examples:\n  rotastack report customers\n  rotastack report rotation_weights --size small",
    )  # fmt: skip
    add_study_arguments(report)
    report.set_defaults(run=_report)


def _report(arguments: Namespace) -> int:
    plan = plan_of(arguments.study, arguments.size)
    code, _ = snakemake(plan, [plan.files.report, "--cores", "all"])
    if code == 0:
        print(f"rotastack: report written to {plan.files.report}")
    return code
