"""``rotastack compare``: the verdict on any table of scores, and a page to explore them."""

from argparse import Namespace, RawDescriptionHelpFormatter
from typing import Any

from rotastack.errors import RotastackError, nearest

__all__ = ["add"]

_SHOWN = 12  # the most methods, and the most notes, that are printed


def add(commands: Any) -> None:
    """Add the command."""
    compare = commands.add_parser(
        "compare",
        help="the verdict on a table of scores",
        description="Say which method is best on a table of scores, by how much, and whether that is beyond chance; and write "
        "a page on which data sets, methods and the control can be chosen.\n\n"
        "The table has a row for each data set and a column for each method, or one score a row, with columns for the data "
        "set, the method, the score, and perhaps repeats (split, fold, seed) and seconds (fit_seconds, predict_seconds).",
        epilog="example:\n  rotastack compare accuracies.csv --higher --control 'Random forest'",
        formatter_class=RawDescriptionHelpFormatter,
    )
    compare.add_argument("table", help="the scores, in a format that `rotastack run` reads")
    compare.add_argument("--score", metavar="NAME", help="the column of the score, or what the score is called")
    way = compare.add_mutually_exclusive_group()
    way.add_argument("--higher", action="store_true", default=None, help="more is better, as of accuracies")
    way.add_argument("--lower", dest="higher", action="store_false", default=None, help="less is better, as of errors")
    compare.add_argument("--control", metavar="METHOD", help="what the others are compared with (default: the first)")
    compare.add_argument(
        "--rotated", metavar="METHOD", action="append", default=[],
        help="a method that looks at rotated columns; may be given several times, and a sentence says what rotations do",
    )  # fmt: skip
    compare.add_argument("--alpha", type=float, default=0.05, metavar="A", help="level of the tests (default: 0.05)")
    compare.add_argument(
        "--output", default="comparison.html", metavar="FILE", help="the page (default: comparison.html)"
    )
    compare.add_argument("--json", action="store_true", help="print the answer as JSON, and nothing else")
    compare.set_defaults(run=_compare)


def _compare(arguments: Namespace) -> None:
    import json
    import sys
    from pathlib import Path

    from rotastack.data.tables import read_with_notes
    from rotastack.files import write_text
    from rotastack.judge.comparisons import compare_methods
    from rotastack.judge.leaderboard import Metric, leaderboard, reached
    from rotastack.judge.pages import comparison_page
    from rotastack.judge.results import relative_times
    from rotastack.judge.score_table import score_table
    from rotastack.judge.verdict import verdict_over_datasets

    if not 0 < arguments.alpha < 1:
        raise RotastackError(f"--alpha: must lie between 0 and 1, found {arguments.alpha:g}")
    page = Path(arguments.output)
    if page.is_dir() or not page.absolute().parent.is_dir():
        raise RotastackError(f"--output: {page}: {'is a folder' if page.is_dir() else 'there is no such folder'}")
    frame, reading = read_with_notes(arguments.table)
    try:
        table = score_table(frame, arguments.score, arguments.higher)
    except RotastackError as error:
        raise RotastackError(f"{arguments.table}: {error}") from None
    methods = [str(m) for m in table.means]
    control = _method(arguments.control, methods, "--control") if arguments.control else methods[0]
    rotated = [_method(m, methods, "--rotated") for m in arguments.rotated]
    spec = {"control": control, "alpha": arguments.alpha, "optimistic": []}
    comparison = compare_methods(table.means, table.higher_is_better, spec)
    times = relative_times(table.seconds, control)
    sentences = verdict_over_datasets(comparison, table.score, control, arguments.alpha, rotated=rotated, times=times)
    notes = [*reading.notes, *table.notes, *_left_out(table.means)]
    optimum = reached(table.means, table.higher_is_better, table.optimum)
    spread = table.deviations if table.repeats > 1 else None
    metric = Metric("score", table.score, table.higher_is_better, table.means, spread, optimum=optimum)
    board = leaderboard([metric], control, alpha=arguments.alpha, times=table.seconds)
    title = f"Methods compared by {table.score}"
    write_text(page, comparison_page(board, title=title, sentences=sentences, notes=notes))
    rows = _rows(board["board"], methods)
    if arguments.json:
        content = {"score": table.score, "higher_is_better": table.higher_is_better, "control": control,
                   "sentences": sentences, "notes": notes, "leaderboard": rows, "page": str(page)}  # fmt: skip
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    for note in notes[:_SHOWN]:
        print(f"rotastack: {arguments.table}: {note}", file=sys.stderr)
    if len(notes) > _SHOWN:
        print(
            f"rotastack: {arguments.table}: and {len(notes) - _SHOWN} notes more, which the page has", file=sys.stderr
        )
    print("\n".join(sentences))
    print(f"\n{_as_text(rows)}\npage      {page}")


def _left_out(means: Any) -> list[str]:
    """Return notes on the methods and data sets that are left out because scores are missing."""
    from rotastack.judge.results import complete

    ranked = complete(means)
    notes = [f"{m} has no score at all: it is left out" for m in means if m not in ranked]
    lacking = list(means.index.difference(ranked.index, sort=False))
    if lacking:
        n = f"{len(lacking)} of {len(means)} data sets"
        notes.append(f"{n} are left out, as not all methods have a score there: {_some(lacking)}")
    return notes


def _some(names: list[str]) -> str:
    return ", ".join(map(str, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")


def _method(name: str, methods: list[str], option: str) -> str:
    """Return `name` if the table has such a method; else raise RotastackError."""
    if name not in methods:
        raise RotastackError(
            f"{option}: there is no method {name!r}{nearest(name, methods)}; the table has {_some(methods)}"
        )
    return name


def _rows(board: dict[str, Any], names: list[str]) -> list[dict[str, Any]]:
    """Return the rows of the leaderboard, one dict for each method, best first."""
    from rotastack.judge.leaderboard import board_table

    if board["ranks"] is None or board["elo"] is None:
        return []
    return [
        {
            "method": row["method"],
            "average_rank": row["average_rank"],
            "rank_interval": [row["average_rank_lower"], row["average_rank_upper"]],
            "elo": row["elo"],
            "elo_interval": [row["elo_lower"], row["elo_upper"]],
            **{key: row[key] for key in ("improvability", "wins", "ties", "losses", "p_holm")},
        }
        for row in board_table(board, names).to_dict("records")
    ]


def _as_text(rows: list[dict[str, Any]]) -> str:
    """Return the leaderboard as lines of text."""
    from rotastack.judge.words import p_cell

    if not rows:
        return "no leaderboard: no data set has scores of two methods"
    width = max(len("method"), *(len(row["method"]) for row in rows[:_SHOWN]))
    lines = [
        f"{'method':{width}s}  {'rank':>5s} {'(95 %)':>13s}  {'Elo':>5s} {'(95 %)':>12s}  {'improvable':>10s}  {'W/T/L':>8s}  {'p':>7s}"
    ]
    for row in rows[:_SHOWN]:
        low, high = row["rank_interval"]
        least, most = row["elo_interval"]
        improvable = "-" if row["improvability"] is None else f"{row['improvability']:.1f} %"
        wins = "-" if row["wins"] is None else f"{row['wins']}/{row['ties']}/{row['losses']}"
        lines.append(
            f"{row['method']:{width}s}  {row['average_rank']:5.2f} {f'({low:.2f}-{high:.2f})':>13s}  "
            f"{row['elo']:5.0f} {f'({least:.0f}-{most:.0f})':>12s}  {improvable:>10s}  {wins:>8s}  {p_cell(row['p_holm']):>7s}"
        )
    if len(rows) > _SHOWN:
        lines.append(f"and {len(rows) - _SHOWN} more; the page has all")
    return "\n".join(lines)
