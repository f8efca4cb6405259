"""``rotastack report``: bring the HTML report of a study up to date."""

from argparse import Namespace
from typing import Any

from rotastack.cli.options import add_study_options, command
from rotastack.cli.studies import profile_options, snakemake


def add(commands: Any) -> None:
    """Add the command."""
    examples = "examples:\n  rotastack report customers\n  rotastack report rotation_weights --size small"
    add_study_options(
        command(commands, "report", _report, "update the HTML report of a study, and print its path", epilog=examples)
    )


def _report(arguments: Namespace) -> int:
    from rotastack.workflow.run.launch import plan_of

    plan = plan_of(arguments.study, arguments.size)
    code, _ = snakemake(plan, [plan.files.report, *profile_options(None), "--cores", "all"])
    if code == 0:
        print(f"rotastack: report written to {plan.files.report}")
    return code
