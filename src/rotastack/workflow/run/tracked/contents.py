"""The numbers and params of a study's runs in MLflow, and the card of a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rotastack.base.reading import stored_readings
from rotastack.errors import shortened
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, higher_is_better
from rotastack.workflow.judge.intervals import coverage_in_words
from rotastack.workflow.judge.results import TIE_BREAK
from rotastack.workflow.study.specs import ReportSpec

HOW = {
    "nested": "by cross-validation",
    "crossval": "by cross-validation",
    "holdout": "on random splits",
    "given": "on given splits",
}
"""Kind of protocol -> the rows that a study tests on, in words."""


@dataclass(frozen=True)
class TrackedDataset:
    """The data behind the runs of a data set."""

    key: str  # of what the runs show, but for figures and the model
    spec: ReportSpec
    dataset: str
    table: Path
    scores: pd.DataFrame
    records: dict[str, Any]  # of the table, of the blocks of each pool, and of each method
    baseline: dict[str, float]  # scores without any column
    raw: Path
    model: Path | None
    refit: dict[str, Any] | None  # record of the model
    figures: list[Path]

    def numbers(self, method: str) -> dict[str, float]:
        """Return a method's scores as metrics of its run: means over its cells, and the spread of the main score."""
        return run_metrics(self.scores[self.scores["method"] == method], self.spec.task, self.spec.score)

    def tags(self, method: str) -> dict[str, str]:
        """Return the tags of a run of a method; ``rotated`` is "yes" for a method that uses rotated columns."""
        rotated = "yes" if method in self.spec.rotated else "no"
        return {"dataset": self.dataset, "method": method, "rotated": rotated}


SPREAD = 0.95
"""Share of a method's cells between the two numbers beside its mean."""


def run_metrics(cells: pd.DataFrame, task: str, score: str) -> dict[str, float]:
    """Return a method's scores as metrics of its run: means over its cells, and the spread of the main score.

    Cells of a nested cross-validation share rows. So the spread shows how far draws of folds and rotations move an
    error, and is no confidence interval for new rows.
    """
    metrics = {f"test/{metric}": cells[metric].mean(skipna=False) for metric in METRICS[task]}
    if cells[score].notna().all():
        ends = np.quantile(cells[score].to_numpy(dtype=float), [(1 - SPREAD) / 2, (1 + SPREAD) / 2])
        metrics[f"test/{score}_lower"], metrics[f"test/{score}_upper"] = ends.tolist()
    return metrics


def means_table(scores: pd.DataFrame, task: str, score: str) -> pd.DataFrame:
    """Return a table with a row per method: its metrics and number of failed cells, best first."""
    rows = []
    for method, cells in scores.groupby("method", sort=False):
        named = {name.removeprefix("test/"): value for name, value in run_metrics(cells, task, score).items()}
        rows.append({"method": method, **named, "failed_cells": int(cells[score].isna().sum())})
    scores = pd.DataFrame(rows)
    return scores.sort_values(score, ascending=not higher_is_better(score), kind="stable", ignore_index=True)


def pool_params(pool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params that distinguish pools: view, estimator, and their parameters."""
    view = pool["view"] or {"class": "none", "parameters": {}}
    return {
        "estimator": _last(pool.get("estimator", "mixed")),
        "view": _last(view["class"]),
        "scaling": pool["scaling"],
        **_flat("estimator", pool["parameters"]),
        **_flat("view", view.get("parameters", {})),
    }


def method_params(pool: Mapping[str, Any], combiner: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params that distinguish methods: those of the pool, and the combiner."""
    params = {**pool_params(pool), "combiner": combiner["kind"]}
    options = {k: v for k, v in combiner.items() if k not in ("kind", "class", "parameters")}
    for name, value in {**options, **combiner.get("parameters", {})}.items():
        if isinstance(value, Mapping) and "class" in value:
            params[f"combiner.{name}"] = _last(value["class"])
            params |= _flat(f"combiner.{name}", value.get("parameters", {}))
        else:
            params |= _flat("combiner", {name: value})
    return params


def _flat(prefix: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested parameters as one level, with dots in the names."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        found |= _flat(f"{prefix}.{name}", value) if isinstance(value, Mapping) else {f"{prefix}.{name}": value}
    return found


def _last(path: str) -> str:
    """Return the last part of a dotted path."""
    return path.rpartition(".")[2]


SHARES = ("error", "balanced_accuracy", "interval_coverage")
"""Scores that are shares of rows."""


def score_text(value: float | None, score: str) -> str:
    """Return a score as text."""
    if value is None or pd.isna(value):
        return "—"
    return f"{100 * value:.2f} %" if score in SHARES else f"{value:.4g}"


def plain(text: str) -> str:
    r"""Return a text with the marks of Markdown and HTML escaped."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\`*_[]|#" else c for c in " ".join(text.split()))


def model_card(data: TrackedDataset, raw: pd.DataFrame, digest: str, loaded: str, store: str) -> str:
    """Return the card of a data set's model, in Markdown: its score, its training data and its limits.

    `raw` is the training table with its `digest`, `loaded` the model's address in MLflow, and `store` that of MLflow. The
    params and metrics of the model's run have the method's parameters and the scores on training and out-of-bag rows.
    """
    spec, refit, facts = data.spec, data.refit, data.records["prepare"]["metrics"]
    assert refit is not None
    metrics, method, methods = refit["metrics"], refit["metrics"]["method"], len(refit["parameters"]["methods"])
    score, name, numbers = spec.score, NAMES[spec.score], data.numbers(method)
    cells, how = int((data.scores["method"] == method).sum()), HOW[spec.protocol["kind"]]
    of_score = {key: score_text(numbers.get(f"test/{score}{key}"), score) for key in ("", "_lower", "_upper")}
    named = {"numeric": "numeric", "categorical": "categorical", "date": "of dates"}
    kinds = [f"{facts[f'{k}_columns']} {text}" for k, text in named.items() if facts.get(f"{k}_columns")]
    if texts := facts.get("text_columns"):
        kinds.append(f"{len(texts)} of text ({shortened(texts)})")
    about = {
        "Ranges": [f"{c} {least:.10g} to {most:.10g}" for c, (least, most) in metrics.get("ranges", {}).items()],
        "Units": [f"{column}{how.in_unit}" for column, how in stored_readings(raw).items() if how.in_unit],
        "Classes": [f"{label} {count:,}" for label, count in facts.get("class_counts", {}).items()],
    }
    limits = ["The tested models had fewer rows than this model, which has all rows."]
    if cells > 1 and f"test/{score}_lower" in numbers:
        of_score[""] += (
            f" (the middle {100 * SPREAD:g} % of {cells} cells: {of_score['_lower']} to {of_score['_upper']})"
        )
        limits.append("The range shows the variation over splits and rotations, not over new rows.")
    if "intervals" in metrics:
        limits.append(coverage_in_words(metrics["intervals"]))
    if not np.isnan(error := numbers.get("test/error", np.nan)):
        deviation = score_text(sqrt(max(error * (1 - error), 0) / len(raw)), "error")
        limits.append(f"The standard error of the error on {len(raw):,} rows is about {deviation}.")
    choice = f"chosen in the file of the study {plain(spec.name)}, which compared {methods} methods"
    if refit["parameters"]["refit"] == "best":
        choice = f"chosen by the study {plain(spec.name)} as the best of {methods} methods by {name}"
        choice += f"; of methods that tie, the one with the lowest {NAMES[TIE_BREAK[spec.task]]}, then the fastest"
        if methods > 1:
            limits.append("The method was chosen by the number shown, so the number is slightly optimistic.")
    limits.append("The numbers hold for rows from the same source; no check detects a change of their distribution.")
    return "\n".join(
        [
            f"**{plain(method)}** for the table **{plain(data.dataset)}**: {name} "
            f"{'on later rows' if spec.protocol.get('time') else how} {of_score['']}; {BASELINE[score]} has "
            f"{score_text(data.baseline.get(score), score)}.",
            "",
            f"- Training data: all {len(raw):,} rows of `{data.raw.as_posix()}`, SHA-256 `{digest}`.",
            f"- {raw.shape[1] - 1:,} columns: {plain(', '.join(kinds)) or 'no useful column'}; {facts.get('missing_cells', 0):,} cells "
            "are missing.",
            *(f"- {what}: {plain(shortened(parts, 20))}." for what, parts in about.items() if parts),
            f"- Method: {choice}.",
            f"- Trained on {refit['started'][:10]} by rotastack {refit['version']}, seed {refit['seed']}, code {refit['code']}.",
            "",
            "### Limits",
            "",
            *(f"- {limit}" for limit in limits),
            "",
            "### Load and predict",
            "",
            *(["In the folder of the study:", ""] if store.startswith("sqlite:///results/") else []),
            "```python",
            "import mlflow, pandas",
            f'mlflow.set_tracking_uri("{store}")',
            f'mlflow.pyfunc.load_model("{loaded}").predict(pandas.read_csv("new.csv"))',
            "```",
            *(
                [
                    "",
                    f'For the probabilities of the classes, call `predict_proba` of `mlflow.sklearn.load_model("{loaded}")`.',
                ]
                if spec.task == "classification"
                else []
            ),
        ]
    )
