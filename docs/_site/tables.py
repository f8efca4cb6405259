"""Tables of results that are kept as CSV files: ``<!-- table: name -->`` in a page's source.

The first line of a file says, behind ``#``, how its numbers were made; the site shows it below the table.
"""

import csv

from _site.project import DOCS

__all__ = ["DATA", "names", "rows", "table"]

DATA = DOCS / "evidence/data/tables"
"""Files of results: cells are shown as they stand there."""


def names() -> list[str]:
    """Return the names of all tables that are kept."""
    return sorted(file.stem for file in DATA.glob("*.csv"))


def rows(name: str) -> tuple[str, list[list[str]]]:
    """Return how a table was made, and its rows, the header first."""
    first, *lines = (DATA / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    if not first.startswith("# "):
        raise ValueError(f"{name}.csv does not say in its first line how it was made")
    found = list(csv.reader(lines))
    if len({len(row) for row in found}) != 1:
        raise ValueError(f"rows of {name}.csv differ in length")
    return first.removeprefix("# "), found


def table(name: str) -> str:
    """Return a table as Markdown, and below it how it was made."""
    made, (header, *body) = rows(name)
    lines = [_line(header), "|---" * len(header) + "|", *map(_line, body)]
    return "\n".join([*lines, "", f"*Numbers: {made}.*"])


def _line(cells):
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
