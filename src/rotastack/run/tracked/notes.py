"""The descriptions of a study and of its runs in MLflow, in Markdown, and the numbers of the runs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.metrics import METRICS, NAMES, higher_is_better

__all__ = [
    "SPREAD",
    "dataset_note",
    "dotless",
    "means_table",
    "method_note",
    "method_params",
    "plain",
    "pool_params",
    "run_metrics",
    "shown",
    "spread",
    "spread_note",
    "study_note",
]

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
        "estimator": dotless(pool["estimator"]),
        "view": dotless(view["class"]),
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
            params[f"combiner.{name}"] = dotless(value["class"])
            params |= {f"combiner.{name}.{k}": v for k, v in value.get("parameters", {}).items()}
        else:
            params[f"combiner.{name}"] = value
    return params


def dotless(path: str) -> str:
    """Return the last part of a dotted path."""
    return path.rpartition(".")[2]


SHARES = ("error", "balanced_accuracy", "interval_coverage")
"""Scores that are shares of rows."""

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
    rows = [
        [plain(row["method"]), *(shown(row[s], s) for s in scores)] for row in methods[:MOST_ROWS].to_dict("records")
    ]  # fmt: skip
    return "\n".join([*lines, "", *_table(["method", *(NAMES[s] for s in scores)], rows)])


def method_note(
    label: str, dataset: str, numbers: Mapping[str, float], score: str, cells: int, rank: float, methods: int
) -> str:
    """Return the description of a method's run."""
    if pd.isna(rank):
        return (
            f"**{plain(label)}** on **{plain(dataset)}**: the method failed in some cells; the tags have the reasons."
        )
    return (
        f"**{plain(label)}** on **{plain(dataset)}**: {NAMES[score]} {spread_note(numbers, score, cells)}, "
        f"rank {rank:g} of {methods}."
    )


def study_note(
    spec: Mapping[str, Any],
    sentences: Sequence[str],
    comparison: Mapping[str, Any],
    links: Mapping[str, str],
    report: str,
) -> str:
    """Return the description of a study: its verdict, its methods and data sets, and links.

    Parameters
    ----------
    spec : mapping
        The study.
    sentences : sequence of str
        Sentences of the verdict.
    comparison : mapping
        Comparison of the methods by the main score.
    links : mapping of str to str
        Text -> address in MLflow.
    report : str
        Path of the report.
    """
    score = spec["score"]
    ranks = comparison.get("average_ranks", {})
    means = comparison.get("means", {})
    methods = [
        [
            plain(label),
            plain(method["pool"]),
            plain(_combined(method["combiner"])),
            "—" if pd.isna(ranks.get(label, np.nan)) else f"{ranks[label]:.2f}",
        ]
        for label, method in _first(spec["methods"].items())
    ]
    datasets = []
    for item in _first(spec["datasets"]):
        name = item if isinstance(item, str) else item["name"]
        finished = {m: v for m, v in means.get(name, {}).items() if v is not None and pd.notna(v)}
        best = (max if higher_is_better(score) else min)(finished, key=lambda m: finished[m], default=None)
        datasets.append([plain(name), plain(best) if best else "—", shown(finished.get(best) if best else None, score)])
    lines = [
        f"## {plain(spec['title'] or spec['name'])}", "", *(f"- {plain(s)}" for s in sentences), "",
        "**Look:** " + " · ".join(f"[{text}]({address})" for text, address in links.items()), "",
        f"Report for a browser: `{report}`, and the artifact `report/report.html` of the study's run.",
        *(["", plain(spec["description"])] if spec.get("description") else []), "",
        *_table(["method", "pool", "combiner", "average rank"], methods), "",
        *_table(["data set", "best", NAMES[score]], datasets),
    ]  # fmt: skip
    return "\n".join(lines)


def _combined(combiner: Mapping[str, Any]) -> str:
    others = [str(combiner[k]) for k in ("estimator", "voting", "member", "pruner") if combiner.get(k)]
    return f"{combiner['kind']} ({', '.join(others)})" if others else str(combiner["kind"])


def _first(items: Iterable[Any]) -> list[Any]:
    return list(items)[:MOST_ROWS]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows)]
