"""Published cells beside those of a study, and whether the two agree."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.pairs import compare_pair

__all__ = ["TIMES", "compare_with_published"]

TIMES = 2.0  # standard errors of the difference that count as chance


def compare_with_published(
    scores: pd.DataFrame, cells: pd.DataFrame, reasons: list[dict[str, Any]], whole: Collection[str] = ()
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Return published cells beside the study's own, and the published data sets and methods that the study lacks.

    Means over all data sets are compared only if the study has the data sets in `whole`, those of the source's means.
    """
    single = cells[cells["dataset"] != "all"]  # "all" is no data set, but the mean over data sets
    absent = {
        "data sets": [d for d in dict.fromkeys(single["dataset"]) if d not in set(scores["dataset"])],
        "methods": [m for m in dict.fromkeys(single["method"]) if m not in set(scores["method"])],
    }
    by_cell: dict[Any, pd.DataFrame] = dict(iter(scores.groupby(["dataset", "method"], sort=False)))
    means: dict[Any, pd.DataFrame] = {}
    if whole and set(whole) == set(scores["dataset"]):
        means = {name: _mean_over_data_sets(part) for name, part in scores.groupby("method", sort=False)}
    printed = {(c.table, c.dataset, c.method): float(c.value) for c in cells.itertuples() if c.metric == "error_sd"}
    rows = []
    for cell in cells.itertuples():
        part = means.get(cell.method) if cell.dataset == "all" else by_cell.get((cell.dataset, cell.method))
        if part is None or cell.metric == "rank":
            continue
        other = by_cell.get((cell.dataset, getattr(cell, "against", None)))
        ours, sd, n = _ours(cell, part, other)
        if not np.isfinite(ours):
            continue
        value = float(cell.value)
        digits = len(cell.value.partition(".")[2])
        error = sd / np.sqrt(n)
        if cell.metric in ("wins", "ties"):  # both are shares, so they have the variance of the pooled share
            both = (n * ours + cell.repeats * value) / (n + cell.repeats)
            sd = np.sqrt(both * (1 - both))
        theirs = printed.get((cell.table, cell.dataset, cell.method), sd) if cell.metric == "error" else sd
        allowed = TIMES * np.sqrt(sd**2 / n + theirs**2 / cell.repeats) + 0.5 * 10.0**-digits
        agrees = bool(abs(ours - value) <= allowed) if np.isfinite(allowed) else None
        rows.append(
            {
                "table": cell.table, "dataset": cell.dataset, "method": cell.method, "metric": cell.metric,
                "published": value, "ours": ours, "standard_error": error, "repeats": n,
                "difference": ours - value, "agrees": agrees,
                "reason": _reason(cell, reasons) if agrees is False else "",
                "note": cell.note if isinstance(cell.note, str) else "",
            }
        )  # fmt: skip
    columns = [
        "table", "dataset", "method", "metric", "published", "ours", "standard_error", "repeats", "difference",
        "agrees", "reason", "note",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns), absent


def _mean_over_data_sets(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of a method, split by split, as means over its data sets."""
    axes = [name for name in ("rotation_group", "fold_group", "split") if name in scores]
    return scores.groupby(axes, as_index=False).mean(numeric_only=True)


def _ours(cell, part, other) -> tuple[float, float, int]:
    """Return the study's value for a cell, its standard deviation over repeats, and their number."""
    nothing = (float("nan"), float("nan"), 0)
    if cell.metric == "error_sd":
        errors = part["error"].dropna()
        spread = float(errors.std(ddof=1)) if len(errors) > 2 else float("nan")
        return spread, spread / np.sqrt(2), len(errors)  # for normal errors, to first order
    if cell.metric in ("error", *part.columns.intersection([cell.metric])):
        values = part[cell.metric].dropna().to_numpy(dtype=float)
        if not len(values):
            return nothing
        return (float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else float("nan"), len(values))
    if other is None:
        return nothing
    axes = [name for name in ("rotation_group", "fold_group", "split") if name in part]
    both = part.merge(other, on=axes, suffixes=("", "_other"))
    if cell.metric == "size_ratio":
        ratio = (both["median_leaves"] / both["median_leaves_other"]).dropna()
        return float(ratio.mean()), float(ratio.std(ddof=1)), len(ratio)
    if cell.metric not in ("wins", "ties"):
        return nothing
    pair = compare_pair(both["error"], both["error_other"])
    share = pair.wins_first if cell.metric == "wins" else pair.ties
    return share, float(np.sqrt(share * (1 - share))) if pair.n else float("nan"), pair.n


def _reason(cell, reasons: list[dict[str, Any]]) -> str:
    """Return the first of the written reasons that fits a cell."""
    for item in reasons:
        if all(
            getattr(cell, key) in item[f"{key}s"]
            for key in ("dataset", "method", "metric", "table")
            if f"{key}s" in item
        ):
            return item["why"]
    return "not explained"
