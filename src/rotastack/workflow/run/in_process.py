"""A study of a table in memory, run in this process and its workers: the steps call each other, and write no files."""

import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence
from time import monotonic
from typing import Any

import pandas as pd
import xarray as xr
from joblib import Parallel, delayed, effective_n_jobs
from rich.console import Console
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from rotastack.base.columns import as_pandas
from rotastack.base.warned import ignoring, warn
from rotastack.data.artifacts import Prepared
from rotastack.errors import RotastackError, shortened
from rotastack.workflow.judge.results import all_means, best_first
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.run.comparison import Comparison
from rotastack.workflow.run.job import Outcome
from rotastack.workflow.run.own_table import OwnTable, seconds_of
from rotastack.workflow.run.progress import duration
from rotastack.workflow.run.resources import Resources
from rotastack.workflow.run.slices import Slices
from rotastack.workflow.run.steps.combine import combine
from rotastack.workflow.run.steps.groups import draw_folds
from rotastack.workflow.run.steps.prepare import prepare
from rotastack.workflow.run.steps.refit import chosen, refit
from rotastack.workflow.run.steps.score import Scored, score_all
from rotastack.workflow.run.steps.train import train
from rotastack.workflow.run.watching import TrainingStoppedError, failing
from rotastack.workflow.study.specs import SplitTrainingSpec
from rotastack.workflow.study.study import Study

__all__ = ["compared"]


def compared(
    X: Any, y: Any, methods: str | Sequence[str] | None, size: str, score: str | None, groups: str | None,
    time: float | str | None, n_jobs: int | None, random_state: int | None, name: str,
) -> Comparison:  # fmt: skip
    """Return the comparison of methods on a table; the parameters are those of ``rotastack.compare_methods``."""
    source, target = _table(X, y)
    own = OwnTable(
        Namespace(
            study=name, target=target, task=None, kind=[], size=size, score=score, groups=groups, time_column=None,
            split_column=None, memory=None, time=None if time is None else _seconds(time),
            methods=methods if methods is None or isinstance(methods, str) else ", ".join(methods),
        ),
        effective_n_jobs(n_jobs),
        source,
    )  # fmt: skip
    seed = {} if random_state is None else {"seed": random_state}
    study = Study.from_mapping({**own.study, **seed}, name)
    slices, dataset, raw = Slices(study), study.name, own.read.features.assign(target=own.read.raw_target)
    with ignoring(category=UserWarning):  # the notes below say the same
        made = prepare(slices.prepare(dataset), raw)
    dropped = shortened((f"{column} ({why})" for column, why in own.dropped.items()), 3)
    for note in [*own.read.notes, *([f"columns left out: {dropped}"] if dropped else []), *own.left_out]:
        warn(note)
    table = made.data
    folds = draw_folds(slices.groups(dataset), table)
    pools = _trained(study, slices, table, folds, n_jobs)
    records = {
        "prepare": {"metrics": made.metrics},
        "pools": {
            pool: [{"parameters": {"pool": {}}, "metrics": block.attrs["metrics"]} for block in blocks]
            for pool, blocks in pools.items()
        },
        "methods": [{"method": label, "pool": method.pool} for label, method in study.methods.items()],
    }
    outputs = (
        combine(slices.combine(dataset, label), table, folds, pools[method.pool])
        for label, method in study.methods.items()
    )
    scored = score_all(slices.score(dataset), table, folds, outputs, records)
    about = scored.influences, scored.about_influences
    verdict = verdict_of_one(scored.scores, slices.summarize(), {"metrics": scored.metrics}, *about)["sentences"]
    label = chosen(slices.refit(dataset), scored.scores, scored.metrics, *about)
    return Comparison(
        best_first(all_means(scored.scores, study.document.evaluation.average), study.score), verdict, label,
        _model(slices, dataset, label, raw, scored, n_jobs), scored.scores, study.score, dataset,
    )  # fmt: skip


def _table(X: Any, y: Any) -> tuple[pd.DataFrame, str]:
    """Return the columns and the target as one table, and the name of the target."""
    if y is None:
        raise RotastackError("y is missing; give the target, a value for each row of X")
    try:
        features = as_pandas(X)
    except (IndexError, ValueError):
        raise RotastackError(f"X must be a table of rows and columns; found {type(X).__name__}") from None
    try:
        values = pd.Series(y.squeeze() if hasattr(y, "squeeze") else y).reset_index(drop=True)
    except ValueError:
        raise RotastackError(
            f"y must have one value for each row; found {type(y).__name__} of several columns"
        ) from None
    if len(features) != len(values):
        raise RotastackError(f"X has {len(features)} rows, and y has {len(values)}; both need the same rows")
    odd = [column for column in features if not isinstance(column, str)]
    if odd:
        raise RotastackError(f"X: names of columns must be text, found {shortened(odd, 3)}; use X.rename(columns=str)")
    target = "target" if values.name is None else str(values.name)
    for column in {target, "target"} & set(features):
        what = "the name of y" if column == target else "a name that the model cannot use"
        raise RotastackError(f"X: column {column!r} has {what}; drop or rename the column")
    return features.reset_index(drop=True).assign(**{target: values}), target


def _seconds(time: float | str) -> float:
    try:
        return seconds_of(time if isinstance(time, str) else f"{time}s")
    except RotastackError as error:
        raise RotastackError(f"time: {error}") from None


def _trained(
    study: Study, slices: Slices, table: Prepared, folds: pd.DataFrame, n_jobs: int | None
) -> dict[str, list[xr.Dataset]]:
    """Return the blocks of each pool, and show a bar; the longest trainings begin first."""
    seconds = Resources(study, study.datasets).all_usual_seconds()
    jobs = [
        delayed(_train)(key, slices.train(*key), table, folds) for key in sorted(seconds, key=lambda key: -seconds[key])
    ]
    done: dict[tuple[str, ...], xr.Dataset] = {}
    console, began, total = Console(stderr=True), monotonic(), sum(seconds.values())
    for key, block in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(jobs):
        done[key] = block
        if console.is_terminal or console.is_jupyter:
            share, is_last = sum(seconds[key] for key in done) / total, len(done) == len(jobs)
            left = "" if is_last else f", {duration((monotonic() - began) * (1 / share - 1))} left"
            line = f"{'█' * round(20 * share):░<20} {share:4.0%}{left}"
            print(f"\r{line:50}", end="\n" * is_last, file=sys.stderr, flush=True)
    return {
        pool: [done[dataset, pool, block] for dataset, blocks in study.blocks_of.items() for block in blocks]
        for pool in study.used_pools
    }


def _train(
    key: tuple[str, ...], spec: SplitTrainingSpec, table: Prepared, folds: pd.DataFrame
) -> tuple[tuple[str, ...], xr.Dataset]:
    """Return the key of a training with the outputs, computed by one thread, as in the workflow."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        try:
            return key, train(spec, table, folds)
        except MemoryError:
            failure = TrainingStoppedError("the training ran out of memory")
            return key, train(spec, table, folds, set_alarm=failing(failure))


def _model(
    slices: Slices, dataset: str, label: str | None, raw: pd.DataFrame, scored: Scored, n_jobs: int | None
) -> Pipeline | None:
    """Return the chosen method trained on all rows; None, with a warning, if the training fails or all methods failed."""
    if label is None:
        return None
    outcome, model = Outcome(), None
    with outcome.may_fail(), ignoring("columns left out"), threadpool_limits(1):
        model = refit(slices.refit(dataset), label, raw, effective_n_jobs(n_jobs))
        if (tested := scored.metrics.get("intervals", {}).get(label)) is not None:
            model.tested_intervals_ = tested
    if outcome.status != "ok":
        warn(f"no model: {label}: {outcome.message}")
    return model
