"""``rotastack tables``: the tables of a finished study as CSV, and those of a paper as LaTeX."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.cli.options import add_study_options, command
from rotastack.cli.versions import is_current
from rotastack.errors import RotastackError


def add(commands: Any) -> None:
    """Add the command."""
    tables = command(
        commands,
        "tables",
        _tables,
        "write the tables of a finished study as CSV and LaTeX",
        description="Write all tables of a finished study: leaderboard, scores by data set, tests, and more.",
        epilog="A document that includes the LaTeX tables needs \\usepackage{booktabs,longtable} and "
        "\\usepackage[T1]{fontenc}.\n\nexamples:\n  rotastack tables quickstart --latex\n"
        "  rotastack tables rotation_weights --size small --latex --out paper/tables",
    )
    add_study_options(tables)
    tables.add_argument("--latex", action="store_true", help="also write scores, ranks and tests as LaTeX")
    tables.add_argument("--out", metavar="FOLDER", help="folder to write to (default: results/STUDY/printed)")


def _tables(arguments: Namespace) -> None:
    from rotastack.files import replacing, write_text
    from rotastack.workflow.judge.printed import printed_tables
    from rotastack.workflow.run.launch import plan_of

    plan = plan_of(arguments.study, arguments.size)
    command = f"rotastack run {arguments.study}{f' --size {arguments.size}' if arguments.size else ''}"
    if Path(plan.files.comparison).is_file() and not is_current(plan, "summarize"):
        raise RotastackError(
            f"{plan.root}: the results are of another version of the study, its data or its code; repeat `{command}`"
        )
    printed = printed_tables(Path(plan.root), plan.study, command)
    folder = Path(arguments.out or f"{plan.root}/printed")
    folder.mkdir(parents=True, exist_ok=True)
    for path in [] if arguments.out else [*folder.glob("*.csv"), *folder.glob("*.tex")]:
        path.unlink()  # of an earlier version of the study
    for table in printed:
        with replacing(folder / f"{table.name}.csv") as temporary:
            table.values.to_csv(temporary, index=False)
        if arguments.latex and table.latex is not None:
            write_text(folder / f"{table.name}.tex", table.latex)
    kinds = "CSV; scores, ranks and tests also as LaTeX" if arguments.latex else "CSV; --latex also writes LaTeX"
    print(f"rotastack: {len(printed)} tables in {folder} ({kinds})")
