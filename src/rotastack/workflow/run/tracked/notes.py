"""The descriptions of a study and of its runs in MLflow, in Markdown, and the numbers of the runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.metrics import METRICS, NAMES, higher_is_better

__all__ = [
    "dataset_note", "means_table", "method_note", "method_params", "plain", "pool_params", "run_metrics", "shown", "spread",
    "spread_note", "study_note",
]  # fmt: skip

SPREAD = 0.95
"""Share of a method's cells between the two numbers beside its mean."""


def spread(cells: Sequence[float]) -> tuple[float, float]:
    """Return the two numbers between which the middle 95 % of the cells lie.

    Cells of a nested cross-validation share rows. So the range shows how far draws of folds and rotations move an
    error, and is no confidence interval for new rows.

    Examples
    --------
    >>> tuple(round(float(edge), 4) for edge in spread([0.02, 0.03, 0.04]))
    (0.0205, 0.0395)
    """
    lower, upper = np.quantile(np.asarray(cells, dtype=float), [(1 - SPREAD) / 2, (1 + SPREAD) / 2])
    return float(lower), float(upper)


def run_metrics(cells: pd.DataFrame, task: str, score: str) -> dict[str, float]:
    """Return a method's scores as metrics of its run: means over its cells, and the spread of the main score."""
    metrics = {f"test/{metric}": cells[metric].mean(skipna=False) for metric in METRICS[task]}
    if cells[score].notna().all():
        metrics[f"test/{score}_lower"], metrics[f"test/{score}_upper"] = spread(cells[score])
    return metrics


def means_table(scores: pd.DataFrame, task: str, score: str) -> pd.DataFrame:
    """Return a table with a row per method: its metrics and number of failed cells, best first."""
    rows = []
    for method, cells in scores.groupby("method", sort=False):
        named = {name.removeprefix("test/"): value for name, value in run_metrics(cells, task, score).items()}
        rows.append({"method": method, **named, "failed_cells": int(cells[score].isna().sum())})
    table = pd.DataFrame(rows)
    return table.sort_values(score, ascending=not higher_is_better(score), kind="stable", ignore_index=True)


def pool_params(pool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params that distinguish pools: view, estimator, and their parameters.

    Examples
    --------
    >>> pool_params({"view": None, "scaling": "minmax", "estimator": "a.b.Forest", "parameters": {"n_estimators": 80}})
    {'estimator': 'Forest', 'view': 'none', 'scaling': 'minmax', 'estimator.n_estimators': 80}
    """
    view = pool["view"] or {"class": "none", "parameters": {}}
    return {
        "estimator": _last(pool["estimator"]),
        "view": _last(view["class"]),
        "scaling": pool["scaling"],
        **{f"estimator.{name}": value for name, value in pool["parameters"].items()},
        **{f"view.{name}": value for name, value in view.get("parameters", {}).items()},
    }


def method_params(pool: Mapping[str, Any], combiner: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params that distinguish methods: those of the pool, and the combiner."""
    params = {**pool_params(pool), "combiner": combiner["kind"]}
    options = {k: v for k, v in combiner.items() if k not in ("kind", "class", "parameters")}
    for name, value in {**options, **combiner.get("parameters", {})}.items():
        if isinstance(value, Mapping) and "class" in value:
            params[f"combiner.{name}"] = _last(value["class"])
            params |= {f"combiner.{name}.{k}": v for k, v in value.get("parameters", {}).items()}
        else:
            params[f"combiner.{name}"] = value
    return params


def _last(path: str) -> str:
    """Return the last part of a dotted path."""
    return path.rpartition(".")[2]


SHARES = ("error", "balanced_accuracy", "interval_coverage")
"""Scores that are shares of rows."""

SEARCH = "``tags.`rotastack.kind` = '{}' AND tags.`rotastack.superseded` = 'no'``"
"""MLflow's search for the newest runs of a kind, as code in Markdown."""

MOST_ROWS = 40
"""The most rows of a table in a description."""


def shown(value: float | None, score: str) -> str:
    """Return a score as text.

    Examples
    --------
    >>> shown(0.01873, "error"), shown(53.5678, "rmse"), shown(None, "error")
    ('1.87 %', '53.57', '—')
    """
    if value is None or pd.isna(value):
        return "—"
    return f"{100 * value:.2f} %" if score in SHARES else f"{value:.4g}"


def plain(text: str) -> str:
    r"""Return a text with the marks of Markdown and HTML escaped.

    Examples
    --------
    >>> print(plain("<b> a_b | c"))
    &lt;b&gt; a\_b \| c
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\`*_[]|#" else c for c in " ".join(text.split()))


def spread_note(numbers: Mapping[str, float], score: str, cells: int) -> str:
    """Return a score's mean over cells, and the range of the middle cells, as text."""
    mean = shown(numbers.get(f"test/{score}"), score)
    lower, upper = (numbers.get(f"test/{score}_{edge}") for edge in ("lower", "upper"))
    if cells < 2 or lower is None:
        return mean
    return f"{mean} (the middle {100 * SPREAD:g} % of {cells} cells: {shown(lower, score)} to {shown(upper, score)})"


def dataset_note(dataset: str, facts: Mapping[str, Any], task: str, methods: pd.DataFrame) -> str:
    """Return the description of a data set's run: its size, and the scores of the methods, best first."""
    kinds = [(facts.get(f"{kind}_columns", 0), kind) for kind in ("numeric", "categorical", "date")]
    columns = ", ".join(f"{count} {kind}" for count, kind in kinds if count)
    lines = [f"**{plain(dataset)}**: {facts['rows']:,} rows; columns: {columns or 'none'}."]
    if facts.get("class_counts"):
        named = [f"{plain(str(k))} ({n:,})" for k, n in list(facts["class_counts"].items())[:MOST_ROWS]]
        lines.append(f"Classes: {', '.join(named)}{' …' if len(facts['class_counts']) > MOST_ROWS else ''}.")
    scores = [s for s in METRICS[task] if s in methods and methods[s].notna().any()]
    table = [["method", *(NAMES[s] for s in scores)], ["---"] * (1 + len(scores))]
    for row in methods[:MOST_ROWS].to_dict("records"):
        table.append([plain(row["method"]), *(shown(row[s], s) for s in scores)])
    return "\n".join([*lines, "", *(f"| {' | '.join(cells)} |" for cells in table)])


def method_note(
    label: str, dataset: str, numbers: Mapping[str, float], score: str, cells: int, rank: float, methods: int
) -> str:
    """Return the description of a method's run."""
    head = f"**{plain(label)}** on **{plain(dataset)}**:"
    if pd.isna(rank):
        return f"{head} the method failed in some cells; the tags have the reasons."
    return f"{head} {NAMES[score]} {spread_note(numbers, score, cells)}, rank {rank:g} of {methods}."


def study_note(spec: Mapping[str, Any], sentences: Sequence[str], report: str) -> str:
    """Return the description of a study: the sentences of its verdict, the path of its report, and searches to paste."""
    lines = [
        f"## {plain(spec['title'] or spec['name'])}", "", *(f"- {plain(s)}" for s in sentences), "",
        f"Report for a browser: `{report}`, and the artifact `report/report.html` of the study's run.",
        *(["", plain(spec["description"])] if spec.get("description") else []), "",
        "Searches to paste into the search field:", "",
        *(f"- {kind}s: {SEARCH.format(kind)}" for kind in ("method", "model", "pool")),
    ]  # fmt: skip
    return "\n".join(lines)
