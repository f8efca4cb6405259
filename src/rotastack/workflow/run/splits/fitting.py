"""Train a pool on the training rows of one split, and let its members vote."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from rotastack.base.fitting import AlignedClassifier, FittedRegressor, fit_aligned, fit_regressor, set_up_columns
from rotastack.data.artifacts import Prepared
from rotastack.ensembles.pooled.pool import Pool, PoolOptions, Recipe, fit_pool
from rotastack.ensembles.rows import EstimatorInput
from rotastack.ensembles.table import fitted_scaler, scaled_columns
from rotastack.ensembles.voters import voters_of
from rotastack.trees.growing import TrainingRows
from rotastack.workflow.study.building import make
from rotastack.workflow.study.specs import SplitTrainingSpec


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


def machine_measures(estimator: Any) -> dict[str, float]:
    """Return the measures of a linear machine: means over its classes, and the largest duality gap."""
    machine = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    measures = {
        "iterations": np.mean(getattr(machine, "n_iter_", np.nan)),
        "duality_gap": np.max(getattr(machine, "duality_gap_", np.nan)),
        "training_disagreement": getattr(machine, "disagreement_", np.nan),
    }
    return {name: float(value) for name, value in measures.items()} if hasattr(machine, "duality_gap_") else {}
