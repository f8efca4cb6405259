"""The study of a table in memory: the functions of the steps run one after the other in this process, and write no files."""

import sys
import warnings
from argparse import Namespace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from joblib import Parallel, delayed, effective_n_jobs
from pandas.api.types import is_integer_dtype
from threadpoolctl import threadpool_limits

from rotastack.base.columns import as_pandas
from rotastack.base.warned import ignoring, warn
from rotastack.data.artifacts import Prepared
from rotastack.errors import RotastackError, shortened
from rotastack.workflow.judge.results import all_means, best_first
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.run.folds import draw_folds
from rotastack.workflow.run.job import Outcome
from rotastack.workflow.run.keys import Jobs
from rotastack.workflow.run.own_table import OwnTable
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.run.steps import combine, prepare, refit, score, train
from rotastack.workflow.study.study import Study
from rotastack.workflow.use.own_study import SEED

OPTIONS = {
    "groups": "groups={}",
    "time_column": "use the command rotastack run with --time-column {}",
    "score": "score={}",
    "threshold": "use scikit-learn's FixedThresholdClassifier(FrozenEstimator(best_estimator_), threshold={})",
    "report": "a warning",
}
"""Option of the command, or another of its names, -> its words for a reader who has the function's result."""


def compare_in_memory(
    X: Any, y: Any, n_jobs: int | None, random_state: int | None, name: str, **options: Any
) -> tuple[Any, ...]:
    """Return the fields of a ``MethodComparison``; the parameters are those of ``rotastack.compare_methods``."""
    target, source = _target_and_table(X, y)
    if options["groups"] is not None and not isinstance(options["groups"], str):
        options["groups"] = _add_groups(source, options["groups"])
    unused = dict.fromkeys(("task", "time_column", "split_column", "test", "memory"))
    arguments, seed = Namespace(study=name, target=target, kind=[], trust=[], **unused, **options), random_state
    own = OwnTable(arguments, effective_n_jobs(n_jobs), source, SEED if seed is None else seed)
    study, jobs = own.study, Plan(own.study, {}).jobs
    name, raw = study.name, own.read.features.assign(target=own.read.raw_target)
    left_out = {
        "columns left out": [f"{column} ({why})" for column, why in own.dropped.items()],
        "methods left out for lack of memory": [label for label in own.needed if label not in study.methods],
        "methods left out, as they grow a tree for each class in each round": own.slow,
    }.items()
    for note in [*own.read.notes, *(f"{text}: {shortened(names, 3)}" for text, names in left_out if names)]:
        warn(note)
    with ignoring(category=UserWarning):  # of the same columns
        made = prepare.prepare(jobs["prepare", name].spec, raw, OPTIONS)
    folds = draw_folds(jobs["groups", name].spec, made.data)
    pools = _trained(study, jobs, made.data, folds, n_jobs)
    of_methods = {label: method.pool for label, method in study.methods.items()}
    outputs = [
        combine.combine(jobs["combine", name, label].spec, made.data, folds, pools[pool])
        for label, pool in of_methods.items()
    ]
    records = {
        "prepare": {"metrics": made.metrics},
        "pools": {p: [{"parameters": {"pool": {}}, "metrics": b.attrs["metrics"]} for b in pools[p]] for p in pools},
        "methods": [{"method": label, "pool": pool} for label, pool in of_methods.items()],
    }
    scored = score.score_all(jobs["score", name].spec, made.data, folds, outputs, records)
    verdict = verdict_of_one(scored.scores, jobs["summarize"].spec, {"metrics": scored.metrics}, *scored.rows, OPTIONS)[
        "sentences"
    ]
    table = best_first(all_means(scored.scores, study.document.evaluation.average), study.score)
    outcome, model = Outcome(), None
    label = refit.chosen(jobs["refit", name].spec, scored.scores, scored.metrics, *scored.rows)
    if label is None:
        outcome.fail(shortened(f"{method}: {why}" for method, why in scored.metrics["failures"].items()))
    else:
        with outcome.may_fail(), ignoring("columns? "), threadpool_limits(1):
            model = refit.refit(jobs["refit", name].spec, label, raw, scored.metrics, effective_n_jobs(n_jobs))
    if outcome.status != "ok":
        warn(f"no model: {label or 'all methods failed'}: {outcome.message}")
    return table, verdict, model, scored.scores, study.score


def _target_and_table(X: Any, y: Any) -> tuple[str, pd.DataFrame]:
    """Return the name of the target, and the columns with the target as one table."""
    if y is None:
        raise RotastackError("y is missing; pass the target, one value for each row of X")
    wrong = "X must be a table of rows and columns, which is not sparse"
    try:
        table = as_pandas(X).reset_index(drop=True)
        if is_integer_dtype(table.columns):  # as of a DataFrame of an array
            table.columns = table.columns.map(str)
        wrong = "y must have one dimension, with one value for each row of X"
        values = pd.Series(y.squeeze() if hasattr(y, "squeeze") else y)
        if values.map(pd.api.types.is_list_like).any():
            raise ValueError
    except (IndexError, TypeError, ValueError):
        raise RotastackError(wrong) from None
    if len(table) != len(values):
        raise RotastackError(f"X has {len(table)} rows, but y has {len(values)} values")
    target = "target" if values.name is None else str(values.name)
    for column in table:
        if not isinstance(column, str) or column in (target, "target"):  # a model finds its columns by their names
            wrong = "has the name of the target" if isinstance(column, str) else "has a name that is not text"
            raise RotastackError(f"X: column {column!r} {wrong}; rename or drop the column")
    return target, pd.concat([table, values.set_axis(table.index).rename(target)], axis=1)


def _add_groups(table: pd.DataFrame, groups: Any) -> str:
    """Add the groups of the rows to a table as a column; return its name."""
    values = np.asarray(groups)
    if values.shape != (len(table),):
        raise RotastackError(f"groups has the shape {values.shape}; one value for each of {len(table)} rows is needed")
    name = str(getattr(groups, "name", None) or "groups")
    while name in table:
        name += "_"
    table[name] = values
    return name


def _trained(
    study: Study, planned: Jobs, data: Prepared, folds: pd.DataFrame, n_jobs: int | None
) -> dict[str, list[xr.Dataset]]:
    """Train the pools, and show a bar; return pool -> its blocks."""
    jobs = [(pool, block) for pool in study.used_pools for block in study.blocks]
    trained = Parallel(n_jobs=n_jobs, return_as="generator", max_nbytes=None)(  # large tables need no files, either
        delayed(_train)(planned["train", study.name, *job].spec, data, folds) for job in jobs
    )
    pools: dict[str, list[xr.Dataset]] = {pool: [] for pool in study.used_pools}
    for k in range(len(jobs) + 1):
        if sys.stderr.isatty() or "ipykernel" in sys.modules:
            text = f"{'█' * (20 * k // len(jobs)):░<20} {k} of {len(jobs)} trainings"
            print(f"\r{text}", end="\n" * (k == len(jobs)), file=sys.stderr, flush=True)
        if k < len(jobs):
            pools[jobs[k][0]].append(next(trained))
    return pools


def _train(spec: Any, data: Prepared, folds: pd.DataFrame) -> xr.Dataset:
    """Train by one thread, as the workflow does, since more threads sum in another order."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return train.train(spec, data, folds)
