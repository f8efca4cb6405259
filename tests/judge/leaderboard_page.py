"""A page of a leaderboard alone, of the templates of the report."""

from rotastack.workflow.judge.pages import page_environment

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
{{ leaderboard(board) }}
{{ score_table(board) }}
</main>
<script>{{ "page.js"|source }}</script>
</body>
</html>"""


def leaderboard_page(board, title="Methods"):
    """Return the HTML of the page."""
    return page_environment().from_string(PAGE).render(title=title, board=board)
