"""A page of a leaderboard alone, of the templates of the report."""

import numpy as np
import pandas as pd

from rotastack.workflow.judge.boards import board, plain
from rotastack.workflow.judge.pages import page_environment
from rotastack.workflow.run.steps.report import _best

PAGE = """\
{% from "leaderboard.html.j2" import leaderboard, score_table with context %}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
{% include "style.html.j2" %}
{% include "leaderboard_style.html.j2" %}
</head>
<body>
<h1>{{ title }}</h1>
<main>
{{ leaderboard() }}
{{ score_table() }}
</main>
<script>{{ "page.js"|source }}</script>
</body>
</html>"""


def ranked(means, higher=False, control="RF", optimum=None, spread=None, **options):
    """Return the board of a table of means, with its standard deviations."""
    optimum = float(higher) if optimum is None else optimum
    found = board(means, higher, control, 0.05, optimum=optimum, **options)
    spread = pd.DataFrame(np.nan, means.index, means.columns) if spread is None else spread
    return {**found, "spread": plain(spread)}


def leaderboard_page(boards, control="RF", title="Methods", rotated=(), optimistic=()):
    """Return the HTML of the page of boards, by the names of their scores."""
    primary = next(iter(boards))
    return (
        page_environment()
        .from_string(PAGE)
        .render(
            title=title,
            boards=boards,
            comparison=boards,
            primary=primary,
            names={name: name for name in boards},
            control=control,
            alpha=0.05,
            average="mean",
            cells="splits",
            best=_best(boards[primary], optimistic),
            study={"name": "s", "rotated": rotated, "optimistic": optimistic},
            baseline_names={primary: "the baseline"},
            baseline={name: {primary: 0.5} for name in boards[primary]["means"]},
        )
    )
