"""Functions of a study's scores that several steps share."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.metrics import IN_UNITS, higher_is_better

__all__ = [
    "ROPE",
    "baselines",
    "best_method",
    "by_method",
    "compared",
    "complete",
    "group_table",
    "in_units",
    "mean_scores",
    "relative_times",
    "score_matrices",
    "seconds_by_method",
]


ROPE = 0.01
"""Half the width of the region of practical equivalence: a point of error, or a hundredth of the baseline's RMSE."""


def by_method(scores: pd.DataFrame, column: str, aggfunc: str = "mean") -> pd.DataFrame:
    """Return the mean, or another function, of a score over cells: a row per data set, a column per method."""
    return scores.pivot_table(
        index="dataset", columns="method", values=column, aggfunc=aggfunc, sort=False, dropna=False
    )


def mean_scores(scores: pd.DataFrame, metric: str, methods: Sequence[str]) -> pd.DataFrame:
    """Return the means of a score over cells, methods in the study's order."""
    means = by_method(scores, metric)
    return means[[m for m in methods if m in means]]


def baselines(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the baseline's scores from the records of the scoring step: a row per data set."""
    rows = {record["dataset"]: record["metrics"]["baseline"] for record in records}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index="dataset")


def in_units(metric: str, baseline: pd.DataFrame) -> pd.Series | None:
    """Return the unit of a score for each data set, the baseline's score; None for a score without a unit."""
    if metric not in IN_UNITS:
        return None
    return baseline[metric].where(np.isfinite(baseline[metric]) & (baseline[metric] > 0), 1.0)


def score_matrices(scores: pd.DataFrame, metric: str, axes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return method -> result matrix of one data set: rows fold groups, columns rotation groups.

    With splits, whose cells have one axis, a matrix has a row per split and one column.
    """
    matrices = {}
    for method, part in scores.groupby("method", sort=False):
        if len(axes) == 1:
            matrices[str(method)] = part.set_index(axes[0])[[metric]].rename_axis(index=None)
            continue
        columns = list(dict.fromkeys(part[axes[0]]))
        rows = list(dict.fromkeys(part[axes[1]]))
        matrix = part.pivot(index=axes[1], columns=axes[0], values=metric)
        matrices[str(method)] = matrix.loc[rows, columns].rename_axis(index=None, columns=None)
    return matrices


def best_method(scores: pd.DataFrame, metric: str, among: Container[str]) -> str | None:
    """Return the method with the best mean of a score, the first among equals; None if all failed."""
    scores = scores[[method in among for method in scores["method"]]]
    means = scores.groupby("method", sort=False)[metric].apply(lambda e: e.mean(skipna=False)).dropna()
    if means.empty:
        return None
    return str(means.idxmax() if higher_is_better(metric) else means.idxmin())


def compared(scores: pd.DataFrame, units: pd.Series | None) -> pd.DataFrame:
    """Return scores for comparisons over data sets: divided by units, and rounded to 12 decimals.

    The rounding makes scores equal that differ by rounding errors alone. An infinite score counts as missing.
    """
    scores = scores if units is None else scores.div(units.reindex(scores.index), axis=0)
    return scores.round(12).replace([np.inf, -np.inf], np.nan)


def complete(scores: pd.DataFrame, optimistic: Sequence[str] = ()) -> pd.DataFrame:
    """Return the rows on which no method failed, without `optimistic` methods and methods that failed on all rows."""
    scores = scores.replace([np.inf, -np.inf], np.nan).drop(columns=optimistic, errors="ignore")
    return scores.dropna(axis="columns", how="all").dropna()


def group_table(means: pd.DataFrame, group: Mapping[str, Any]) -> pd.DataFrame:
    """Return the scores of a group of methods: a row per data set and part, a column per label.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_methods)
        A method without a column counts as failed.
    group : mapping
        One of a study's ``groups_of_methods``: ``parts``, and ``methods``: label -> its method in
        each part.
    """
    parts = {}
    for k, name in enumerate(group["parts"]):
        part = means.reindex(columns=[methods[k] for methods in group["methods"].values()])
        parts[name] = part.set_axis(list(group["methods"]), axis=1)
    if len(parts) > 1:
        parts = {name: part.rename(index=lambda d, n=name: f"{d}, {n}") for name, part in parts.items()}
    return pd.concat(parts.values())


def read_csv(path: Path) -> pd.DataFrame:
    """Return a table of a study; an empty file gives a table without rows and columns."""
    return pd.read_csv(path) if path.read_text(encoding="utf-8").strip() else pd.DataFrame()


def seconds_by_method(times: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return measured seconds of "fit" and "predict", a table each: a row per data set, a column per method.

    Parameters
    ----------
    times : DataFrame
        The study's table ``times``.
    """
    return {
        kind: times.pivot(index="dataset", columns="method", values=f"{kind}_seconds")
        for kind in ("fit", "predict")
        if f"{kind}_seconds" in times and times[f"{kind}_seconds"].notna().any()
    }


def relative_times(seconds: Mapping[str, pd.DataFrame], control: str | None) -> dict[str, pd.DataFrame]:
    """Return seconds as multiples of the control's on the same data set, without kinds that the control lacks.

    ``workflow/report/statistics.js`` computes the same for the control that a reader chooses.

    Examples
    --------
    >>> seconds = pd.DataFrame({"RF": [1.0, 2.0], "RRE": [3.0, 5.0]}, index=["iris", "wine"])
    >>> relative_times({"fit": seconds}, "RF")["fit"]["RRE"].tolist()
    [3.0, 2.5]
    """
    return {
        kind: table.div(table[control].where(table[control] > 0), axis=0)
        for kind, table in seconds.items()
        if control in table
    }
