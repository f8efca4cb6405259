"""The metrics and params of runs in MLflow, and their names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.metrics import METRICS, higher_is_better

__all__ = ["SPREAD", "dotless", "means_table", "method_params", "pool_params", "run_metrics", "spread"]

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
