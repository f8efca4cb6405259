"""Training of a pool for each pair of held-out folds (thesis, section 3.3.1)."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rotastack.base.outputs import NUMBERS
from rotastack.base.row_weights import weights_of
from rotastack.base.view import depends_on_rows
from rotastack.ensembles.pooled.pool import Pool, Recipe, fit_pool, grows_together, linear_views, members_of
from rotastack.seeds import child

__all__ = ["nested_outputs"]


def nested_outputs(
    X: NDArray[np.floating],
    y: NDArray,
    n_classes: int | None,
    folds: NDArray[np.integer],
    pairs: Sequence[tuple[int, int]],
    recipes: Sequence[Recipe],
    sequence: np.random.SeedSequence,
    *,
    on_pool: Callable[[tuple[int, int], Pool], None] | None = None,
    keep: bool = False,
    views: np.random.SeedSequence | None = None,
    weights: NDArray[np.float64] | None = None,
    without: NDArray[np.bool_] | None = None,
    **pool_options,
) -> NDArray[np.floating]:
    """Train a pool without each pair of folds, and return its outputs for the rows of both folds.

    Parameters
    ----------
    X, y, n_classes, recipes
        As in :func:`rotastack.ensembles.pooled.pool.fit_pool`.
    folds : ndarray of shape (n_rows,)
        Fold number of each row.
    pairs : sequence of (int, int)
        Pairs of folds that are held out together; (a, a) holds out a single fold. See ``nested_pairs``.
    sequence : numpy.random.SeedSequence
        The pool of pair (a, b) is seeded by ``child(sequence, a, b)``.
    views : numpy.random.SeedSequence, optional
        The view of member k is seeded by ``child(views, k)``, so a member draws the same view for all pairs.
        The default is ``child(sequence, "views")``.
    on_pool : callable, optional
        Function that is called with each pair and its fitted pool.
    keep : bool
        Whether the pools given to `on_pool` must be able to predict. If False, forests of the compiled
        kernel are grown for all pairs in one call and deleted. The outputs are equal; the time of
        prediction then counts as time of training.
    weights : ndarray of shape (n_rows,), optional
        As in ``fit_pool``.
    without : ndarray of bool of shape (n_folds, n_rows), optional
        Mask of the training rows for each held-out fold; the default is all rows of other folds.
    **pool_options
        Further arguments of ``fit_pool``.

    Returns
    -------
    ndarray of shape (n_folds, n_members, n_rows, n_classes)
        ``[b, k, i]`` is the output for row i of member k trained without fold b and the fold of row i; NaN for pairs
        that are not in `pairs`. A regression has one output instead of n_classes, or three with ``intervals``.
    """
    n_folds = int(folds.max()) + 1
    without = folds != np.arange(n_folds)[:, None] if without is None else without
    views = child(sequence, "views") if views is None else views
    if n_classes is None:  # float64, because predictions may differ by a small part of their size
        width, kind = len(NUMBERS) if pool_options.get("intervals") else 1, np.float64
    else:
        width, kind = n_classes, np.float32
    outputs = np.full((n_folds, len(recipes), len(y), width), np.nan, dtype=kind)
    same_views = not any(depends_on_rows(r.view) for r in recipes)
    alike = n_classes is not None and weights is None and not pool_options.get("bootstrap")
    if same_views and not keep and grows_together(recipes) and alike:
        for of_other_estimators in ("as_is", "intervals"):
            pool_options.pop(of_other_estimators, None)
        _grow_all(X, y, n_classes, folds, without, pairs, recipes, sequence, views, outputs, on_pool, **pool_options)
        return outputs
    first = None
    for a, b in pairs:
        in_a, in_b = folds == a, folds == b
        train = without[a] & without[b]
        pool = fit_pool(
            X[train], y[train], n_classes, recipes, child(sequence, a, b),
            views=views, weights=weights_of(weights, train), **pool_options,
        )  # fmt: skip
        trees = getattr(pool.forests, "trees", None)
        if same_views and trees is not None:  # all pools share one object, which saves memory
            first = trees.views if first is None else first
            trees.views = first
        held = np.flatnonzero(~train)
        predicted = pool.outputs(X[held], n_jobs=pool_options.get("n_jobs"))
        outputs[b][:, in_a] = predicted[:, in_a[held]]
        outputs[a][:, in_b] = predicted[:, in_b[held]]
        if on_pool is not None:
            on_pool((a, b), pool)
    return outputs


def _grow_all(
    X, y, n_classes, folds, without, pairs, recipes, sequence, views, outputs, on_pool,
    scaler=None, categorical=None, bootstrap=False, n_jobs=None,
):  # fmt: skip
    """Grow the forests of all pairs and members in one call, and write the outputs to `outputs`."""
    start = time.perf_counter()
    if categorical is None:
        categorical = np.zeros(X.shape[1], dtype=bool)
    training = np.array([without[a] & without[b] for a, b in pairs])
    pools = []
    copies = []
    for rows in training if scaler is not None else training[:1]:
        fitted = scaler
        if scaler is not None and not categorical.all():
            fitted = clone(scaler).fit(X[rows][:, ~categorical])
        pools.append(Pool([], fitted, categorical, n_classes))
        copies.append(np.hstack(pools[-1].scaled(X)))
    n_other = int(categorical.sum())
    numeric = copies[0][:, : X.shape[1] - n_other]
    fitted_views, parts = zip(*linear_views(recipes, numeric, y, n_other, views), strict=True)
    forests = recipes[0].estimator.grow_members(
        np.stack(copies), y, n_classes, parts, [child(sequence, a, b) for a, b in pairs],
        training=training, keep=False, n_jobs=n_jobs,
    )  # fmt: skip
    seconds = (time.perf_counter() - start) / len(pairs)
    for s, (a, b) in enumerate(pairs):
        outputs[b][:, folds == a] = forests.held_out[s][:, folds == a]
        outputs[a][:, folds == b] = forests.held_out[s][:, folds == b]
        if on_pool is not None:
            pool = pools[s if len(pools) > 1 else 0]
            pool.members = members_of(forests, s, fitted_views, seconds)
            pool.predict_seconds = np.zeros(len(recipes))
            on_pool((a, b), pool)
