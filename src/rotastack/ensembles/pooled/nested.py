"""Training of a pool for each pair of held-out folds (thesis, section 3.3.1)."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rotastack.base.outputs import NUMBERS
from rotastack.base.row_weights import weights_of
from rotastack.base.view import depends_on_rows
from rotastack.ensembles.pooled.pool import (
    Pool,
    Recipe,
    fit_pool,
    grows_together,
    linear_views,
    members_of,
    unfitted_pool,
)
from rotastack.seeds import child


def nested_outputs(
    X: NDArray[np.floating], y: NDArray, n_classes: int | None, folds: NDArray[np.integer], pairs: Sequence[tuple[int, int]],
    recipes: Sequence[Recipe], sequence: np.random.SeedSequence, *,
    on_pool: Callable[[tuple[int, int], Pool], None] = lambda pair, pool: None, keep: bool = False,
    views: np.random.SeedSequence | None = None, weights: NDArray[np.float64] | None = None,
    without: NDArray[np.bool_] | None = None, **pool_options,
) -> NDArray[np.floating]:  # fmt: skip
    """Train a pool without each pair of folds, and return its outputs for the rows of both folds.

    The result has the shape (n_folds, n_members, n_rows, n_classes): ``[b, k, i]`` is the output for row i of member k
    trained without fold b and the fold of row i; NaN for pairs that are not in `pairs`. A regression has one output
    instead of n_classes, or three with ``intervals``. Other arguments are those of ``fit_pool``.

    A pair (a, a) holds out a single fold, see ``nested_pairs``. The pool of pair (a, b) is seeded by
    ``child(sequence, a, b)``, and the view of member k by ``child(views, k)``, so a member draws the same view for all
    pairs. Rows of `without` (fold, row) are trained on if the fold is held out; by default all rows of other folds.
    `on_pool` is called with each pair and its pool. If the pools need not predict (`keep` is False), forests of the
    compiled kernel are grown for all pairs in one call and deleted. The outputs are equal; the time of prediction then
    counts as time of training.
    """
    n_folds = int(folds.max()) + 1
    without = folds != np.arange(n_folds)[:, None] if without is None else without
    views = child(sequence, "views") if views is None else views
    if n_classes is None:  # float64, because predictions may differ by a small part of their size
        width, kind = len(NUMBERS) if pool_options.get("intervals") else 1, np.float64
    else:
        width, kind = n_classes, np.float32
    outputs = np.full((n_folds, len(recipes), len(y), width), np.nan, dtype=kind)

    def store(a: int, b: int, held_out: NDArray, pool: Pool) -> None:
        """Store outputs for all rows, of which those of folds a and b count."""
        outputs[b][:, folds == a] = held_out[:, folds == a]
        outputs[a][:, folds == b] = held_out[:, folds == b]
        on_pool((a, b), pool)

    same_views = not any(depends_on_rows(r.view) for r in recipes)
    bootstrap = pool_options.get("bootstrap", False)
    if same_views and not keep and grows_together(recipes, n_classes, bootstrap, weights):
        sequences = [child(sequence, a, b) for a, b in pairs]
        training = np.array([without[a] & without[b] for a, b in pairs])
        options = {name: pool_options.get(name) for name in ("scaler", "categorical", "n_jobs")}
        grown = _grow_all(X, y, n_classes, training, recipes, sequences, views, **options)
        for (a, b), (held_out, pool) in zip(pairs, grown, strict=True):
            store(a, b, held_out, pool)
        return outputs
    first = None
    for a, b in pairs:
        train = without[a] & without[b]
        pool = fit_pool(
            X[train], y[train], n_classes, recipes, child(sequence, a, b),
            views=views, weights=weights_of(weights, train), **pool_options,
        )  # fmt: skip
        trees = getattr(pool.forests, "trees", None)
        if same_views and trees is not None:  # all pools share one object, which saves memory
            first = trees.views if first is None else first
            trees.views = first
        held_out = np.empty(outputs.shape[1:], dtype=kind)
        held_out[:, ~train] = pool.outputs(X[~train], n_jobs=pool_options.get("n_jobs"))
        store(a, b, held_out, pool)
    return outputs


def held_out_outputs(outputs: NDArray[np.floating], folds: NDArray[np.integer]) -> NDArray[np.floating]:
    """Return, for each row, the outputs (member, row, output) of members trained without the row's fold alone."""
    held_out = np.empty_like(outputs[0])
    for fold in range(len(outputs)):
        held_out[:, folds == fold] = outputs[fold][:, folds == fold]
    return held_out


def _grow_all(X, y, n_classes, training, recipes, sequences, views, scaler, categorical, n_jobs):
    """Grow the forests of all training sets and members in one call; yield the outputs and the pool of each set."""
    start = time.perf_counter()
    if categorical is None:
        categorical = np.zeros(X.shape[1], dtype=bool)
    each = training if scaler is not None else training[:1]
    pools = [unfitted_pool(X[rows], scaler, categorical, n_classes) for rows in each]
    tables = np.stack([np.hstack(pool.scaled(X)) for pool in pools])
    n_other = int(categorical.sum())
    n_numeric = X.shape[1] - n_other
    kept, parts = zip(*linear_views(recipes, tables[0][:, :n_numeric], y, n_other, views), strict=True)
    forests = recipes[0].estimator.grow_members(
        tables, y, n_classes, parts, sequences, training=training, keep=False, n_jobs=n_jobs
    )
    seconds = (time.perf_counter() - start) / len(training)
    for s, held_out in enumerate(forests.held_out):
        pool = pools[s if len(pools) > 1 else 0]
        pool.members = members_of(forests, s, kept, seconds, n_numeric)
        pool.predict_seconds = np.zeros(len(recipes))
        yield held_out, pool
