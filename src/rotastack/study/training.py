"""Train a learner on one training set of a series of splits, and let its members vote."""

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from rotastack.base.fitting import AlignedClassifier, fit_aligned, placed
from rotastack.ensembles.table import fitted_scaler, scaled_columns
from rotastack.ensembles.voters import voters_of
from rotastack.study.artifacts import Prepared

__all__ = ["MACHINES", "Ballots", "Fitted", "cast_votes", "fitted", "machine_facts", "stacked"]

MACHINES = ("iterations", "duality_gap", "training_disagreement")


@dataclass
class Fitted:
    """A learner trained on some rows, as a pool sees them.

    Attributes
    ----------
    model : AlignedClassifier
    scaler : fitted transformer or None
    categorical : ndarray of bool of shape (n_features,)
    X : ndarray of float32
        Training rows as the learner saw them: scaled, noise included.
    y : ndarray of int
        Their classes, noise included.
    seconds, processor_seconds : float
        Elapsed, and spent by the processor: the one that other jobs on the machine change little.
    """

    model: AlignedClassifier
    scaler: Any
    categorical: NDArray[np.bool_]
    X: NDArray[np.float32]
    y: NDArray[np.intp]
    seconds: float
    processor_seconds: float

    def seen(self, X: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return rows as the learner sees them."""
        return np.hstack(scaled_columns(X, self.categorical, self.scaler))


class Ballots(NamedTuple):
    """Votes of an ensemble's members after one training; class numbers are the data set's.

    Attributes
    ----------
    test, training : ndarray of int16 of shape (n_rows, n_voters)
    classes : ndarray of int of shape (n_training_rows,)
        Of training rows, noise included.
    out_of_bag : ndarray of bool of shape (n_training_rows, n_voters), or None
    weights : ndarray of shape (n_voters,)
    """

    test: NDArray[np.int16]
    training: NDArray[np.int16]
    classes: NDArray[np.intp]
    out_of_bag: NDArray[np.bool_] | None
    weights: NDArray[np.float64]


def fitted(
    learner: Any,
    data: Prepared,
    train: NDArray[np.intp],
    pool: dict,
    sequence: np.random.SeedSequence,
    noise: np.random.SeedSequence,
) -> Fitted:
    """Scale training rows, add the pool's noise, and train."""
    start, start_processor = time.perf_counter(), time.process_time()
    X, y = data.X[train], data.y[train]
    scaler = fitted_scaler(X, data.categorical, pool["scaling"])
    numeric, other = scaled_columns(X, data.categorical, scaler)
    rng = np.random.default_rng(noise)
    y = _other_labels(y, len(data.classes), pool["noise"].get("labels", 0), rng)
    spread = pool["noise"].get("features", 0)
    if spread:
        numeric = (numeric + spread * rng.standard_normal(numeric.shape)).astype(np.float32)
    ready = placed(learner, numeric.shape[1], other.shape[1], data.owners)
    rows = np.hstack([numeric, other])
    model = fit_aligned(ready, rows, y, len(data.classes), sequence)
    seconds, processor = time.perf_counter() - start, time.process_time() - start_processor
    return Fitted(model, scaler, data.categorical, rows, y, seconds, processor)


def _other_labels(y, n_classes, share, rng):
    """Give a share of the rows another class; the random numbers used do not depend on the share."""
    order, shift = rng.permutation(len(y)), rng.integers(1, max(n_classes, 2), len(y))
    chosen = order[: round(share * len(y))]
    noisy = y.copy()
    noisy[chosen] = (y[chosen] + shift[chosen]) % n_classes
    return noisy


def cast_votes(trained: Fitted, X: NDArray[np.float64], want_oob: bool) -> Ballots:
    """Return the votes of the ensemble's members on test rows `X` and on the training rows."""
    voters = voters_of(trained.model.estimator)
    classes = trained.model.classes.astype(np.int16)
    weights = voters.weights()
    return Ballots(
        classes[voters.votes(trained.seen(X))],
        classes[voters.votes(trained.X)],
        trained.y,
        voters.out_of_bag(len(trained.y)) if want_oob else None,
        np.full(len(voters), 1.0 / len(voters)) if weights is None else np.asarray(weights, dtype=np.float64),
    )


def machine_facts(estimator: Any) -> dict[str, float]:
    """Return what is known of a linear machine: of several classes the mean, and the largest gap."""
    machine = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    known = {
        "iterations": np.mean(getattr(machine, "n_iter_", np.nan)),
        "duality_gap": np.max(getattr(machine, "duality_gap_", np.nan)),
        "training_disagreement": getattr(machine, "disagreement_", np.nan),
    }
    return {name: float(value) for name, value in known.items()} if hasattr(machine, "duality_gap_") else {}


def stacked(ballots: list[Ballots], n_test: int) -> dict[str, Any]:
    """Return votes of several trainings as variables of a pool's file: -1 where a row or voter is not there."""
    if not ballots:
        return {}
    n, n_voters = len(ballots), max(len(b.weights) for b in ballots)
    n_training = max(len(b.classes) for b in ballots)
    test = np.full((n, n_test, n_voters), -1, dtype=np.int16)
    training = np.full((n, n_training, n_voters), -1, dtype=np.int16)
    out = np.zeros((n, n_training, n_voters), dtype=np.int8)
    classes = np.full((n, n_training), -1, dtype=np.int16)
    weights = np.full((n, n_voters), np.nan)
    for i, b in enumerate(ballots):
        rows, voters = slice(len(b.classes)), slice(len(b.weights))
        test[i, : len(b.test), voters] = b.test
        training[i, rows, voters] = b.training
        classes[i, rows] = b.classes
        weights[i, voters] = b.weights
        if b.out_of_bag is not None:
            out[i, rows, voters] = b.out_of_bag
    variables = {
        "votes": (("fold_group", "row", "voter"), test),
        "training_votes": (("fold_group", "training_row", "voter"), training),
        "training_classes": (("fold_group", "training_row"), classes),
        "voter_weights": (("fold_group", "voter"), weights),
    }
    if any(b.out_of_bag is not None for b in ballots):
        variables["out_of_bag"] = (("fold_group", "training_row", "voter"), out)
    return variables
