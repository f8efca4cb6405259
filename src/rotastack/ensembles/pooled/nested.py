"""Training of a pool for each pair of held-out folds (thesis, section 3.3.1)."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import NUMBERS
from rotastack.base.view import depends_on_rows
from rotastack.ensembles.pooled.pool import (
    Pool,
    PoolOptions,
    Recipe,
    fit_pool,
    grows_together,
    linear_views,
    members_of,
    unfitted_pool,
)
from rotastack.seeds import child
from rotastack.trees.growing import TrainingRows


class HeldOut(NamedTuple):
    """The rows that trainings hold out: those of two folds, or of a single fold a in a pair (a, a)."""

    folds: NDArray[np.integer]  # (n_rows,)
    pairs: Sequence[tuple[int, int]]  # see ``nested_pairs``
    without: NDArray[np.bool_] | None = None  # (fold, row): trained on if the fold is held out; None: all other rows

    def training(self, a: int, b: int) -> NDArray[np.bool_]:
        """Return the mask of the rows to train on if folds a and b are held out."""
        if self.without is None:
            return (self.folds != a) & (self.folds != b)
        return self.without[a] & self.without[b]


def nested_outputs(
    rows: TrainingRows,
    held_out: HeldOut,
    recipes: Sequence[Recipe],
    options: PoolOptions,
    sequence: np.random.SeedSequence,
    *,
    views: np.random.SeedSequence | None = None,
    on_pool: Callable[[tuple[int, int], Pool], None] = lambda pair, pool: None,
    keep: bool = False,
) -> NDArray[np.floating]:
    """Train a pool without each pair of folds, and return its outputs for the rows of both folds.

    The result has the shape (n_folds, n_members, n_rows, n_classes): ``[b, k, i]`` is the output for row i of member k
    trained without fold b and the fold of row i; NaN for pairs that are not in ``held_out.pairs``. A regression has one
    output instead of n_classes, or three with ``intervals``.

    The pool of pair (a, b) is seeded by ``child(sequence, a, b)``, and the view of member k by ``child(views, k)``, so a
    member draws the same view for all pairs. `on_pool` is called with each pair and its pool. If the pools need not
    predict (`keep` is False), forests of the compiled kernel are grown for all pairs in one call and deleted. The outputs
    are equal; the time of prediction then counts as time of training.
    """
    folds, pairs = held_out.folds, held_out.pairs
    views = child(sequence, "views") if views is None else views
    if rows.n_classes is None:  # float64, because predictions may differ by a small part of their size
        width, kind = len(NUMBERS) if options.intervals else 1, np.float64
    else:
        width, kind = rows.n_classes, np.float32
    outputs = np.full((int(folds.max()) + 1, len(recipes), len(folds), width), np.nan, dtype=kind)
    together = not keep and grows_together(recipes, rows, options) and not _depend_on_rows(recipes)
    train = _grow_all if together else _fit_each
    for (a, b), (found, pool) in zip(pairs, train(rows, held_out, recipes, options, sequence, views), strict=True):
        outputs[b][:, folds == a] = found[:, folds == a]
        outputs[a][:, folds == b] = found[:, folds == b]
        on_pool((a, b), pool)
    return outputs


def _depend_on_rows(recipes: Sequence[Recipe]) -> bool:
    return any(depends_on_rows(recipe.view) for recipe in recipes)


def held_out_outputs(outputs: NDArray[np.floating], folds: NDArray[np.integer]) -> NDArray[np.floating]:
    """Return, for each row, the outputs (member, row, output) of members trained without the row's fold alone."""
    held_out = np.empty_like(outputs[0])
    for fold in range(len(outputs)):
        held_out[:, folds == fold] = outputs[fold][:, folds == fold]
    return held_out


_Found = Iterator[tuple[NDArray[np.floating], Pool]]
"""Outputs (member, row, output), of which those for held-out rows count, and the pool of each training."""


def _fit_each(
    rows: TrainingRows,
    held_out: HeldOut,
    recipes: Sequence[Recipe],
    options: PoolOptions,
    sequence: np.random.SeedSequence,
    views: np.random.SeedSequence,
) -> _Found:
    """Train the pools one after the other."""
    first = None
    for a, b in held_out.pairs:
        training = held_out.training(a, b)
        pool = fit_pool(rows.take(training), recipes, options, child(sequence, a, b), views)
        trees = getattr(pool.grown, "trees", None)
        if trees is not None and not _depend_on_rows(recipes):  # all pools share one object, which saves memory
            first = trees.views if first is None else first
            trees.views = first
        outputs = pool.outputs(rows.X[~training], n_jobs=options.n_jobs)
        found = np.empty((len(outputs), len(training), outputs.shape[2]), outputs.dtype)
        found[:, ~training] = outputs
        yield found, pool


def _grow_all(
    rows: TrainingRows,
    held_out: HeldOut,
    recipes: Sequence[Recipe],
    options: PoolOptions,
    sequence: np.random.SeedSequence,
    views: np.random.SeedSequence,
) -> _Found:
    """Grow the forests of all training sets and members in one call."""
    start = time.perf_counter()
    training = np.array([held_out.training(a, b) for a, b in held_out.pairs])
    each = training if options.scaler is not None else training[:1]
    pools = [unfitted_pool(rows.X[mine], rows.n_classes, options) for mine in each]
    parts_of = [pool.scaled(rows.X) for pool in pools]
    (numeric, other), *_ = parts_of
    kept, parts = zip(*linear_views(recipes, numeric, rows.target, other.shape[1], views), strict=True)
    sequences = [child(sequence, a, b) for a, b in held_out.pairs]
    grown = recipes[0].estimator.grow_members(
        replace(rows, X=np.stack([np.hstack(both) for both in parts_of])), parts, sequences, training, options.n_jobs
    )
    seconds = (time.perf_counter() - start) / len(training)
    for s, outputs in enumerate(grown.held_out):
        pool = pools[s if len(pools) > 1 else 0]
        pool.members = members_of(grown, s, kept, seconds, numeric.shape[1])
        pool.predict_seconds = np.zeros(len(recipes))
        yield outputs, pool
