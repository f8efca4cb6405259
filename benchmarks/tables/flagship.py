"""The flagship against its peers: results as data frames, from what benchmarks/flagship_sets.py and flagship_ablation.py write."""

import re
from functools import cache
from pathlib import Path

import flagship_sets
import pandas as pd
import yaml

ROOT = Path(__file__).resolve().parents[2]

__all__ = ["TABLES", "facts", "set_by_set", "summary_lines", "times_to_fit"]


@cache
def set_by_set(measure: str = "error") -> pd.DataFrame:
    """Return errors, or log losses, of the flagship and its peers: rows data sets, columns methods."""
    kept = pd.read_csv(flagship_sets.MEANS, skiprows=1)
    kept = kept[kept["measure"] == measure].set_index("set")
    every, without = (kept[kept["comparison"] == name] for name in ("all", "without CatBoost"))
    return every.combine_first(without).loc[without.index, list(flagship_sets.METHODS)]


def times_to_fit() -> pd.Series:
    """Return times to fit as multiples of the random forest's, medians over data sets."""
    for line in summary_lines():
        if line.startswith("| time to fit, RF's being 1"):
            names, values = (
                [cell.strip() for cell in row.strip("| ").split("|")] for row in (summary_lines()[0], line)
            )
            return pd.Series(dict(zip(names[1:], map(float, values[1:]), strict=True)))
    raise ValueError(f"{flagship_sets.SCORES} has no times to fit")


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


@cache
def summary_lines(with_catboost: bool = True) -> list[str]:
    """Return the summary of the flagship and its peers over the sets that all of them have run."""
    methods = list(flagship_sets.METHODS) if with_catboost else flagship_sets.WITHOUT_CATBOOST
    measured = pd.read_parquet(flagship_sets.SCORES)
    return flagship_sets.summary(flagship_sets.Results.of(measured, flagship_sets.SETS, methods))


def ablation() -> str:
    """Return the effect of leaving out each family, and of another seed, as a table."""
    page = (ROOT / "docs/evidence/flagship-ablation.md").read_text()
    header, rule, *rows = re.search(r"(?:^\|.*\n)+", page, re.M)[0].splitlines()
    kept = [row for row in rows if row.startswith(("| another seed", "| without", "| trees_per_family", "| ridge"))]
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in (header, rule, *kept)]
    return "\n".join(f"| {' | '.join(line[column] for column in (0, 1, 2, 5, 6, 9))} |" for line in lines)


TABLES = {
    "ablation": ablation,
    "summary": lambda: "\n".join(summary_lines()),
    "summary-57": lambda: "\n".join(summary_lines(with_catboost=False)),
}
