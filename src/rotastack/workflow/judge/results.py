"""Means of a study's scores, tests on held-out rows, and the choice of a method: functions that several steps share."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.stats.influence import RowTest, row_test
from rotastack.stats.metrics import IN_UNITS, METRICS, higher_is_better
from rotastack.stats.missing import rounded, tolerance

ROPE = 0.01
"""Half the width of the region of practical equivalence: a point of error, or a hundredth of the baseline's RMSE."""


def by_method(scores: pd.DataFrame, column: str, aggfunc: str = "mean") -> pd.DataFrame:
    """Return the mean, or another function, of a score over cells: a row per data set, a column per method."""
    return scores.pivot_table(
        index="dataset", columns="method", values=column, aggfunc=aggfunc, sort=False, dropna=False
    )


def all_means(scores: pd.DataFrame, average: str) -> pd.DataFrame:
    """Return the means, or medians, of all scores by data set and method, without rounding errors."""
    names = [n for n in dict.fromkeys(n for task in METRICS.values() for n in task) if n in scores]
    means = scores.groupby(["dataset", "method"], sort=False)[names].agg(average)
    # scores in units of the target have any scale, the others that of 1
    return means.round(10).mask(means.columns.isin(IN_UNITS) & (means.abs() < 1e-3), means).reset_index()


def best_first(means: pd.DataFrame, score: str) -> pd.DataFrame:
    """Return the means of one data set: a row per method, the best first, a column per score, `score` first."""
    table = means.set_index("method").drop(columns="dataset")
    table = table.sort_values(score, ascending=not higher_is_better(score), kind="stable")
    known = [n for n in table.dropna(axis="columns", how="all") if higher_is_better(n) is not None]
    return table[sorted(known, key=lambda n: n != score)]


def mean_scores(scores: pd.DataFrame, metric: str, methods: Sequence[str], average: str = "mean") -> pd.DataFrame:
    """Return the means, or the medians, of a score over cells, methods in the study's order."""
    means = by_method(scores, metric, average)
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


def axes_of(scores: pd.DataFrame) -> list[str]:
    """Return the columns that number the cells of a table of scores."""
    return [name for name in ("rotation_group", "fold_group", "split") if name in scores]


def score_matrices(scores: pd.DataFrame, metric: str, axes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return method -> result matrix of one data set: (fold groups, rotation groups), or (splits, 1)."""
    matrices = {}
    for method, part in scores.groupby("method", sort=False):
        if len(axes) == 1:
            matrices[str(method)] = part.set_index(axes[0])[[metric]].rename_axis(index=None)
            continue
        matrix = part.pivot(index=axes[1], columns=axes[0], values=metric)
        matrix = matrix.loc[part[axes[1]].unique(), part[axes[0]].unique()]
        matrices[str(method)] = matrix.rename_axis(index=None, columns=None)
    return matrices


class RowTests(NamedTuple):
    """The tests of pairs of methods on the held-out rows of one data set; calling it tests a pair."""

    influences: pd.DataFrame  # of each unit and time, by unit, on the score of each method that tests the unit
    unit: str  # a noun, such as rows
    times: int  # that units are tested
    widening: Mapping[str, float]  # of the variance of each method's score, see row_test
    fewest: Mapping[str, int]  # tested units of each method; of a score by class, those with the rarest class
    means: pd.Series  # of the methods' scores
    alpha: float

    def __call__(self, first: str, second: str) -> RowTest | None:
        """Return the test of two methods on the units that either is tested on; None with too few units."""
        pair = self.influences[[first, second]]
        known = pair.notna().any(axis=1).to_numpy().reshape(-1, self.times)
        filled = pair.fillna(0 * pair.sum(min_count=1)).to_numpy().T  # a method without influences has none
        a, b = filled.reshape(2, *known.shape)[:, known.any(axis=1)][:, :, known.any(axis=0)]
        one, other = self.means[first], self.means[second]
        difference = float(one - other) if abs(one - other) > tolerance([one, other]) else 0.0
        return row_test(a, b, difference, widening=max(self.widening[first], self.widening[second]), alpha=self.alpha)

    def unseen(self, first: str, second: str) -> float:
        """Return the largest share of units in which two methods may differ although they agree in all tested units."""
        return 1 - self.alpha ** (1 / min(self.fewest[first], self.fewest[second]))

    @property
    def units(self) -> str:
        """The number of units with their noun, such as "569 held-out rows"."""
        return f"{len(self.influences) // self.times:,} held-out {self.unit}"


def cells_and_tests(
    scores: pd.DataFrame, spec: Any, influences: pd.DataFrame, about: Mapping[str, Any], optimistic: Sequence[str] = ()
) -> tuple[pd.DataFrame, RowTests]:
    """Return the scores of a data set by cell and method, infinite for a failed method, NaN for one without a cell, and tests."""
    cells = (
        scores.fillna({spec.score: np.inf})
        .pivot_table(index=list(spec.axes), columns="method", values=spec.score, sort=False, dropna=False)
        .filter([m for m in spec.methods if m not in optimistic])
    )
    return cells, RowTests(influences, **about, means=sorted_means(cells, spec.score), alpha=spec.alpha)


class Choice(NamedTuple):
    """The method chosen on a data set."""

    method: str
    alike: list[str]  # the best mean and the next ones that the test cannot tell from the best, in order of their means
    value: float  # its mean of the score in TIE_BREAK; NaN if unknown
    fastest: bool  # whether others have the same value, so that the time of training chose


TIE_BREAK = {"classification": "clipped_log_loss", "regression": "rmse"}
"""Task -> the score that chooses among methods that cannot be told apart by the main score; the time of training is next."""


def choose(
    means: pd.Series, breaker: Mapping[str, float], seconds: Mapping[str, float], test: RowTests
) -> Choice | None:
    """Return the chosen method of a data set; None if all methods failed.

    `means` are the methods' scores, best first, without methods that failed. The candidates are the best mean and the
    following methods up to the first that differs: by more than four digits, and with an interval of the difference that
    does not contain 0. Of the candidates, the one with the lowest mean of another score, `breaker`, is chosen, by four
    digits of it, then the one with the shortest training by `seconds`.
    """
    if means.empty:
        return None
    best = str(means.index[0])

    def is_alike(method: str) -> bool:
        found = test(method, best)
        return _digits(means[method]) == _digits(means[best]) or (found is not None and found.p >= test.alpha)

    alike = [str(m) for m in takewhile(is_alike, means.index)]
    values = {m: _digits(breaker.get(m, np.inf)) for m in alike}
    chosen = min(alike, key=lambda m: (values[m], seconds.get(m, np.inf)))
    return Choice(chosen, alike, float(breaker.get(chosen, np.nan)), [*values.values()].count(values[chosen]) > 1)


def sorted_means(cells: pd.DataFrame, score: str) -> pd.Series:
    """Return the mean of each method's scores over its cells, best first, without methods that failed; see :func:`cells_and_tests`."""
    means = cells.mean().replace([np.inf, -np.inf], np.nan).dropna()
    return means.sort_values(ascending=not higher_is_better(score), kind="stable")


def _digits(value: float) -> float:
    return float(f"{value:.4g}")


def compared(scores: pd.DataFrame, units: pd.Series | None) -> pd.DataFrame:
    """Return scores for comparisons: divided by units, and equal if they differ by rounding errors alone.

    An infinite score counts as missing.
    """
    scores = scores if units is None else scores.div(units.reindex(scores.index), axis=0)
    return rounded(scores.replace([np.inf, -np.inf], np.nan))


def complete(scores: pd.DataFrame, optimistic: Sequence[str] = ()) -> pd.DataFrame:
    """Return the rows on which no method failed, without `optimistic` methods and methods that failed on all rows."""
    scores = scores.replace([np.inf, -np.inf], np.nan).drop(columns=optimistic, errors="ignore")
    return scores.dropna(axis="columns", how="all").dropna()


def best_of_each(means: pd.DataFrame, optimistic: Sequence[str], higher: bool) -> pd.DataFrame:
    """Return whether methods, without `optimistic` ones, have the best score of their data set."""
    fair = compared(means.drop(columns=optimistic, errors="ignore"), None)
    return fair.eq(fair.max(axis=1) if higher else fair.min(axis=1), axis=0)


def group_table(means: pd.DataFrame, group: Mapping[str, Any]) -> pd.DataFrame:
    """Return the scores of one of a study's ``groups_of_methods``: a row per data set and part, a column per label."""
    parts = []
    for k, name in enumerate(group["parts"]):
        part = means.reindex(columns=[methods[k] for methods in group["methods"].values()])
        part = part.set_axis(list(group["methods"]), axis=1)
        parts.append(part.rename(index=lambda d, n=name: f"{d}, {n}") if len(group["parts"]) > 1 else part)
    return pd.concat(parts)


def read_csv(path: Path) -> pd.DataFrame:
    """Return a table of a study; an empty file gives a table without rows and columns."""
    return pd.read_csv(path) if path.read_text(encoding="utf-8").strip() else pd.DataFrame()


def seconds_by_method(times: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return "fit" and "predict" -> seconds by the study's table `times`: a row per data set, a column per method."""
    return {
        kind: times.pivot(index="dataset", columns="method", values=f"{kind}_seconds")
        for kind in ("fit", "predict")
        if f"{kind}_seconds" in times and times[f"{kind}_seconds"].notna().any()
    }
