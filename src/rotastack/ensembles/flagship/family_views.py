"""The views of the families' trees: each view is fitted to the rows in a bag, that of its tree if the tree has one."""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rotastack.blas import one_blas_thread
from rotastack.ensembles.flagship.families import TreeFamily
from rotastack.ensembles.flagship.family_rows import FamilyRows
from rotastack.seeds import child, integer_seed, kernel_seeds
from rotastack.trees.bagged_views import BaggedViews
from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.growing import TreeGroup
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.missing import column_means, missing_columns

SHRINKAGE = 0.5
"""Weight of the identity matrix in the within-class scatter of discriminants."""


def tree_groups(
    families: Sequence[TreeFamily], n_trees: int, rows: FamilyRows, sequence: np.random.SeedSequence,
    n_jobs: int | None = None,
) -> list[TreeGroup]:  # fmt: skip
    """Return a group of `n_trees` trees for each family; each view is fitted to the distinct rows in a bag.

    `sequence` is the forest's; if its trees have bags, these are the views' bags. Part i of family f is seeded by
    ``child(sequence, "views", f, i)``.
    """
    bags, n_features = rows.bags(), rows.X.shape[1]
    bagged = BaggedViews.of(rows.X, rows.codes, int(rows.codes.max()) + 1, bags, n_jobs)
    groups = []
    for f, family in enumerate(families):
        views, width = None, n_features
        if family.parts != ("identity",):
            bag_seeds = tree_seeds(sequence, f, n_trees)
            parts = [
                _views(part, rows, bags, bagged, bag_seeds, child(sequence, "views", f, i))
                for i, part in enumerate(family.parts)
            ]
            views = parts[0].beside(*parts[1:])
            width = int(views.widths().min())
        n_columns = capped_max_features(family.max_features, n_features, width)
        groups.append(TreeGroup(n_trees, views, family.splitter, n_columns, name=family.name))
    return groups


def capped_max_features(max_features, n_features: int, width: int):
    """Return `max_features` of a view for compiled code; a number is at most `width`, the width of the narrowest view."""
    if max_features == "sqrt":
        return min(max(1, int(np.sqrt(n_features))), width)
    return min(int(max_features), width) if isinstance(max_features, Integral) else max_features


def _views(
    part: Any, rows: FamilyRows, bags: Bags, bagged: BaggedViews, bag_seeds: NDArray[np.uint64],
    sequence: np.random.SeedSequence,
) -> LinearViews:  # fmt: skip
    """Return the views of a part of a family, one for each tree's seed."""
    view_seeds = kernel_seeds(sequence, len(bag_seeds))
    match part:
        case "identity":
            return LinearViews.identity(rows.X.shape[1])
        case "discriminants":
            return bagged.discriminants(bag_seeds, view_seeds, shrinkage=SHRINKAGE)
        case "principal":
            return bagged.principal(bag_seeds, view_seeds)
        case "sparse":
            return bagged.sparse(view_seeds)
    return _fitted(part, rows, (np.unique(bags.drawn(seed)) for seed in bag_seeds), sequence)


def _fitted(
    view: Any, rows: FamilyRows, drawn: Iterable[NDArray[np.intp]], sequence: np.random.SeedSequence
) -> LinearViews:
    """Return clones of a view, each fitted to the rows in `drawn` of a bag; means in the bag replace missing values."""
    names = [k for k in view.get_params() if k.split("__")[-1] == "random_state"]
    blocks, fills = [], []
    missing = missing_columns(rows.X)
    with one_blas_thread():
        for k, mine in enumerate(drawn):
            X, codes = rows.X[mine], rows.codes[mine]
            if len(missing):
                fills.append(column_means(X, missing))
                X = np.where(np.isnan(X), fills[-1], X)
            seeded = clone(view).set_params(**dict.fromkeys(names, integer_seed(child(sequence, k))))
            try:
                blocks.append(list(seeded.fit(X.astype(np.float64), codes).linear_parts()))
            except ValueError:
                if np.ptp(codes) > 0:
                    raise
                blocks.append([(np.arange(X.shape[1]), None)])  # the bag has one class, and the view may need two
    views = LinearViews.blocks(blocks, rows.X.shape[1])
    return views.filled(np.stack(fills)) if fills else views
