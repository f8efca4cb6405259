"""The trainings of a pool on splits, with its outputs for the test rows of each split, and the votes of its members."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

from rotastack.base.fitting import AlignedClassifier, FittedRegressor, fit_aligned, fit_regressor, set_up_columns
from rotastack.base.outputs import check_numbers
from rotastack.data.artifacts import Prepared
from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.diagnostics.margin import summarize_margins
from rotastack.ensembles.pooled.pool import Pool, PoolOptions, Recipe, fit_pool
from rotastack.ensembles.rows import EstimatorInput, estimator_input
from rotastack.ensembles.table import fitted_scaler, scaled_columns
from rotastack.ensembles.voters import voters_of
from rotastack.seeds import child, root_sequence
from rotastack.trees.growing import TrainingRows
from rotastack.workflow.run.folds import masks
from rotastack.workflow.run.job import Trained
from rotastack.workflow.study.building import make, make_estimator
from rotastack.workflow.study.names import MEASURES_OF_MEMBERS, MEASURES_OF_TRAINING, name_of
from rotastack.workflow.study.specs import PoolSpec, SplitTrainingSpec

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
    """Return arrays for outputs, with axes (split, member, row, class), and measures, all missing.

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
            "split": np.array([name_of("S", s) for s in splits], dtype=object),
            "member": members,
            "class": table.outputs,
        },
        attrs={"metrics": {"members": len(members), "trainings": len(splits)}},
    )


def _splits(spec: SplitTrainingSpec, folds: pd.DataFrame) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return the block's splits: number -> masks of the test rows and the training rows."""
    numbers = [s for s in spec.splits if s < min(spec.repeats, folds.shape[1])]
    return {s: masks("splits", folds[name_of("S", s)].to_numpy())[0] for s in numbers}


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
        check_numbers(outputs, spec.pool.estimator, table.n_classes)
        arrays = {"proba": outputs} | _measures(trained, known, columns, table.y[test], spec.pool)
        votes = cast_votes(trained, ready.X[test], spec.selections) if spec.selections else {}
        yield Trained((i,), arrays, dict(zip(SECONDS, np.diff(times, axis=0).reshape(-1, 1), strict=True)), votes)


@dataclass
class Fitted:
    """A pool trained on the training rows of a split."""

    model: AlignedClassifier | FittedRegressor | Pool
    options: PoolOptions  # of the estimator's input
    scaler: Any  # fitted, or None
    X: NDArray[np.floating]  # the training rows, scaled and with noise
    y: NDArray  # their targets, with noise

    def columns_for(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return rows in the form that the model needs."""
        if self.options.categorical is None:
            return X
        return np.hstack(scaled_columns(X, self.options.categorical, self.scaler))


def fitted(
    ready: EstimatorInput,
    table: Prepared,
    train: NDArray[np.intp],
    spec: SplitTrainingSpec,
    sequence: np.random.SeedSequence,
    noise: np.random.SeedSequence,
    views: np.random.SeedSequence,
) -> Fitted:
    """Scale the training rows, add the pool's noise, and train the estimator, or a member for each view."""
    pool, options = spec.pool, ready.options
    X, y = ready.X[train], table.y[train]
    rng = np.random.default_rng(noise)
    if table.n_classes is not None:
        y = _other_labels(y, table.n_classes, pool.noise.labels, rng)
    scaler, spread, n_other = None, pool.noise.features, 0
    if options.categorical is None:
        if spread:  # the noise is as large as in columns scaled to [0, 1]
            numeric = X[:, ~table.is_category]
            width = np.nanmax(numeric, axis=0) - np.nanmin(numeric, axis=0)
            X[:, ~table.is_category] += spread * width * rng.standard_normal(numeric.shape)
        estimator = ready.estimator
    else:
        scaler = fitted_scaler(X, options.categorical, pool.scaling)
        numeric, other = scaled_columns(X, options.categorical, scaler)
        if spread:
            numeric = (numeric + spread * rng.standard_normal(numeric.shape)).astype(np.float32)
        X, n_other = np.hstack([numeric, other]), other.shape[1]
        estimator = set_up_columns(ready.estimator, numeric.shape[1], n_other)
    groups = None if table.groups is None else table.groups[train]
    model: AlignedClassifier | FittedRegressor | Pool
    if pool.view is None:
        if table.n_classes is None:
            model = fit_regressor(estimator, X, y, sequence, intervals=options.intervals, groups=groups)
        else:
            model = fit_aligned(estimator, X, y, table.n_classes, sequence, groups=groups)
    else:
        view = make(pool.view)
        recipes = [Recipe(view if k else None, ready.estimator, "view") for k in range(spec.rotations)]
        is_other = np.arange(X.shape[1]) >= X.shape[1] - n_other
        rows = TrainingRows(X, y, table.n_classes)
        model = fit_pool(rows, recipes, PoolOptions(None, is_other, intervals=options.intervals), sequence, views)
    return Fitted(model, options, scaler, X, y)


def _other_labels(y, n_classes, share, rng):
    """Return `y` with another class for a share of the rows; the random numbers do not depend on the share."""
    order, shift = rng.permutation(len(y)), rng.integers(1, max(n_classes, 2), len(y))
    chosen = order[: round(share * len(y))]
    noisy = y.copy()
    noisy[chosen] = (y[chosen] + shift[chosen]) % n_classes
    return noisy


def cast_votes(trained: Fitted, X: NDArray[np.float64], selections: Sequence[str]) -> dict[str, NDArray]:
    """Return the votes of the ensemble's members on test rows `X` and on the training rows, as the numbers of classes.

    `selections` name the rows by which methods choose members: "oob" needs members with bags, "auto" does not.
    """
    assert isinstance(trained.model, AlignedClassifier)
    voters = voters_of(trained.model.estimator)
    classes = trained.model.classes.astype(
        np.promote_types(np.int16, np.min_scalar_type(-1 - trained.model.classes.max()))
    )
    weights = voters.weights()
    out_of_bag = np.zeros((0, 0), dtype=bool)
    if {"oob", "auto"} & set(selections):
        try:
            out_of_bag = voters.out_of_bag(len(trained.y))
        except ValueError:
            if "oob" in selections:
                raise
    return {
        "votes": classes[voters.votes(trained.columns_for(X))],
        "training_votes": classes[voters.votes(trained.X)],
        "training_classes": trained.y.astype(classes.dtype),
        "voter_weights": np.full(len(voters), 1.0 / len(voters))
        if weights is None
        else np.asarray(weights, dtype=np.float64),
        "out_of_bag": out_of_bag,
    }


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
    """Return the measures of an estimator's trees, or of a linear machine: means over its classes, and the largest gap."""
    measures = {"oob_error": oob_error(model.estimator, model.own_target(y))}
    machine = model.estimator[-1] if isinstance(model.estimator, Pipeline) else model.estimator
    if hasattr(machine, "duality_gap_"):
        measures["iterations"] = float(np.mean(getattr(machine, "n_iter_", np.nan)))
        measures["duality_gap"] = float(np.max(machine.duality_gap_))
        measures["training_disagreement"] = float(getattr(machine, "disagreement_", np.nan))
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
