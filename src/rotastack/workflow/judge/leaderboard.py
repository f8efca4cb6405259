"""The leaderboard: scores of methods on data sets with ranks and tests, as data for a page in a browser."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.stats.bootstrap_ranks import bootstrap_ranks
from rotastack.stats.elo import elo
from rotastack.stats.friedman import friedman
from rotastack.stats.improvability import improvability
from rotastack.stats.missing import checked_scores, rounded
from rotastack.stats.nemenyi import critical_difference
from rotastack.stats.resamples import bootstrap_means
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.results import relative_times
from rotastack.workflow.judge.words import p_equal

__all__ = ["Metric", "board", "board_table", "leaderboard"]

N_RATINGS = 200
"""Resamples of data sets for the intervals of Elo; each needs a fit."""

N_MEANS = 1000
"""Resamples for the intervals of means."""


class Metric(NamedTuple):
    """A score that methods can be compared by.

    Parameters
    ----------
    name, title : str
        Key of the score, and its name for readers.
    higher_is_better : bool
    scores : DataFrame of shape (n_datasets, n_methods)
        Scores that are compared; NaN where a method failed.
    spread : DataFrame, optional
        Standard deviations, over cells, of the printed scores.
    shown : DataFrame, optional
        Scores that are printed, if `scores` are multiples of a unit.
    optimum : float, optional
        Best possible score; None if there is none, which leaves out improvability.
    baseline : Series, optional
        Printed score, by data set, of the baseline, which uses no column.
    """

    name: str
    title: str
    higher_is_better: bool
    scores: pd.DataFrame
    spread: pd.DataFrame | None = None
    shown: pd.DataFrame | None = None
    optimum: float | None = None
    baseline: pd.Series | None = None


def leaderboard(
    metrics: Sequence[Metric],
    control: str | None,
    *,
    alpha: float = 0.05,
    times: Mapping[str, pd.DataFrame] | None = None,
    methods: Mapping[str, Mapping[str, Any]] | None = None,
    cells: Mapping[str, Any] | None = None,
    left_out: Sequence[str] = (),
    kinds: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the data of a page's leaderboard, as a mapping for JSON.

    All tests and intervals are computed here, for each score, on the data sets and methods of the first view. For other
    choices of its reader the page computes average ranks, wins and the like, and no test.

    Parameters
    ----------
    metrics : sequence of Metric
        Scores on the same data sets. The first one has all methods, and the page opens with it.
    control : str or None
        The method that the others are compared with.
    alpha : float, default=0.05
        1 - coverage of intervals, and the level of the critical difference.
    times : mapping, optional
        "fit" and "predict" -> DataFrame of shape (n_datasets, n_methods) of seconds.
    methods : mapping, optional
        Method -> its facts: ``optimistic`` (it chooses members by the test rows), ``published`` (the source of its
        scores, and how its protocol differs), ``family`` of a published method, ``rotated``, and ``about``, its
        configuration as text. Optimistic and published methods are ranked only if the reader selects them.
    cells : mapping, optional
        Origin of the scores: ``word`` ("splits"), ``counts`` (DataFrame of numbers of cells), ``seed``, ``folders`` of
        data sets and ``files`` of methods (parts of a path), ``study``.
    left_out : sequence of str
        Data sets that are ranked only if the reader selects them.
    kinds : mapping, optional
        Kind -> the data sets of this kind, which the reader may select.

    Raises
    ------
    RotastackError
        A score is not a number, two data sets or methods have the same name, or `control` is not a method.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"RF": [0.05, 0.20, 0.12], "RRE": [0.04, 0.22, 0.10]}, index=["iris", "sonar", "vote"])
    >>> content = leaderboard([Metric("error", "error", False, errors, optimum=0)], "RF")
    >>> content["methods"][1]["name"], [round(rank, 2) for rank in content["boards"][0]["ranks"]["mean"]]
    ('RRE', [1.67, 1.33])
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
        "cells": _cells(cells, names, datasets),
        "boards": [board(metric, chosen, control, datasets=start, alpha=alpha, times=seconds) for metric in metrics],
    }


def board(
    metric: Metric,
    methods: Sequence[str],
    control: str | None,
    *,
    datasets: Sequence[str] | None = None,
    alpha: float = 0.05,
    times: Mapping[str, pd.DataFrame] | None = None,
) -> dict[str, Any]:
    """Return the leaderboard of some methods on some data sets.

    First, methods without any score on these data sets are left out. Then data sets that lack a score of a remaining
    method are left out. Methods and data sets are numbered by their positions in ``metric.scores``.

    Parameters
    ----------
    metric : Metric
    methods : sequence of str
    control : str or None
    datasets : sequence of str, optional
        All by default.
    alpha, times
        As for :func:`leaderboard`.
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
    """Return a board as a table: a row per method, the best average rank first, None for missing numbers.

    Parameters
    ----------
    board : mapping
        From :func:`board`.
    names : sequence of str
        Names of the methods, by their positions in the board.
    """
    unknown = [None] * len(board["methods"])
    columns: dict[str, list] = {"method": [names[j] for j in board["methods"]]}
    for part, title, middle in (
        ("ranks", "average_rank", "mean"),
        ("elo", "elo", "elo"),
        ("gap", "improvability", "mean"),
    ):
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
    # The page compares scores exactly, so rounding errors are taken off here.
    tables = {"scores": rounded(metric.scores), "spread": metric.spread, "shown": metric.shown}
    found: dict[str, Any] = {
        "name": metric.name, "title": metric.title, "higher": metric.higher_is_better, "optimum": metric.optimum,
    }  # fmt: skip
    for key, table in tables.items():
        if table is not None:
            digits = 12 if key == "scores" else 5
            found[key] = _matrix(table.reindex(datasets, columns=names), digits)
    if metric.baseline is not None:
        found["baseline"] = _plain(metric.baseline.reindex(datasets).to_numpy(dtype=float))
    return found


def _cells(cells: Mapping[str, Any] | None, names: list, datasets: list) -> dict[str, Any] | None:
    if cells is None:
        return None
    return {**cells, "counts": _matrix(cells["counts"].reindex(datasets, columns=names))}


def _matrix(table: pd.DataFrame, digits: int | None = None) -> list[list]:
    """Return a table row by row; with fewer than 12 `digits`, numbers have only so many significant digits."""
    values = table.to_numpy(dtype=float)
    if digits is not None and digits < 12:
        values = np.array([[float(f"{v:.{digits}g}") for v in row] for row in values]).reshape(values.shape)
    return [_plain(row) for row in values]


def _plain(values: Any) -> list:
    """Return numbers for JSON: None for missing ones, integers for whole ones."""
    return [_finite(float(v)) for v in values]


def _finite(value: float) -> float | int | None:
    if not np.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 1e15 else float(value)
