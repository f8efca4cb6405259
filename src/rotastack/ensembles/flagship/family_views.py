"""The views of the families' trees: each view is fitted to the rows in the bag of its tree."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rotastack.blas import one_blas_thread
from rotastack.ensembles.flagship.families import TreeFamily
from rotastack.ensembles.flagship.training_rows import TrainingRows
from rotastack.seeds import child, integer_seed
from rotastack.trees.bagged_views import BaggedViews
from rotastack.trees.bags import Bags, kernel_seeds, tree_seeds
from rotastack.trees.growing import TreeGroup
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.missing import column_means, missing_columns

__all__ = ["candidates", "tree_groups"]

SHRINKAGE = 0.5
"""Weight of the identity matrix in the within-class scatter of discriminants."""


def tree_groups(
    families: Sequence[TreeFamily],
    n_trees: int,
    rows: TrainingRows,
    sequence: np.random.SeedSequence,
    n_jobs: int | None = None,
) -> list[TreeGroup]:
    """Return tree groups for :func:`rotastack.trees.grow_forest`; each view is fitted to the rows in its tree's bag.

    Views weigh all rows in a bag alike, however often a row is drawn.

    Parameters
    ----------
    families : sequence of TreeFamily
    n_trees : int
        Number of trees of each family.
    rows : TrainingRows
    sequence : numpy.random.SeedSequence
        The forest's sequence, so that views and trees have the same bags. Part i of family f is seeded by
        ``child(sequence, "views", f, i)``.
    n_jobs : int, optional
        Threads over trees.
    """
    bags, n_features = rows.bags(), rows.X.shape[1]
    bagged = BaggedViews.of(rows.X, rows.codes, int(rows.codes.max()) + 1, bags, n_jobs)
    groups = []
    for f, family in enumerate(families):
        views, width = None, n_features
        if family.parts != ("identity",):
            seeds = tree_seeds(sequence, f, n_trees)
            parts = [
                _views(part, rows, bags, bagged, seeds, child(sequence, "views", f, i))
                for i, part in enumerate(family.parts)
            ]
            views = parts[0].beside(*parts[1:])
            width = int(views.widths().min())
        n_columns = candidates(family.max_features, n_features, width)
        groups.append(TreeGroup(n_trees, views, family.splitter, n_columns, name=family.name))
    return groups


def candidates(max_features, n_features: int, width: int):
    """Return `max_features` for the kernel; a number is at most `width`, the width of the narrowest view."""
    if max_features == "sqrt":
        return min(max(1, int(np.sqrt(n_features))), width)
    return min(int(max_features), width) if isinstance(max_features, Integral) else max_features


def _views(
    part: Any, rows: TrainingRows, bags: Bags, bagged: BaggedViews, seeds: NDArray[np.uint64],
    sequence: np.random.SeedSequence,
) -> LinearViews:  # fmt: skip
    """Return the views of a part of a family, one for each tree's seed."""
    own = kernel_seeds(sequence, len(seeds))
    match part:
        case "identity":
            return LinearViews.identity(rows.X.shape[1])
        case "discriminants":
            return bagged.discriminants(seeds, own, shrinkage=SHRINKAGE)
        case "principal":
            return bagged.principal(seeds, own)
        case "sparse":
            return bagged.sparse(own)
    return _fitted(part, rows.X, rows.codes, bags, seeds, sequence)


def _fitted(
    view: Any, data: NDArray[np.float32], codes: NDArray[np.integer], bags: Bags, seeds: NDArray[np.uint64],
    sequence: np.random.SeedSequence,
) -> LinearViews:  # fmt: skip
    """Return clones of a view, each fitted to the distinct rows in a bag; means in the bag replace missing values."""
    names = [k for k in view.get_params() if k.split("__")[-1] == "random_state"]
    blocks, fills = [], []
    missing = missing_columns(data)
    with one_blas_thread():
        for k, seed in enumerate(seeds):
            rows = np.unique(bags.drawn(seed))
            X = data[rows]
            if len(missing):
                fills.append(column_means(X, missing))
                X = np.where(np.isnan(X), fills[-1], X)
            random_state = integer_seed(child(sequence, k))
            seeded = clone(view).set_params(**dict.fromkeys(names, random_state))
            try:
                parts = seeded.fit(X.astype(np.float64), codes[rows]).linear_parts()
            except ValueError:
                if np.ptp(codes[rows]) > 0:
                    raise
                parts = [(np.arange(data.shape[1]), None)]  # the bag has one class, and the view may need two
            blocks.append(list(parts))
    views = LinearViews.blocks(blocks, data.shape[1])
    return views.filled(np.stack(fills)) if fills else views
