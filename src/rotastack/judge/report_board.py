"""The leaderboard of a study: its scores, what methods cost, and what is behind each number."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import pandas as pd
import yaml

from rotastack.judge.leaderboard import Metric, leaderboard
from rotastack.judge.published_columns import published_scores
from rotastack.judge.results import by_method, compared, in_units, mean_scores, seconds_by_method
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, OPTIMA
from rotastack.study.names import slug

__all__ = ["described", "study_board"]

ROWS = ((0, 200), (200, 1_000), (1_000, 5_000), (5_000, inf))
"""Kinds of data sets by their rows."""


def study_board(
    study: Mapping[str, Any],
    scores: pd.DataFrame,
    baseline: pd.DataFrame,
    times: pd.DataFrame,
    about: Mapping[str, str],
    control: str,
    root: str,
    published: pd.DataFrame | None = None,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return the leaderboard of a study.

    Parameters
    ----------
    study : mapping
        The document, with ``optimistic`` and ``rotated`` methods.
    scores : DataFrame
        A row for each data set, method and cell.
    baseline : DataFrame
        By data set, the scores of what looks at no column.
    times : DataFrame
        The study's table of this name.
    about : mapping
        Method -> its pool and combiner, in words of the configuration.
    control : str
    root : str
        The study's folder.
    published : DataFrame, optional
        The study's table ``published_columns``: methods of the first score alone.
    facts : mapping, optional
        Data set -> what preparing it found: rows, columns, classes.
    """
    task = study["task"]
    scored = set(scores["method"])
    names = [m for m in study["methods"] if m in scored]
    metrics = [
        _metric(metric, higher, scores, names, baseline)
        for metric, higher in METRICS[task].items()
        if higher is not None
    ]
    metrics.sort(key=lambda m: m.name != study["score"])
    theirs = pd.DataFrame() if published is None else published
    metrics = [_beside(metrics[0], theirs, baseline), *metrics[1:]] if len(theirs) else metrics
    known = {
        m: {"rotated": m in study["rotated"], "optimistic": m in study["optimistic"], "about": about[m]} for m in names
    }
    for method, part in theirs.groupby("method", sort=False) if len(theirs) else ():
        row = part.iloc[0]
        known[str(method)] = {"published": f"{row['source']} How the protocol differs: {row['protocol']}"}
        known[str(method)] |= {"family": row["family"]} if isinstance(row.get("family"), str) else {}
    counts = by_method(scores, study["score"], "count")
    datasets = list(metrics[0].scores.index)
    cells = {
        "word": study["cells"], "counts": counts.where(counts > 0), "seed": study["seed"], "study": study["name"],
        "folders": [f"{root}/{d}" for d in datasets], "files": [slug(m) for m in known],
    }  # fmt: skip
    board = leaderboard(
        metrics, control if control in names else None, alpha=study["evaluation"]["alpha"],
        times=seconds_by_method(times), methods=known, cells=cells, left_out=list(study["evaluation"]["left_out"]), kinds=_kinds(facts or {}),
    )  # fmt: skip
    return {**board, "baseline": BASELINE[task]}


def _kinds(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return kinds of data sets, by rows, classes and categories; none of which all are."""
    by_rows = {d: bounds for d, f in facts.items() for bounds in ROWS if bounds[0] <= f["rows"] < bounds[1]}
    found = {f"{low:,} to {high - 1:,} rows" if high < inf else f"{low:,} rows and more": [d for d in facts if by_rows[d] == (low, high)]
             for low, high in ROWS}  # fmt: skip
    classes = {d: len(f.get("class_counts", ())) for d, f in facts.items()}
    found |= {
        "two classes": [d for d in facts if classes[d] == 2],
        "3 to 9 classes": [d for d in facts if 3 <= classes[d] < 10],
    }
    found |= {"10 classes and more": [d for d in facts if classes[d] >= 10]}
    few = {d: f.get("few_valued_columns", f.get("categorical_columns", 0)) for d, f in facts.items()}
    found |= {
        "categories (or numbers of few values) in most columns": [
            d for d, f in facts.items() if few[d] > _columns(f) / 2
        ],
        "such columns, but fewer": [d for d, f in facts.items() if 0 < few[d] <= _columns(f) / 2],
        "no such column": [d for d in facts if few[d] == 0],
    }
    return {kind: of for kind, of in found.items() if 0 < len(of) < len(facts)}


def _columns(facts: Mapping[str, Any]) -> int:
    return int(facts["numeric_columns"] + facts["categorical_columns"])


def _metric(metric: str, higher: bool, scores: pd.DataFrame, names: Sequence[str], baseline: pd.DataFrame) -> Metric:
    """Return a score as methods are compared by it: rounded, and in units of the baseline's where data sets differ in theirs."""
    means = mean_scores(scores, metric, names).reindex(columns=list(names))
    spread = by_method(scores, metric, "std")
    units = in_units(metric, baseline)
    return Metric(
        metric, NAMES[metric], higher, compared(means, units),
        spread=spread.reindex(means.index, columns=list(names)), shown=None if units is None else means, optimum=OPTIMA.get(metric, 0.0),
        baseline=baseline.get(metric),
    )  # fmt: skip


def _beside(metric: Metric, published: pd.DataFrame, baseline: pd.DataFrame) -> Metric:
    """Return a score with published ones as methods of their own."""
    theirs = published_scores(published).reindex(metric.scores.index)
    scores = metric.scores.join(compared(theirs, in_units(metric.name, baseline)))
    shown = None if metric.shown is None else metric.shown.join(theirs)
    return metric._replace(scores=scores, shown=shown)


def described(label: str, method: Mapping[str, Any], pools: Mapping[str, Any]) -> str:
    """Return a method and its pool as the study's file would have them.

    Examples
    --------
    >>> print(described("RF", {"pool": "forest", "combiner": {"kind": "vote"}}, {"forest": {"estimator": "forest"}}))
    pools:
      forest:
        estimator: forest
    methods:
      RF:
        pool: forest
        combiner:
          kind: vote
    <BLANKLINE>
    """
    content = {"pools": {method["pool"]: pools.get(method["pool"])}, "methods": {label: dict(method)}}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=90)
