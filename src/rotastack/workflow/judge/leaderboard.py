"""The leaderboard: scores of methods on data sets with ranks and tests, as data for a page in a browser."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.stats.elo import elo
from rotastack.stats.friedman import friedman
from rotastack.stats.improvability import improvability
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, best_possible
from rotastack.stats.missing import checked_scores, rounded
from rotastack.stats.nemenyi import critical_difference
from rotastack.stats.resamples import bootstrap_means, bootstrap_ranks
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.published_columns import published_scores
from rotastack.workflow.judge.results import (
    by_method,
    compared,
    in_units,
    mean_scores,
    relative_times,
    seconds_by_method,
)
from rotastack.workflow.judge.words import p_equal
from rotastack.workflow.study.names import slug
from rotastack.workflow.study.specs import ReportSpec

__all__ = ["Metric", "board", "board_table", "kinds_of", "leaderboard", "study_board"]

N_RATINGS = 200
"""Resamples of data sets for the intervals of Elo; each needs a fit."""

N_MEANS = 1000
"""Resamples for the intervals of means."""


class Metric(NamedTuple):
    """A score that methods can be compared by; its tables have a row for each data set and a column for each method."""

    name: str
    title: str
    higher_is_better: bool
    scores: pd.DataFrame
    spread: pd.DataFrame | None = None  # standard deviations over cells
    shown: pd.DataFrame | None = None  # the scores that are printed, if `scores` are multiples of a unit
    optimum: float | None = None  # the best possible score; without it there is no improvability
    baseline: pd.Series | None = None  # by data set


def leaderboard(
    metrics: Sequence[Metric], control: str | None, *, alpha: float = 0.05, times: Mapping[str, pd.DataFrame] | None = None,
    methods: Mapping[str, Mapping[str, Any]] | None = None, cells: Mapping[str, Any] | None = None,
    left_out: Sequence[str] = (), kinds: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the data of a page's leaderboard, as a mapping for JSON.

    All tests and intervals are computed here, on the data sets and methods of the first view; for other choices of its
    reader the page computes no test. The first of `metrics` has all methods. `times` has seconds of "fit" and "predict"
    (data sets x methods). `methods` are facts: ``optimistic``, ``published`` (the source), ``family``, ``rotated`` and
    ``about``; the reader may add optimistic and published ones, and the data sets `left_out`, to the ranks. `cells` tells
    the origin of the scores, and `kinds` the data sets of a kind, which the reader may select.
    """
    first = metrics[0].scores
    for metric in metrics:
        known_ones = metric.scores.dropna(axis="columns", how="all")
        if known_ones.shape[1] > 1:  # a single method has no pair to compare
            checked_scores(known_ones, "pairs", pairs=True)
    names, datasets = list(first.columns), list(first.index)
    if control is not None and control not in names:
        raise RotastackError(f"control {control!r} is not a method")
    known = {name: dict((methods or {}).get(name, {})) for name in names}
    chosen = [m for m, facts in known.items() if not facts.get("optimistic") and not facts.get("published")]
    seconds = {kind: table.reindex(datasets, columns=names) for kind, table in (times or {}).items()}
    start = [name for name in datasets if name not in left_out]
    return {
        "datasets": [str(name) for name in datasets],
        "start": [datasets.index(name) for name in start],
        "kinds": [[kind, [datasets.index(d) for d in of if d in datasets]] for kind, of in (kinds or {}).items()],
        "methods": [{"name": str(name), **known[name]} for name in names],
        "control": -1 if control is None else names.index(control),
        "chosen": [names.index(name) for name in chosen],
        "alpha": alpha,
        # Critical differences of two methods by the number of data sets; of more methods, on one data set.
        "differences": {
            "two": [None, *(critical_difference(2, n, alpha) for n in range(1, len(datasets) + 1))],
            "more": [None, None, None, *(critical_difference(k, 1, alpha) for k in range(3, len(names) + 1))],
        },
        "metrics": [_metric(metric, names, datasets) for metric in metrics],
        "times": {kind: _matrix(table) for kind, table in seconds.items() if table.notna().any(axis=None)},
        "cells": cells and {**cells, "counts": _matrix(cells["counts"].reindex(datasets, columns=names))},
        "boards": [board(metric, chosen, control, datasets=start, alpha=alpha, times=seconds) for metric in metrics],
    }


def board(
    metric: Metric, methods: Sequence[str], control: str | None, *, datasets: Sequence[str] | None = None,
    alpha: float = 0.05, times: Mapping[str, pd.DataFrame] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the leaderboard of the methods with any score here, on the data sets that have scores of all these methods.

    Methods and data sets are numbered by their positions in ``metric.scores``.
    """
    names, places = list(metric.scores.columns), list(metric.scores.index)
    wide = metric.scores.loc[places if datasets is None else list(datasets), list(methods)].astype(float)
    wide = wide.dropna(axis="columns", how="all")
    block = wide.dropna()
    higher, several = metric.higher_is_better, wide.shape[1] > 1 and len(block) > 0
    found: dict[str, Any] = {
        "methods": [names.index(m) for m in wide],
        "failed": [names.index(m) for m in methods if m not in wide],
        "datasets": [places.index(d) for d in block.index],
        "left_out": [places.index(d) for d in wide.index.difference(block.index, sort=False)],
        "ranks": None, "gap": None, "tests": None, "critical_difference": None, "against": None, "elo": None,
    }  # fmt: skip
    seconds = {kind: table.loc[wide.index] for kind, table in (times or {}).items()}
    ratios = relative_times(seconds, control)
    for kind in seconds:
        found[kind] = _plain(ratios[kind][list(wide)].median()) if kind in ratios else None
    if several:
        ranked = bootstrap_ranks(block, higher, n_bootstraps=N_MEANS, alpha=alpha)
        found["ranks"] = _interval(ranked, "average_rank", "mean")
        if metric.optimum is not None:
            gaps = improvability(block, higher, optimum=metric.optimum)
            found["gap"] = _interval(bootstrap_means(gaps, n_bootstraps=N_MEANS, alpha=alpha), "mean", "mean")
        if control is not None and control in wide:
            found["against"] = _against(block, control, higher)
        found["elo"] = _interval(elo(block, higher, n_bootstraps=N_RATINGS, alpha=alpha), "elo", "elo")
    if several and len(block) > 1:
        few = " There are too few data sets for intervals over them." if found["ranks"]["lower"][0] is None else ""
        found["tests"] = _friedman_in_words(block, higher, alpha) + few
        found["critical_difference"] = critical_difference(wide.shape[1], len(block), alpha)
    return found


def _friedman_in_words(scores: pd.DataFrame, higher: bool, alpha: float) -> str:
    tested = friedman(scores, higher)
    statistic = f"F({tested.df[0]}, {tested.df[1]}) = {tested.F:.2f}".replace("inf", "∞")
    differ = "differ by more than chance" if tested.p < alpha else "may differ by chance"
    return f"Friedman's test, p {p_equal(tested.p)} (Iman-Davenport {statistic}): the ranks {differ}."


def board_table(board: Mapping[str, Any], names: Sequence[str]) -> pd.DataFrame:
    """Return a board as a table: a row per method, the best average rank first, None for missing numbers."""
    unknown = [None] * len(board["methods"])
    columns: dict[str, list] = {"method": [names[j] for j in board["methods"]]}
    parts = ("ranks", "average_rank", "mean"), ("elo", "elo", "elo"), ("gap", "improvability", "mean")
    for part, title, middle in parts:
        for key, end in ((middle, ""), ("lower", "_lower"), ("upper", "_upper")):
            columns[f"{title}{end}"] = board[part][key] if board[part] else unknown
    for key, title in (("wins", "wins"), ("ties", "ties"), ("losses", "losses"), ("p", "p"), ("holm", "p_holm")):
        columns[title] = [row and row[key] for row in board["against"] or unknown]
    for kind in ("fit", "predict"):
        columns[f"{kind}_times"] = board.get(kind) or unknown
    table = pd.DataFrame(columns, dtype=object)
    return table.sort_values("average_rank", key=lambda ranks: ranks.astype(float), kind="stable", ignore_index=True)


def _against(scores: pd.DataFrame, control: str, higher: bool) -> list[dict[str, Any] | None]:
    """Return wins, ties, losses and p-values of each method against the control, for which there is None."""
    tests = wilcoxon_holm(scores, control, higher).rename(columns={"p_holm": "holm"})
    found = tests.astype(object).to_dict("index")
    return [found.get(name) for name in scores]


def _interval(table: pd.DataFrame, column: str, name: str) -> dict[str, list]:
    columns = {name: column, "lower": "lower", "upper": "upper"}
    return {key: _plain(table[column].to_numpy()) for key, column in columns.items()}


def _metric(metric: Metric, names: list, datasets: list) -> dict[str, Any]:
    """Return a score as a mapping; the page compares scores exactly, so rounding errors are taken off."""
    found: dict[str, Any] = {
        "name": metric.name, "title": metric.title, "higher": metric.higher_is_better, "optimum": metric.optimum,
        "scores": _matrix(rounded(metric.scores).reindex(datasets, columns=names)),
    }  # fmt: skip
    for key, table in (("spread", metric.spread), ("shown", metric.shown)):
        if table is not None:
            found[key] = _matrix(table.reindex(datasets, columns=names).astype(float).map("{:.5g}".format))
    if metric.baseline is not None:
        found["baseline"] = _plain(metric.baseline.reindex(datasets))
    return found


def _matrix(table: pd.DataFrame) -> list[list]:
    """Return a table row by row, for JSON."""
    return [_plain(row) for row in table.to_numpy(dtype=float)]


def _plain(values: Iterable) -> list:
    """Return numbers for JSON: None for missing ones, integers for whole ones."""
    known = [float(v) if np.isfinite(float(v)) else None for v in values]
    return [int(v) if v is not None and v == int(v) and abs(v) < 1e15 else v for v in known]


def _few_valued(facts: Mapping[str, Any]) -> float:
    """Return the share of columns that are categories, or numbers of few values; dates do not count."""
    return float(facts["few_valued_columns"] / max(1, facts["numeric_columns"] + facts["categorical_columns"]))


KINDS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "fewer than 200 rows": lambda f: f["rows"] < 200,
    "200 to 999 rows": lambda f: 200 <= f["rows"] < 1000,
    "1,000 to 4,999 rows": lambda f: 1000 <= f["rows"] < 5000,
    "5,000 rows and more": lambda f: f["rows"] >= 5000,
    "two classes": lambda f: len(f.get("class_counts", ())) == 2,
    "3 to 9 classes": lambda f: 3 <= len(f.get("class_counts", ())) < 10,
    "10 classes and more": lambda f: len(f.get("class_counts", ())) >= 10,
    "most columns are categories, or numbers of few values": lambda f: _few_valued(f) > 0.5,
    "fewer columns are": lambda f: 0 < _few_valued(f) <= 0.5,
    "no column is": lambda f: _few_valued(f) == 0,
}
"""Kind of data sets -> check of a data set's facts from its preparation; "few values" are fewer than ten."""


def kinds_of(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return kind -> its data sets, by rows, classes and categories, without kinds of all data sets or none."""
    found = {kind: [d for d, f in facts.items() if belongs(f)] for kind, belongs in KINDS.items()}
    return {kind: of for kind, of in found.items() if 0 < len(of) < len(facts)}


def study_board(
    spec: ReportSpec, scores: pd.DataFrame, baseline: pd.DataFrame, times: pd.DataFrame, about: Mapping[str, str],
    published: pd.DataFrame | None = None, facts: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the leaderboard of a study, from its scores by cell and its tables; `baseline` is indexed by data set.

    `about` has each method's pool and combiner as text, and `facts` the rows, columns and classes of each data set.
    Published methods have only the first score.
    """
    scored = set(scores["method"])
    names = [m for m in spec.methods if m in scored]
    theirs, average = pd.DataFrame() if published is None else published, spec.evaluation["average"]
    metrics = [
        _study_metric(name, higher, scores, names, baseline, theirs if name == spec.score else theirs[:0], average)
        for name, higher in sorted(METRICS[spec.task].items(), key=lambda item: item[0] != spec.score)
        if higher is not None
    ]
    known: dict[str, dict[str, Any]] = {
        m: {"rotated": m in spec.rotated, "optimistic": m in spec.optimistic, "about": about[m]} for m in names
    }
    for row in theirs.drop_duplicates("method").to_dict("records") if len(theirs) else ():
        family = {"family": row["family"]} if isinstance(row.get("family"), str) else {}
        known[row["method"]] = {
            "published": f"{row['source']} How the protocol differs: {row['protocol']}", **family,
        }  # fmt: skip
    counts = by_method(scores, spec.score, "count")
    cells = {
        "average": average, "word": spec.cells, "counts": counts.where(counts > 0), "seed": spec.seed, "study": spec.name,
        "folders": [f"results/{spec.name}/{d}" for d in metrics[0].scores.index], "files": [slug(m) for m in known],
    }  # fmt: skip
    board = leaderboard(
        metrics, spec.control if spec.control in names else None, alpha=spec.evaluation["alpha"],
        times=seconds_by_method(times), methods=known, cells=cells, left_out=list(spec.evaluation["left_out"]), kinds=kinds_of(facts or {}),
    )  # fmt: skip
    return {**board, "baseline": BASELINE[spec.task]}


def _study_metric(
    name: str, higher: bool, scores: pd.DataFrame, methods: list[str], baseline: pd.DataFrame, published: pd.DataFrame,
    average: str,
) -> Metric:  # fmt: skip
    """Return a score, as multiples of the baseline's if it has a unit, with published methods as further columns."""
    means = mean_scores(scores, name, methods, average).reindex(columns=methods)
    spread = by_method(scores, name, "std").reindex(means.index, columns=methods)
    if len(published):
        means = means.join(published_scores(published))
    units = in_units(name, baseline)
    return Metric(
        name, NAMES[name], higher, compared(means, units), spread, shown=None if units is None else means,
        optimum=best_possible(name), baseline=baseline.get(name),
    )  # fmt: skip
