"""Train a pool on splits, and store its outputs for the test rows of each split."""

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.dummy import DummyClassifier

from rotastack.base.fitting import AlignedClassifier, FittedRegressor
from rotastack.data.artifacts import Prepared, member_means
from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.diagnostics.margin import summarize_margins
from rotastack.ensembles.pooled.pool import Pool
from rotastack.ensembles.rows import estimator_input
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Outcome, check_numbers
from rotastack.workflow.run.splits.fitting import Fitted, SplitVotes, cast_votes, fitted, machine_measures, stacked
from rotastack.workflow.run.splits.folds import TEST, TRAIN
from rotastack.workflow.run.watching import Alarm
from rotastack.workflow.study.building import make_estimator
from rotastack.workflow.study.names import MEASURES_OF_MEMBERS, MEASURES_OF_TRAINING, label
from rotastack.workflow.study.specs import PoolSpec, SplitTrainingSpec

TREES, DIVERSITY = MEASURES_OF_TRAINING[:3], MEASURES_OF_TRAINING[-4:]


def train(
    spec: SplitTrainingSpec, table: Prepared, folds: pd.DataFrame, rotations: None, n_jobs: int, set_alarm: Alarm
) -> xr.Dataset:
    """Return outputs with axes (split, member, row, class).

    The rows are the test rows of each split, whose numbers are in ``rows`` (-1 fills up smaller test sets). Members are
    views, ensemble sizes, or the outputs of an estimator that has several, such as one for each weighting. In split s the
    estimator has the seed ("train", dataset, pool, s), noise ("noise", dataset, s), and views ("views", dataset, s,
    member). If a method chooses among an ensemble's members, their votes are kept as well.
    """
    splits = [s for s in spec.splits if s < min(spec.repeats, folds.shape[1])]
    names = [label("S", s) for s in splits]
    test, trained_on = ([np.flatnonzero(folds[name].to_numpy() == part) for name in names] for part in (TEST, TRAIN))
    members = spec.members if spec.pool.view is None else [str(k + 1) for k in range(spec.rotations)]
    n_test = max(map(len, test), default=0)
    outputs = np.full((len(splits), len(members), n_test, len(table.outputs)), np.nan, dtype=table.precision)
    measures = {name: np.full((len(splits), len(members)), np.nan) for name in MEASURES_OF_TRAINING}
    seconds: list[tuple[float, float, float, float]] = []
    votes: list[SplitVotes] = []
    root, outcome = root_sequence(spec.seed), Outcome()
    seeds = child(root, "train", spec.dataset, spec.name)
    noise, views = (child(root, what, spec.dataset) for what in ("noise", "views"))
    with outcome.may_fail():
        set_alarm(spec.pool.training_limit)
        ready = estimator_input(make_estimator(spec.pool, n_jobs), table, spec.pool)
        for i, (s, train, held_out) in enumerate(zip(splits, trained_on, test, strict=True)):
            set_alarm(spec.pool.training_limit)
            ready = ready.encoded(table, train)
            trained = fitted(ready, table, train, spec, child(seeds, s), child(noise, s), child(views, s))
            start, start_processor = time.perf_counter(), time.process_time()
            columns = trained.columns_for(ready.X[held_out])
            predicted, member_measures = _outputs(trained.model, columns, spec.pool.ensemble_sizes)
            elapsed, processor = time.perf_counter() - start, time.process_time() - start_processor
            seconds.append((trained.seconds, elapsed, trained.processor_seconds, processor))
            check_numbers(predicted, spec.pool.estimator, table.task)
            outputs[i, :, : len(held_out)] = predicted
            for name, values in _measures(trained, member_measures, columns, table.y[held_out], spec.pool).items():
                measures[name][i] = values
            if spec.selections:
                votes.append(cast_votes(trained, ready.X[held_out], spec.selections))
        set_alarm(None)
    if outcome.status != "ok":
        outputs[:] = np.nan
        votes = []
    numbers = np.full((len(splits), n_test), -1, dtype=np.int32)
    for i, held_out in enumerate(test):
        numbers[i, : len(held_out)] = held_out
    return xr.Dataset(
        {
            "proba": (("split", "member", "row", "class"), outputs),
            "rows": (("split", "row"), numbers),
            **{name: (("split", "member"), values) for name, values in measures.items()},
        },
        coords={"split": np.array(names, dtype=object), "member": members, "class": table.outputs},
        attrs={
            **vars(outcome),
            "metrics": {
                "members": len(members),
                "trainings": len(splits),
                "fit_seconds": [round(sum(fit for fit, *_ in seconds), 4)],
                "predict_seconds": [round(sum(predict for _, predict, *_ in seconds), 4)],
                "fit_processor_seconds": [round(fit, 6) for *_, fit, _ in seconds],
                "predict_processor_seconds": [round(predict, 6) for *_, predict in seconds],
                **{k: member_means(v) for k, v in measures.items() if np.isfinite(v).any()},
            },
        },
    ).assign(stacked(votes, n_test))  # fmt: skip


def _measures(trained: Fitted, known: list[dict] | None, rows: np.ndarray, y: np.ndarray, pool: PoolSpec) -> dict:
    """Return the measures of the members, of their trees, and of their votes on `rows` with classes `y`."""
    model = trained.model
    if isinstance(model, Pool):
        known = [{name: getattr(m, name) for name in MEASURES_OF_MEMBERS} for m in model.members]
    elif known is None:
        known = [_tree_measures(model, trained.y)]
    if pool.training_error:
        decided = _outputs(model, trained.X, pool.ensemble_sizes)[0].argmax(axis=-1)
        for member, error in zip(known, (decided != trained.y).mean(axis=1), strict=True):
            member["training_error"] = float(error)
    if pool.diversity and isinstance(model, AlignedClassifier):
        votes = model.classes[model.estimator.tree_votes(rows)]
        known[0].update(zip(DIVERSITY, summarize_margins(votes, y), strict=True))
    return {name: [m.get(name, np.nan) for m in known] for name in MEASURES_OF_TRAINING}


def _tree_measures(model: AlignedClassifier | FittedRegressor, y: np.ndarray) -> dict[str, float]:
    """Return the measures of an estimator's trees, or of a linear machine."""
    measures = {"oob_error": oob_error(model.estimator, model.own_target(y))}
    measures |= machine_measures(model.estimator)
    counts = tree_complexity(model.estimator)
    if counts:
        measures |= {name: counts[name].mean() for name in TREES}
        measures["median_nodes"] = float(np.median(counts["n_nodes"]))
    return measures


def _outputs(
    model: AlignedClassifier | FittedRegressor | Pool, rows: np.ndarray, sizes: list[int]
) -> tuple[np.ndarray, list[dict[str, float]] | None]:
    """Return outputs (member, row, class), and measures of the members if the estimator has several outputs."""
    if isinstance(model, Pool):
        return model.outputs(rows), None
    if sizes:
        if isinstance(model.estimator, DummyClassifier):  # with one class, all sizes have the same outputs
            return np.stack([model.outputs(rows)] * len(sizes)), [{} for _ in sizes]
        stages: Iterator[np.ndarray] = model.staged(rows)
        by_size = {size: out for size, out in enumerate(stages, start=1) if size in sizes}
        return np.stack([by_size[size] for size in sizes]), [{} for _ in sizes]
    if isinstance(model, FittedRegressor) or not hasattr(model.estimator, "member_outputs"):
        return model.outputs(rows)[None], None
    outputs, measures = model.estimator.member_outputs(rows)
    return model.aligned(outputs), measures
