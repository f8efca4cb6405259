"""The leaderboard in a page: scripts and numbers that stand inside of it, and a page with nothing else."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from rotastack.judge.pages import page_environment
from rotastack.project import project_file

__all__ = ["comparison_page", "leaderboard_environment"]


def leaderboard_environment() -> jinja2.Environment:
    """Return the templates of ``workflow/report``, with what those of the leaderboard use."""
    environment = page_environment()
    environment.filters |= {
        "as_json": _as_json, "source": _source, "order": _order, "best": _best, "cell": _cell, "times": _times,
    }  # fmt: skip
    return environment


def comparison_page(
    board: Mapping[str, Any],
    *,
    title: str,
    sentences: Sequence[str],
    notes: Sequence[str] = (),
    figures: Mapping[str, str] | None = None,
) -> str:
    """Return the page of a table of scores: what came out, and a leaderboard that one explores.

    Parameters
    ----------
    board : mapping
        What :func:`rotastack.judge.leaderboard.leaderboard` returns.
    title : str
    sentences : sequence of str
        What came out.
    notes : sequence of str
    figures : mapping, optional
        Name (critical_difference, win_matrix) -> SVG, for those who read without JavaScript; it is taken as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.judge.leaderboard import Metric, leaderboard
    >>> errors = pd.DataFrame({"RF": [0.05, 0.20], "RRE": [0.04, 0.22]}, index=["iris", "sonar"])
    >>> board = leaderboard([Metric("error", "error", False, errors, optimum=0)], None)
    >>> page = comparison_page(board, title="Two methods", sentences=["Nobody knows."])
    >>> page[:15], "https://" in page
    ('<!DOCTYPE html>', False)
    """
    return (
        leaderboard_environment()
        .get_template("comparison.html.j2")
        .render(
            title=title,
            sentences=sentences,
            notes=notes,
            board=board,
            figures={k: Markup(v) for k, v in (figures or {}).items()},
        )
    )


def _as_json(content: Any) -> Markup:
    """Return JSON that may stand in a script element, whatever the names in it hold."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _source(name: str) -> Markup:
    """Return a script of ``workflow/report`` such that nothing in it ends the element that holds it."""
    text = project_file(f"workflow/report/{name}").read_text(encoding="utf-8")
    return Markup(text.replace("</", "<\\/").replace("<!--", "<\\!--"))


def _order(numbers: Sequence[float | None]) -> list[int]:
    """Return places by rising number; missing ones last."""
    return sorted(range(len(numbers)), key=lambda i: _or(numbers[i], math.inf))


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _best(row: Sequence[float | None], board: Mapping[str, Any], higher: bool) -> int | None:
    """Return the first of the methods with the best score, of those that are ranked and do not choose by the test rows."""
    sign = -1 if higher else 1
    fair = [j for j in board["chosen"] if row[j] is not None and not board["methods"][j].get("optimistic")]
    return min(fair, key=lambda j: sign * _or(row[j], math.inf), default=None)


def _cell(value: float | None) -> str:
    """Return a score as the script prints it."""
    if value is None or pd.isna(value):
        return "failed"
    return f"{float(f'{value:.5g}'):.15g}" if abs(value) >= 10 else f"{value:.4f}"


def _times(value: float) -> str:
    """Return a multiple as the script prints it."""
    return f"{value:.0f}" if value >= 100 else f"{float(f'{value:.2g}'):.15g}"
