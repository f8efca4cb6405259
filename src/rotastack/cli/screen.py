"""Tables and lines with headings, as plain text of any width: pipes and logs cut no name and show no colours."""

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["headed", "table_text"]


def headed(lines: Iterable[tuple[str, str]]) -> str:
    """Return lines with their headings in one column."""
    return "\n".join(f"{heading:10s}{text}" for heading, text in lines)


def table_text(head: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    """Return a table with its first column aligned left and the others right; a row has its first cell as its key."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for k, name in enumerate(head):
        table.add_column(name, justify="right" if k else "left")
    for name, cells in rows.items():
        table.add_row(name, *cells)
    console = Console(width=10_000, color_system=None, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
