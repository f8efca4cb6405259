"""The leaderboard: scores of methods on data sets with ranks and tests, for a page, and as a table."""

from collections.abc import Iterable, Mapping, Sequence
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
from rotastack.workflow.judge.results import (
    by_method,
    compared,
    in_units,
    mean_scores,
    relative_times,
    seconds_by_method,
)
from rotastack.workflow.judge.words import p_equal
from rotastack.workflow.study.specs import ReportSpec

N_RATINGS = 200
"""Resamples of data sets for the intervals of Elo; each needs a fit."""

N_MEANS = 1000
"""Resamples for the intervals of means."""

MOST_CONTROLS = 40
"""With more ranked methods a page has the study's control alone."""


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
    methods: Mapping[str, Mapping[str, Any]] | None = None, left_out: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Return the data of a page's leaderboard: a board of each score, and the numbers against each control.

    The first of `metrics` has all methods. `times` has seconds of "fit" and "predict" (data sets x methods). `methods`
    says of methods whether they are ``optimistic`` and ``rotated``; optimistic methods and the data sets `left_out` are
    not ranked. Tests are against `control` alone; the other ranked methods are controls of wins and times, too.
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
    ranked = [m for m, about in known.items() if not about.get("optimistic")]
    others = [m for m in ranked if m != control] if len(ranked) <= MOST_CONTROLS else []
    controls = [] if control is None else [control, *others]
    seconds = {kind: table.reindex(datasets, columns=names) for kind, table in (times or {}).items()}
    seconds = {kind: table for kind, table in seconds.items() if table.notna().any(axis=None)}
    start = [name for name in datasets if name not in left_out]
    boards = []
    for metric in metrics:
        found = board(metric, ranked, control, datasets=start, alpha=alpha, times=seconds)
        boards.append({**found, "by_control": _by_control(metric, found, controls, seconds)})
    return {
        "datasets": [str(name) for name in datasets],
        "methods": [{"name": str(name), **known[name]} for name in names],
        "control": -1 if control is None else names.index(control),
        "controls": [str(name) for name in controls],
        "chosen": [names.index(name) for name in ranked],
        "alpha": alpha,
        "metrics": [_metric(metric, names, datasets) for metric in metrics],
        "boards": boards,
    }


def _by_control(
    metric: Metric, board: Mapping[str, Any], controls: Sequence[str], seconds: Mapping[str, pd.DataFrame]
) -> dict[str, list[list]]:
    """Return a board's wins, ties and losses as text, and times: a row per method, a column per control.

    A time that is not known is None.
    """
    block = rounded(metric.scores.iloc[board["datasets"], board["methods"]])
    used = metric.scores.index[sorted([*board["datasets"], *board["left_out"]])]
    columns: dict[str, list[list]] = {"wins": [], **{kind: [] for kind in seconds}}
    for control in controls:
        gaps = block.sub(block[control], axis=0) if board["ranks"] and control in block else block[:0]
        better, worse = ((gaps > 0).sum(), (gaps < 0).sum())[:: 1 if metric.higher_is_better else -1]
        counts = zip(block, better, (gaps == 0).sum(), worse, strict=True)
        columns["wins"].append([f"{w} / {t} / {n}" if len(gaps) and m != control else "–" for m, w, t, n in counts])
        for kind, ratios in relative_times(seconds, control).items():
            columns[kind].append(_plain(ratios.loc[used, list(block)].median()))
    return {name: [list(row) for row in zip(*lists, strict=True)] for name, lists in columns.items() if lists}


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


def study_board(spec: ReportSpec, scores: pd.DataFrame, baseline: pd.DataFrame, times: pd.DataFrame) -> dict[str, Any]:
    """Return the leaderboard of a study, from its scores by cell and its tables; `baseline` is indexed by data set."""
    scored = set(scores["method"])
    names = [m for m in spec.methods if m in scored]
    metrics = [
        _study_metric(name, higher, scores, names, baseline, spec.evaluation["average"])
        for name, higher in sorted(METRICS[spec.task].items(), key=lambda item: item[0] != spec.score)
        if higher is not None
    ]
    board = leaderboard(
        metrics, spec.control if spec.control in names else None, alpha=spec.evaluation["alpha"], times=seconds_by_method(times),
        methods={m: {"rotated": m in spec.rotated, "optimistic": m in spec.optimistic} for m in names},
        left_out=list(spec.evaluation["left_out"]),
    )  # fmt: skip
    about = {"study": spec.name, "cells": spec.cells, "average": spec.evaluation["average"]}
    return {**board, **about, "baseline": BASELINE[spec.score]}


def _study_metric(
    name: str, higher: bool, scores: pd.DataFrame, methods: list[str], baseline: pd.DataFrame, average: str
) -> Metric:
    """Return a score, as multiples of the baseline's if it has a unit."""
    means = mean_scores(scores, name, methods, average).reindex(columns=methods)
    spread = by_method(scores, name, "std").reindex(means.index, columns=methods)
    units = in_units(name, baseline)
    return Metric(
        name, NAMES[name], higher, compared(means, units), spread, shown=None if units is None else means,
        optimum=best_possible(name), baseline=baseline.get(name),
    )  # fmt: skip
