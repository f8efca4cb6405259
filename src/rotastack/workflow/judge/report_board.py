"""The leaderboard of a study: its scores, the times of its methods, and the origin of each number."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import yaml

from rotastack.stats.metrics import BASELINE, METRICS, NAMES, OPTIMA
from rotastack.workflow.judge.leaderboard import Metric, leaderboard
from rotastack.workflow.judge.published_columns import published_scores
from rotastack.workflow.judge.results import by_method, compared, in_units, mean_scores, seconds_by_method
from rotastack.workflow.study.names import slug

__all__ = ["described", "kinds_of", "study_board"]


def _few_valued(facts: Mapping[str, Any]) -> float:
    """Return the share of columns that are categories, or numbers of few values."""
    return float(
        facts["few_valued_columns"] / max(1, facts["numeric_columns"] + facts["categorical_columns"])
    )  # dates are in neither count


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
        The study's document, with ``optimistic`` and ``rotated`` methods.
    scores : DataFrame
        A row for each data set, method and cell.
    baseline : DataFrame
        Scores, by data set, of the baseline, which uses no column.
    times : DataFrame
        The study's table ``times``.
    about : mapping
        Method -> its pool and combiner, from :func:`described`.
    control : str
    root : str
        The study's folder.
    published : DataFrame, optional
        The study's table ``published_columns``, whose methods have only the first score.
    facts : mapping, optional
        Data set -> its facts from preparation: rows, columns, classes.
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
        times=seconds_by_method(times), methods=known, cells=cells, left_out=list(study["evaluation"]["left_out"]), kinds=kinds_of(facts or {}),
    )  # fmt: skip
    return {**board, "baseline": BASELINE[task]}


def kinds_of(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return kind -> its data sets, by rows, classes and categories, without kinds of all data sets or none.

    Parameters
    ----------
    facts : mapping
        Data set -> its facts from preparation.
    """
    found = {kind: [d for d, f in facts.items() if belongs(f)] for kind, belongs in KINDS.items()}
    return {kind: of for kind, of in found.items() if 0 < len(of) < len(facts)}


def _metric(metric: str, higher: bool, scores: pd.DataFrame, names: Sequence[str], baseline: pd.DataFrame) -> Metric:
    """Return a score for the leaderboard: rounded, and as multiples of the baseline's if the score has a unit."""
    means = mean_scores(scores, metric, names).reindex(columns=list(names))
    spread = by_method(scores, metric, "std")
    units = in_units(metric, baseline)
    return Metric(
        metric, NAMES[metric], higher, compared(means, units),
        spread=spread.reindex(means.index, columns=list(names)), shown=None if units is None else means, optimum=OPTIMA.get(metric, 0.0),
        baseline=baseline.get(metric),
    )  # fmt: skip


def _beside(metric: Metric, published: pd.DataFrame, baseline: pd.DataFrame) -> Metric:
    """Return a score with the published methods as further columns."""
    theirs = published_scores(published).reindex(metric.scores.index)
    scores = metric.scores.join(compared(theirs, in_units(metric.name, baseline)))
    shown = None if metric.shown is None else metric.shown.join(theirs)
    return metric._replace(scores=scores, shown=shown)


def described(label: str, method: Mapping[str, Any], pools: Mapping[str, Any]) -> str:
    """Return a method and its pool as YAML, in the form of the study's file.

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
