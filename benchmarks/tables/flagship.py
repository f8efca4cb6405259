"""The flagship against its peers: results as data frames, read from the pages that benchmarks/flagship_sets.py and flagship_ablation.py write."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

ROOT = Path(__file__).resolve().parents[2]

__all__ = ["TABLES", "facts", "set_by_set", "summary_lines", "times_to_fit"]

SETS = "evidence/flagship-sets.md"


def lines_of_table(page: str, heading: str | None = None) -> list[str]:
    """Return the lines of the first table below a heading of a page, or of the page."""
    text = (ROOT / "docs" / page).read_text()
    section = text[text.index(f"\n## {heading}\n") :] if heading else text
    return re.search(r"(?:^\|.*\n)+", section, re.M)[0].splitlines()


def _cells(line):
    return [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]


def _frame(page, heading):
    header, _, *rows = lines_of_table(page, heading)
    frame = pd.DataFrame([_cells(row) for row in rows], columns=_cells(header))
    frame = frame.set_index(frame.columns[0])
    return frame.replace("-", np.nan).apply(pd.to_numeric, errors="coerce")


@cache
def set_by_set(measure: str = "Errors") -> pd.DataFrame:
    """Return errors, or ``"Log losses"``, of the flagship and its peers: rows data sets, columns methods."""
    return _frame(SETS, f"{measure}, set by set").drop(columns=["splits", "test rows"])


def times_to_fit() -> pd.Series:
    """Return times to fit as multiples of the random forest's, medians over data sets."""
    for line in summary_lines():
        if line.startswith("| time to fit, RF's being 1"):
            methods = _cells(summary_lines()[0])[1:]
            return pd.Series(dict(zip(methods, map(float, _cells(line)[1:]), strict=True)))
    raise ValueError(f"{SETS} has no times to fit")


@cache
def facts() -> pd.DataFrame:
    """Return facts of a data set from the registry, known before training."""
    registry = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
    rows = {}
    for name, spec in registry.items():
        if spec.get("task", "classification") != "classification" or not spec.get("rows"):
            continue
        columns = spec["columns"]
        p = columns if isinstance(columns, int) else len(columns)
        kinds = spec.get("kinds", "auto")
        categories = (
            p if kinds == "categorical" else len(kinds.get("categorical", ())) if isinstance(kinds, dict) else 0
        )
        rows[name] = {
            "rows": spec["rows"],
            "columns": p,
            "classes": len(spec.get("classes", ())),
            "share of columns that are categories": categories / p,
            "rows for each column": spec["rows"] / p,
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def summary_lines() -> list[str]:
    """Return the summary of the flagship and its peers over all sets."""
    return lines_of_table(SETS, "All sets")


def ablation() -> str:
    """Return the effect of leaving out each family, and of another seed, as a table."""
    header, rule, *rows = lines_of_table("evidence/flagship-ablation.md")
    kept = [row for row in rows if row.startswith(("| another seed", "| without", "| trees_per_family", "| ridge"))]
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in (header, rule, *kept)]
    return "\n".join(f"| {' | '.join(line[column] for column in (0, 1, 2, 5, 6, 9))} |" for line in lines)


TABLES = {"ablation": ablation, "summary": lambda: "\n".join(summary_lines())}
