"""The numbers and params of a study's runs in MLflow, and the card of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rotastack.base.reading import stored_readings
from rotastack.errors import shortened
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, PRIMARY, higher_is_better
from rotastack.workflow.judge.intervals import coverage_in_words
from rotastack.workflow.judge.results import TIE_BREAK

TIMES = ("fit_seconds", "predict_seconds")
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
    study: str
    dataset: str
    task: str
    score: str  # by which methods are ranked and chosen
    table: pd.DataFrame
    scores: pd.DataFrame
    records: dict[str, Any]  # of the table, of the blocks of each pool, and of each method
    baseline: dict[str, float]  # scores without any column
    raw: Path
    prepared_file: Path  # of `table`
    model: Path | None
    refit: dict[str, Any] | None  # record of the model
    figures: list[Path]
    rotated: list[str]  # methods that use rotated columns
    optimistic: list[str]  # methods that choose members by the test rows
    protocol: Mapping[str, Any]  # of the study
    trusted: Sequence[str] = ()  # modules whose types the model may hold

    @property
    def how(self) -> str:
        """Which rows the scores are of, in words."""
        return "on later rows" if self.protocol.get("time") else HOW[self.protocol["kind"]]

    @property
    def prepared(self) -> dict[str, Any]:
        """Record of the table."""
        return self.records["prepare"]

    def cells(self, method: str) -> pd.DataFrame:
        """Return the scores of a method, one row a cell."""
        return self.scores[self.scores["method"] == method]

    def numbers(self, method: str) -> dict[str, float]:
        """Return a method's scores as metrics of its run: means over its cells, and the spread of the main score."""
        return run_metrics(self.cells(method), self.task, self.score)

    def rotates(self, method: str) -> str:
        """Return "yes" for a method that uses rotated columns, else "no"."""
        return "yes" if method in self.rotated else "no"

    def times(self, pool: str) -> dict[str, float]:
        """Return the seconds of all trainings of a pool, and of all its predictions."""
        return {f"time/{k}": sum(sum(p["metrics"].get(k, [])) for p in self.records["pools"][pool]) for k in TIMES}


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


def spread_note(numbers: Mapping[str, float], score: str, cells: int) -> str:
    """Return a score's mean over cells, and the range of the middle cells, as text."""
    mean = score_text(numbers.get(f"test/{score}"), score)
    lower, upper = (numbers.get(f"test/{score}_{edge}") for edge in ("lower", "upper"))
    if cells < 2 or lower is None:
        return mean
    return f"{mean} (the middle {100 * SPREAD:g} % of {cells} cells: {score_text(lower, score)} to {score_text(upper, score)})"


FEW = 30
"""Rows of a class below which the card warns."""


def model_card(
    data: TrackedDataset, params: Mapping[str, Any], raw: pd.DataFrame, digest: str, loaded: str, store: str
) -> str:
    """Return the card of a data set's model, in Markdown: its training data, its method, its scores and its limits.

    `params` are what distinguishes methods, `raw` is the training table with its `digest`, `loaded` the model's address
    in MLflow, and `store` that of MLflow.
    """
    refit, facts = data.refit, data.prepared["metrics"]
    assert refit is not None
    method, methods = refit["metrics"]["method"], len(refit["parameters"]["methods"])
    chosen, counts = refit["parameters"]["refit"] == "best", facts.get("class_counts", {})
    name, cells = NAMES[data.score], len(data.cells(method))
    tested = spread_note(data.numbers(method), data.score, cells)
    named = {"numeric": "numeric", "categorical": "categorical", "date": "of dates"}
    kinds = [f"{facts[f'{k}_columns']} {text}" for k, text in named.items() if facts.get(f"{k}_columns")]
    if texts := facts.get("text_columns"):
        kinds.append(f"{len(texts)} of text ({plain(shortened(texts))})")
    units = [f"{column}{how.in_unit}" for column, how in stored_readings(raw).items() if how.in_unit]
    ranges = refit["metrics"].get("ranges", {})
    choice = (
        f"Chosen by the study {plain(data.study)} as the best of {methods} methods by {name}; "
        f"of methods that tie with the best, the one with the lowest {NAMES[TIE_BREAK[data.task]]}, then the shortest training time."
        if chosen
        else f"Chosen in the file of the study {plain(data.study)}, which compared {methods} methods."
    )
    lines = [
        f"**{plain(method)}** for the table **{plain(data.dataset)}**: {name} {data.how} {tested}.",
        "",
        "### Training data",
        "",
        f"- All {len(raw):,} rows of `{data.raw.as_posix()}`, SHA-256 `{digest}`.",
        f"- {raw.shape[1] - 1:,} columns: {', '.join(kinds) or 'no useful column'}; {facts.get('missing_cells', 0):,} cells are missing.",
        *(
            [
                f"- Ranges: {plain(shortened((f'{c} {least:.10g} to {most:.10g}' for c, (least, most) in ranges.items()), 20))}."
            ]
            if ranges
            else []
        ),
        *([f"- Units: {plain('; '.join(units))}."] if units else []),
        *(
            [f"- Classes: {shortened((f'{plain(str(label))} {count:,}' for label, count in counts.items()), 20)}."]
            if counts
            else []
        ),
        "",
        "### Method",
        "",
        f"- {plain(method)}: {', '.join(f'{plain(k)} {plain(str(v))}' for k, v in params.items())}.",
        f"- {choice}",
        f"- Trained on {refit['started'][:10]} by rotastack {refit['version']}, seed {refit['seed']}, code {refit['code']}.",
        "",
        f"### {name[0].upper()}{name[1:]}",
        "",
        f"- {data.how.capitalize()}: {tested}.",
        *(f"- {line}" for line in _other_scores(data, refit)),
        "",
        "### Limits",
        "",
        "- The tested models had fewer rows than this model, which has all rows.",
        *(["- The range shows the variation over splits and rotations, not over new rows."] if cells > 1 else []),
    ]
    error = data.numbers(method).get("test/error")
    if data.task == "classification" and error is not None:
        deviation = score_text(sqrt(max(error * (1 - error), 0) / len(raw)), "error")
        lines.append(f"- The standard error of the error on {len(raw):,} rows is about {deviation}.")
    if chosen and methods > 1:
        lines.append("- The method was chosen by the number shown, so the number is slightly optimistic.")
    if rare := [f"{plain(str(k))} ({n})" for k, n in counts.items() if n < FEW]:
        lines.append(f"- Classes with few rows: {shortened(rare, 10)}.")
    if not facts.get("missing_cells"):
        lines.append("- The training rows had no missing values.")
    lines += [
        "- The numbers hold for rows from the same source; no check detects a change of their distribution.",
        "",
        "### Load and predict",
        "",
        *(["In the folder of the study:", ""] if store.startswith("sqlite:///results/") else []),
        "```python",
        "import mlflow, pandas",
        f'mlflow.set_tracking_uri("{store}")',
        f'mlflow.pyfunc.load_model("{loaded}").predict(pandas.read_csv("new.csv"))',
        "```",
    ]
    if data.task == "classification":
        lines += [
            "",
            f'For the probabilities of the classes, call `predict_proba` of `mlflow.sklearn.load_model("{loaded}")`.',
        ]
    return "\n".join(lines)


def _other_scores(data: TrackedDataset, refit: Mapping[str, Any]) -> list[str]:
    """Return lines on the scores beside the tested one: without columns, of intervals, out-of-bag, on training rows."""
    metrics = refit["metrics"]
    primary, baseline = PRIMARY[data.task], data.baseline.get(data.score)
    named = "" if primary == data.score else f"{NAMES[primary]} "
    alone = BASELINE[data.score]
    lines = [] if baseline is None else [f"{alone[0].upper()}{alone[1:]}: {score_text(baseline, data.score)}."]
    if "intervals" in metrics:
        lines.append(coverage_in_words(metrics["intervals"]))
    if "time" in refit["parameters"].get("divided_by", {}):
        lines.append("Out-of-bag: no score, because the trees were grown on later rows, too.")
    elif f"oob_{primary}" in metrics:
        lines.append(f"Out-of-bag, this model: {named}{score_text(metrics[f'oob_{primary}'], primary)}.")
    elif "oob_r2" in metrics:
        lines.append(f"Out-of-bag, this model: R² {score_text(metrics['oob_r2'], 'r2')}.")
    elif f"oob_{primary}_of_members" in metrics:
        of_members = score_text(metrics[f"oob_{primary}_of_members"], primary)
        lines.append(f"Out-of-bag, mean of the single members: {named}{of_members}.")
    else:
        lines.append("Out-of-bag: no score, because the members were not trained on bootstrap samples.")
    return [*lines, f"On the training rows (optimistic): {named}{score_text(metrics[f'training_{primary}'], primary)}."]
