"""Train a pool on splits, and store its outputs for the test rows of each split."""

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.dummy import DummyClassifier

from rotastack.base.fitting import AlignedClassifier, FittedRegressor
from rotastack.data.artifacts import Prepared
from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.diagnostics.margin import summarize_margins
from rotastack.ensembles.pooled.pool import Pool
from rotastack.ensembles.rows import estimator_input
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Trained, check_numbers
from rotastack.workflow.run.splits.fitting import Fitted, cast_votes, fitted, machine_measures
from rotastack.workflow.run.splits.folds import masks
from rotastack.workflow.study.building import make_estimator
from rotastack.workflow.study.names import MEASURES_OF_MEMBERS, MEASURES_OF_TRAINING, label
from rotastack.workflow.study.specs import PoolSpec, SplitTrainingSpec

AXES = ("split",)
TREES, DIVERSITY = MEASURES_OF_TRAINING[:3], MEASURES_OF_TRAINING[-4:]
SECONDS = ("fit_seconds", "fit_processor_seconds", "predict_seconds", "predict_processor_seconds")
"""Other jobs on the machine change the seconds of processors little."""

VOTES = {
    "votes": ("split", "row", "voter"),
    "training_votes": ("split", "training_row", "voter"),
    "training_classes": ("split", "training_row"),
    "voter_weights": ("split", "voter"),
    "out_of_bag": ("split", "training_row", "voter"),
}
"""Variables of a pool's file with the votes of members -> axes."""


def untrained(spec: SplitTrainingSpec, table: Prepared, folds: pd.DataFrame) -> xr.Dataset:
    """Return outputs with axes (split, member, row, class), all missing, and measures.

    The rows are the test rows of each split, whose numbers are in ``rows`` (-1 fills up smaller test sets). Members are
    views, ensemble sizes, or the outputs of an estimator that has several, such as one for each weighting.
    """
    splits = _splits(spec, folds)
    members = spec.members if spec.pool.view is None else [str(k + 1) for k in range(spec.rotations)]
    shape = len(splits), len(members)
    rows = np.full((len(splits), max((test.sum() for test, _ in splits.values()), default=0)), -1, dtype=np.int32)
    for row, (test, _) in zip(rows, splits.values(), strict=True):
        row[: test.sum()] = np.flatnonzero(test)
    size = (*shape, rows.shape[1], len(table.outputs))
    return xr.Dataset(
        {
            "proba": (("split", "member", "row", "class"), np.full(size, np.nan, table.precision)),
            "rows": (("split", "row"), rows),
            **{name: (("split", "member"), np.full(shape, np.nan)) for name in MEASURES_OF_TRAINING},
        },
        coords={
            "split": np.array([label("S", s) for s in splits], dtype=object),
            "member": members,
            "class": table.outputs,
        },
        attrs={"metrics": {"members": len(members), "trainings": len(splits)}},
    )


def _splits(spec: SplitTrainingSpec, folds: pd.DataFrame) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return the block's splits: number -> masks of the test rows and the training rows."""
    numbers = [s for s in spec.splits if s < min(spec.repeats, folds.shape[1])]
    return {s: next(masks(folds[label("S", s)].to_numpy())) for s in numbers}


def trainings(
    spec: SplitTrainingSpec, table: Prepared, folds: pd.DataFrame, rotations: None, n_jobs: int
) -> Iterator[Trained]:
    """Yield the outputs and measures of each split, and if a method chooses among an ensemble's members, their votes.

    In split s the estimator has the seed ("train", dataset, pool, s), noise ("noise", dataset, s), and views ("views",
    dataset, s, member).
    """
    root = root_sequence(spec.seed)
    seeds, *drawn = (child(root, *key, spec.dataset) for key in (("train",), ("noise",), ("views",)))
    ready = estimator_input(make_estimator(spec.pool, n_jobs), table, spec.pool)
    for i, (s, (test, train)) in enumerate(_splits(spec, folds).items()):
        ready = ready.encoded(table, train)
        times = [_times()]
        sequences = [child(seeds, spec.name, s), *(child(each, s) for each in drawn)]
        trained = fitted(ready, table, train, spec, *sequences)
        times.append(_times())
        columns = trained.columns_for(ready.X[test])
        outputs, known = _outputs(trained.model, columns, spec.pool.ensemble_sizes)
        times.append(_times())
        check_numbers(outputs, spec.pool.estimator, table.task)
        arrays = {"proba": outputs} | _measures(trained, known, columns, table.y[test], spec.pool)
        votes = cast_votes(trained, ready.X[test], spec.selections) if spec.selections else {}
        yield Trained((i,), arrays, dict(zip(SECONDS, np.diff(times, axis=0).reshape(-1, 1), strict=True)), votes)


def _times() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


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
    return {name: np.array([m.get(name, np.nan) for m in known]) for name in MEASURES_OF_TRAINING}


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
