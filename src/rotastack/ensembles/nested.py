"""Train a pool for every pair of held-out folds (thesis, section 3.3.1)."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rotastack.ensembles.pool import Pool, Recipe, fit_pool
from rotastack.seeds import child

__all__ = ["nested_outputs"]


def nested_outputs(
    X: NDArray[np.floating],
    y: NDArray[np.integer],
    n_classes: int,
    folds: NDArray[np.integer],
    pairs: Sequence[tuple[int, int]],
    recipes: Sequence[Recipe],
    sequence: np.random.SeedSequence,
    *,
    on_pool: Callable[[tuple[int, int], Pool], None] | None = None,
    **pool_options,
) -> NDArray[np.float32]:
    """Train the pool without each pair of folds, and predict the rows of both.

    Parameters
    ----------
    X, y, n_classes, recipes
        As in :func:`rotastack.ensembles.pool.fit_pool`.
    folds : ndarray of shape (n_rows,)
        Fold number of each row.
    pairs : sequence of (int, int)
        Folds to hold out together; (a, a) holds out one. See ``nested_pairs``.
    sequence : numpy.random.SeedSequence
        The pool of pair (a, b) is seeded by ``child(sequence, a, b)``, the view of member k
        by ``child(sequence, "views", k)``: a member draws the same view for all pairs.
    on_pool : callable, optional
        Called with each pair and its fitted pool.
    **pool_options
        Passed to ``fit_pool``.

    Returns
    -------
    ndarray of shape (n_folds, n_members, n_rows, n_classes)
        ``[b, k, i]`` is what member k trained without fold b and the fold of row i says of
        row i; NaN for pairs that are not in `pairs`.
    """
    n_folds = int(folds.max()) + 1
    views = child(sequence, "views")
    outputs = np.full((n_folds, len(recipes), len(y), n_classes), np.nan, dtype=np.float32)
    for a, b in pairs:
        in_a, in_b = folds == a, folds == b
        train = ~(in_a | in_b)
        pool = fit_pool(
            X[train], y[train], n_classes, recipes, child(sequence, a, b), views=views, **pool_options
        )
        held = np.flatnonzero(~train)
        predicted = pool.outputs(X[held], n_jobs=pool_options.get("n_jobs"))
        outputs[b][:, in_a] = predicted[:, in_a[held]]
        outputs[a][:, in_b] = predicted[:, in_b[held]]
        if on_pool is not None:
            on_pool((a, b), pool)
    return outputs
