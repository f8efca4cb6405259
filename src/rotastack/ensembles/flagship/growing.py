"""Grow the families of the flagship."""

from collections.abc import Callable, Sequence
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from rotastack.base.warned import warn
from rotastack.ensembles.flagship.category_pairs import CategoryPairs
from rotastack.ensembles.flagship.families import TreeFamily
from rotastack.ensembles.flagship.family_views import candidates
from rotastack.ensembles.flagship.grown_families import (
    GrownFamilies,
    OnBags,
    OnFolds,
    OnPairs,
    OnRounds,
    n_folds,
)
from rotastack.ensembles.flagship.training_rows import MOST_DRAWS, TrainingRows
from rotastack.seeds import child
from rotastack.trees.boosting import boosting_folds, grow_boosted
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews

__all__ = ["grow_families"]

MOST_CLASSES = 100
"""With more no trees are boosted, of which each class and round has one."""


_Grown = tuple[GrownFamilies, NDArray[np.float64]]
"""Families, and their outputs (family, row, output) for rows that their trees have not seen."""


def grow_families(
    families: Sequence[TreeFamily],
    n_trees: int,
    rows: TrainingRows,
    sequence: np.random.SeedSequence,
    *,
    n_jobs: int | None = None,
    done: Callable[[str], None] = lambda words: None,
) -> tuple[list[GrownFamilies], NDArray[np.float64]]:
    """Grow families, first those on bags, then each of the others.

    Parameters
    ----------
    families : sequence of TreeFamily
    n_trees : int
        Of each family; boosted ones have as many as rounds are worth it.
    rows : TrainingRows
    sequence : numpy.random.SeedSequence
    n_jobs : int, optional
        Threads; the result does not depend on it.
    done : callable
        Is told in words of each step.

    Returns
    -------
    grown : list of GrownFamilies
    outputs : ndarray of shape (n_families, n_rows, n_outputs)
        Of the families of `grown`, one after the other, for rows that trees have not seen; NaN where all have.
    """
    grown: list[GrownFamilies] = []
    outputs = []

    def add(one: _Grown, how: str) -> None:
        families, unseen = one
        grown.append(families)
        outputs.append(unseen)
        forests = families.forests()
        n_nodes = sum(len(trees.nodes) for trees in forests)
        done(f"{sum(map(len, forests))} trees of {', '.join(families.names)} grown on {how}, {n_nodes} nodes")

    on_bags = [family for family in families if not family.n_folds]
    for criterion in dict.fromkeys(family.criterion for family in on_bags):
        alike = [family for family in on_bags if family.criterion == criterion]
        add(_on_bags(alike, n_trees, rows, sequence, n_jobs), "bags")
    for family in _boostable(families, rows.n_classes):
        if not family.n_folds:
            continue
        # The same folds for all families that have as many.
        of_folds = child(sequence, "folds", family.n_folds)
        folds = boosting_folds(rows.codes, family.n_folds, of_folds, rows.weights, int(rows.codes.max()) + 1)
        own = child(sequence, "family", family.name)
        if family.boosting is None:
            add(_on_folds(family, n_trees, rows, folds, own, n_jobs), "folds")
            continue
        boosted, unseen = _on_rounds(family, rows, folds, own, n_jobs)
        add((boosted, unseen), f"folds in {boosted.boosted.n_rounds} rounds")
    return grown, np.concatenate(outputs)


def _boostable(families: Sequence[TreeFamily], n_classes: int | None) -> Sequence[TreeFamily]:
    """Return the families without boosted ones where classes are too many for them."""
    if n_classes is None or n_classes <= MOST_CLASSES:
        return families
    boosted = [family.name for family in families if family.boosting is not None]
    if len(boosted) == len(families):
        raise ValueError(
            f"families: {boosted[0]} grows a tree a class and round, which is for up to {MOST_CLASSES} classes, not {n_classes}"
        )
    if boosted:
        warn(
            f"{n_classes} classes: boosted trees ({', '.join(boosted)}) are left out, as they grow a tree a class and round; "
            f"they are for up to {MOST_CLASSES} classes"
        )
    return [family for family in families if family.boosting is None]


def _on_bags(
    families: Sequence[TreeFamily], n_trees: int, rows: TrainingRows, sequence: np.random.SeedSequence, n_jobs: int | None,
) -> _Grown:  # fmt: skip
    """Grow families of one criterion, each tree on a bootstrap."""
    groups = rows.planned(families, n_trees, sequence, n_jobs)
    trees, out_of_bag = grow_forest(
        rows.X, rows.target, groups, TreeOptions(families[0].criterion), sequence, n_classes=rows.n_classes,
        weights=rows.weights, bags=rows.bags(), describe_nodes=False, n_jobs=n_jobs,
    )  # fmt: skip
    assert out_of_bag is not None
    found = OnBags(tuple(family.name for family in families), trees, len(rows.X))
    return found, np.stack([family.means() for family in out_of_bag])


def _on_folds(
    family: TreeFamily, n_trees: int, rows: TrainingRows, folds: NDArray[np.int32], sequence: np.random.SeedSequence,
    n_jobs: int | None,
) -> _Grown:  # fmt: skip
    """Grow a forest for each fold, on the rows outside of it."""
    each = -(-n_trees // n_folds(folds))
    outputs = np.full((1, len(folds), rows.n_classes or 1), np.nan)
    forests: list[GrownTrees] = []
    pairs: list[CategoryPairs] = []
    for fold in range(n_folds(folds)):
        mine, own = rows.seen(folds, fold), child(sequence, fold)
        held = folds == fold
        X, X_held = mine.X, rows.X[held]
        if family.parts == ("pairs",):
            pairs.append(CategoryPairs(rows.groups).fit(X, mine.of_shares()))
            X, X_held = pairs[-1].transform(X), pairs[-1].transform(X_held)
            wanted = candidates(family.max_features, mine.X.shape[1], X.shape[1])
            planned = [TreeGroup(each, splitter=family.splitter, max_features=wanted, name=family.name)]
        else:
            planned = mine.planned([family], each, own, n_jobs)
        weights = None if mine.weights is None else mine.weights / mine.weights.mean()
        trees, _ = grow_forest(
            X, mine.target, planned, TreeOptions(family.criterion), own, n_classes=rows.n_classes, weights=weights,
            bootstrap=family.bootstrap or len(X) > MOST_DRAWS, bags=mine.bags(), want_oob=False, describe_nodes=False, n_jobs=n_jobs,
        )  # fmt: skip
        outputs[0, held] = trees.sums(X_held, n_jobs) / each
        forests.append(trees)
    if pairs:
        return OnPairs((family.name,), forests, pairs, folds, rows.X.shape[1]), outputs
    return OnFolds((family.name,), GrownTrees.concatenate(forests), folds), outputs


def _on_rounds(
    family: TreeFamily, rows: TrainingRows, folds: NDArray[np.int32], sequence: np.random.SeedSequence, n_jobs: int | None,
) -> tuple[OnRounds, NDArray[np.float64]]:  # fmt: skip
    """Grow a booster for each fold, on the rows outside of it."""
    assert family.boosting is not None
    views = None
    if family.parts != ("identity",):
        groups = [
            rows.seen(folds, fold).planned([family], 1, child(sequence, fold), n_jobs)[0]
            for fold in range(n_folds(folds))
        ]
        views = LinearViews.concatenate([group.views for group in groups if group.views is not None])
    options, width = family.boosting, rows.X.shape[1] if views is None else int(views.widths().min())
    if isinstance(options.max_features, Integral):
        options = options._replace(max_features=min(options.max_features, width))
    boosted = grow_boosted(
        rows.X, rows.target, options, sequence,
        n_classes=rows.n_classes, folds=folds, weights=rows.weights, views=views, n_jobs=n_jobs,
    )  # fmt: skip
    found = OnRounds((family.name,), boosted)
    return found, found.linked(boosted.held_out)[None]
