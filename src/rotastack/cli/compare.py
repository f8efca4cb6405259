"""``rotastack compare``: the verdict on any table of scores, and a page to explore them."""

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.cli.options import command, table_text
from rotastack.errors import RotastackError, nearest

__all__ = ["add"]

_SHOWN = 12  # the most methods, and the most notes, that are printed


def add(commands: Any) -> None:
    """Add the command."""
    compare = command(
        commands, "compare", _compare, "compare the methods of a table of scores",
        description="Report the best method of a table of scores, its lead, and whether the lead is statistically significant; write "
        "a page with a choice of data sets, methods and control.\n\n"
        "The table has a row for each data set and a column for each method; or one score per row, with columns for the data "
        "set, the method and the score, and optional columns for repeats (split, fold, seed) and seconds (fit_seconds, predict_seconds).",
        epilog="example:\n  rotastack compare accuracies.csv --higher --control 'Random forest'",
    )  # fmt: skip
    compare.add_argument("table", help="table of scores, in a format that `rotastack run` reads")
    compare.add_argument(
        "--score", metavar="NAME", help="column of the score; for a table with a column per method, the score's name"
    )
    way = compare.add_mutually_exclusive_group()
    way.add_argument("--higher", action="store_true", default=None, help="higher scores are better, as for accuracies")
    way.add_argument(
        "--lower", dest="higher", action="store_false", default=None, help="lower scores are better, as for errors"
    )
    compare.add_argument(
        "--control", metavar="METHOD", help="method that the others are compared with (default: the first)"
    )
    compare.add_argument(
        "--rotated", metavar="METHOD", action="append", default=[],
        help="the control on rotated columns (repeatable); the verdict then has a sentence on the effect of rotations",
    )  # fmt: skip
    compare.add_argument("--alpha", type=float, default=0.05, metavar="A", help="level of the tests (default: 0.05)")
    compare.add_argument(
        "--output", default="comparison.html", metavar="FILE", help="file of the page (default: comparison.html)"
    )
    compare.add_argument("--json", action="store_true", help="print the answer as JSON only")


def _compare(arguments: Namespace) -> None:
    from rotastack.data.tables import read_as_written, read_with_notes
    from rotastack.files import write_text
    from rotastack.workflow.judge.comparisons import compare_methods
    from rotastack.workflow.judge.leaderboard import Metric, board_table, leaderboard
    from rotastack.workflow.judge.pages import comparison_page
    from rotastack.workflow.judge.results import relative_times
    from rotastack.workflow.judge.score_table import name_columns, score_table
    from rotastack.workflow.judge.verdict import verdict_over_datasets

    if not 0 < arguments.alpha < 1:
        raise RotastackError(f"--alpha must lie between 0 and 1, found {arguments.alpha:g}")
    page = Path(arguments.output)
    if page.is_dir() or not page.absolute().parent.is_dir():
        raise RotastackError(
            f"--output: {page}: {'is a folder; name a file' if page.is_dir() else 'the folder does not exist'}"
        )
    frame, reading = read_with_notes(arguments.table)
    written, _ = read_as_written(arguments.table)
    for name in filter(None, name_columns(frame)):  # names are text: 7 and 007 are two
        frame[name] = written[name].map(str, na_action="ignore").astype("str")
    try:
        table = score_table(frame, arguments.score, arguments.higher)
    except RotastackError as error:
        raise RotastackError(f"{arguments.table}: {error}") from None
    methods = [str(m) for m in table.means]
    control = _method(arguments.control, methods, "--control") if arguments.control else methods[0]
    pairs = [(_method(m, methods, "--rotated"), control) for m in arguments.rotated]
    if (control, control) in pairs:
        raise RotastackError(
            f"--rotated: {control!r} is the control; name the control on rotated columns, or change --control"
        )
    comparison = compare_methods(table.means, table.higher_is_better, control, arguments.alpha)
    times = relative_times(table.seconds, control)
    sentences = verdict_over_datasets(
        comparison, table.score, control, arguments.alpha, rotation_pairs=pairs, times=times
    )
    notes = [*reading.notes, *table.notes, *_left_out(table.means)]
    spread = table.deviations if table.repeats > 1 else None
    metric = Metric("score", table.score, table.higher_is_better, table.means, spread, optimum=table.optimum)
    board = leaderboard([metric], control, alpha=arguments.alpha, times=table.seconds)
    title = f"Methods compared by {table.score}"
    write_text(page, comparison_page(board, title=title, sentences=sentences, notes=notes))
    first = board["boards"][0]
    ranked = [] if first["ranks"] is None else board_table(first, methods).to_dict("records")
    if arguments.json:
        content = {"score": table.score, "higher_is_better": table.higher_is_better, "control": control,
                   "sentences": sentences, "notes": notes, "leaderboard": ranked, "page": str(page)}  # fmt: skip
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    for note in notes[:_SHOWN]:
        print(f"rotastack: {arguments.table}: {note}", file=sys.stderr)
    if len(notes) > _SHOWN:
        print(f"rotastack: {arguments.table}: {len(notes) - _SHOWN} more notes are on the page", file=sys.stderr)
    print("\n".join(sentences))
    print(f"\n{_as_text(ranked, f'({100 * (1 - arguments.alpha):g} %)')}\npage      {page}")


def _left_out(means: Any) -> list[str]:
    """Return notes on the methods and data sets that are left out because scores are missing."""
    from rotastack.workflow.judge.results import complete

    ranked = complete(means)
    notes = [f"method {m} is left out: no scores" for m in means if m not in ranked]
    lacking = list(means.index.difference(ranked.index, sort=False))
    if lacking:
        n = f"{len(lacking)} of {len(means)} data sets"
        notes.append(f"{n} are left out, because a method has no score: {_some(lacking)}")
    return notes


def _some(names: list[str]) -> str:
    return ", ".join(map(str, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")


def _method(name: str, methods: list[str], option: str) -> str:
    """Return `name` if the table has such a method; else raise RotastackError."""
    if name not in methods:
        raise RotastackError(f"{option}: method {name!r} is unknown{nearest(name, methods)}; methods: {_some(methods)}")
    return name


def _as_text(rows: list[dict[str, Any]], interval: str) -> str:
    """Return the leaderboard as lines of text; `interval` heads the intervals."""
    from rotastack.workflow.judge.words import p_cell

    if not rows:
        return "no leaderboard: no data set has scores of at least two methods"
    cells = {
        row["method"]: [
            f"{row['average_rank']:.2f}", _interval(row, "average_rank", 2), f"{row['elo']:.0f}", _interval(row, "elo", 0),
            "-" if row["improvability"] is None else f"{row['improvability']:.1f} %",
            "-" if row["wins"] is None else f"{row['wins']}/{row['ties']}/{row['losses']}", p_cell(row["p_holm"]),
        ]
        for row in rows[:_SHOWN]
    }  # fmt: skip
    more = f"\nand {len(rows) - _SHOWN} more methods; the page lists all" if len(rows) > _SHOWN else ""
    return table_text(["method", "rank", interval, "Elo", interval, "improvable", "W/T/L", "p"], cells) + more


def _interval(row: dict[str, Any], name: str, digits: int) -> str:
    low, high = row[f"{name}_lower"], row[f"{name}_upper"]
    return "-" if low is None or high is None else f"({low:.{digits}f}-{high:.{digits}f})"
