"""Tables of evidence: printed results beside ours, and the flagship's, from files of the repository."""

import pandas as pd
import yaml

from _site import results
from _site.project import DOCS, ROOT

__all__ = ["ablation", "exrm", "halves", "overview", "report_half", "rotation_weights"]

PUBLISHED = ROOT / "config/published"
OURS = DOCS / "evidence/data/ours.csv"
"""Mean errors of full runs of ours, as their reports had them."""


def report_half(_docname: str) -> str:
    """Return the summary of the half of the data sets that the flagship is reported on."""
    return "\n".join(results.summary_lines("Report half"))


def halves(_docname: str) -> str:
    """Return the names of the data sets of both halves."""
    names = results.halves()
    return (
        f"- To choose on: {', '.join(names['choose'])}; and 20 generated tables of interactions, thresholds and "
        "categories that combine (`benchmarks/generated_tables.py`).\n"
        f"- To report on: {', '.join(names['report'])}."
    )


def ablation(_docname: str) -> str:
    """Return what each family is worth: the changes that leave something out, and what another seed does."""
    header, rule, *rows = results.lines_of_table("evidence/flagship-ablation.md")
    kept = [
        row
        for row in rows
        if row.startswith(("| another seed", "| without", "| trees_per_family", "| ridge"))
    ]
    columns = (0, 1, 2, 5, 6, 9)
    return "\n".join(_columns(line, columns) for line in (header, rule, *kept))


def _columns(line, numbers):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return f"| {' | '.join(cells[n] for n in numbers)} |"


def overview(_docname: str) -> str:
    """Return the sources whose printed results are kept, with how many cells, and the study that repeats them."""
    lines = ["| study | source | tables | printed numbers |", "|---|---|---|---|"]
    for file in sorted(PUBLISHED.glob("*.csv")):
        cells = pd.read_csv(file, dtype={"table": str})
        about = yaml.safe_load(file.with_suffix(".yaml").read_text())
        source = " ".join(about["source"].split()).replace("|", "\\|")
        tables = ", ".join(dict.fromkeys(cells["table"]))
        study = f"[`{file.stem}`](../reference/studies.md#studies-{file.stem.replace('_', '-')})"
        lines.append(f"| {study} | {source} | {tables} | {len(cells)} |")
    return "\n".join(lines)


def rotation_weights(_docname: str) -> str:
    """Return errors of the weightings of rotations, the printed ones in brackets; rows are data sets."""
    return _beside("rotation_weights", "dataset", lambda v: f"{v:.4f}".removeprefix("0"))


def exrm(_docname: str) -> str:
    """Return errors of linear machines in percent, the printed ones in brackets; rows are methods."""
    return _beside("exrm", "method", lambda v: f"{100 * v:.1f}")


def _beside(study, rows, shown):
    columns = {"dataset": "method", "method": "dataset"}[rows]
    ours = pd.read_csv(OURS).query("study == @study")
    printed = pd.read_csv(PUBLISHED / f"{study}.csv").query("metric == 'error'")
    printed = printed.drop_duplicates(["dataset", "method"]).set_index([rows, columns])["value"]
    table = ours.pivot(index=rows, columns=columns, values="error")
    table = table.loc[ours[rows].unique(), ours[columns].unique()]
    lines = [f"| | {' | '.join(table)} |", "|---" * (table.shape[1] + 1) + "|"]
    for name, values in table.iterrows():
        cells = [
            shown(value) + (f" ({shown(printed[name, other])})" if (name, other) in printed else "")
            for other, value in values.items()
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
