"""Growth of the flagship's families of trees, and of their views: each is fitted to the rows in a bag, that of its tree if the tree has one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rotastack.base.row_weights import weights_of
from rotastack.base.warned import warn
from rotastack.blas import one_blas_thread
from rotastack.combine.log_linear import LogLinearWeights
from rotastack.ensembles.flagship.category_pairs import CategoryPairs
from rotastack.ensembles.flagship.families import RIDGE, Family, KernelFamily, TreeFamily
from rotastack.ensembles.flagship.family_rows import MOST_DRAWS, FamilyRows, category_targets, n_folds
from rotastack.ensembles.flagship.grown_families import GrownFamilies, OnBags, OnFolds, OnPairs, OnRounds, Stopped
from rotastack.ensembles.flagship.kernel import MOST_KERNEL_ROWS, OnKernel, grow_kernel
from rotastack.seeds import child, integer_seed, kernel_seeds
from rotastack.trees.bagged_views import BaggedViews
from rotastack.trees.bags import Bags, tree_seeds
from rotastack.trees.boosters import ROUNDS_AT_ONCE
from rotastack.trees.boosting import grow_boosted, probabilities
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.nodes import column_means, missing_columns

MOST_BOOSTED_CLASSES = 100
"""With more classes no trees are boosted, because boosting grows a tree for each class and round."""

SURE_ROWS = 10_000
"""With more rows, the tolerance of boosting is at most SMALL_GAIN."""

SMALL_GAIN = 0.003
"""Largest tolerance of boosting with more than SURE_ROWS rows: smaller gains of a round are still worth its time."""

ROUNDS_OF_ROWS, LEAST_ROUNDS = 120_000_000, 100
"""Largest product of rows and boosting rounds, and the number of rounds that this limit always allows."""

SHRINKAGE = 0.5
"""Weight of the identity matrix in the within-class scatter of discriminants."""

RACE_SIZE = 5_000
"""Least product of rows and classes for a race: below this, boosting takes a tenth of a second."""

CHANCE = 3.84
"""Quantile 95 % of the chi-squared distribution with one degree of freedom, for the test of a weight."""

FAR = 2.0
"""A family whose expected loss is above this multiple of the other families' loss can earn no weight."""

SLOWING = 0.5
"""Largest ratio of two successive decreases of the logarithm of the loss from which its end is expected."""

_Grown = tuple[GrownFamilies, NDArray[np.float64]]
"""Families, and their outputs (family, row, output) for training rows that their trees have not seen."""


def grow_families(
    families: Sequence[Family],
    n_trees: int,
    rows: FamilyRows,
    sequence: np.random.SeedSequence,
    *,
    n_jobs: int | None = None,
    done: Callable[[str], None] = lambda words: None,
) -> tuple[list[GrownFamilies], NDArray[np.float64]]:
    """Grow families, and return them in order: families on bags, families on folds, kernels.

    Each family gets `n_trees` trees, fewer for more than 40,000 rows; early stopping sets the number for boosted
    families. `done` is called with a text after each step. Returned with the families are their outputs (family, row,
    output) for training rows, from trees that have not seen the row; NaN if all have.
    """
    grown: list[GrownFamilies] = []
    outputs: list[NDArray[np.float64]] = []
    for family, unseen in _each_grown(families, rows.n_trees(n_trees), rows, sequence, n_jobs, outputs):
        grown.append(family)
        outputs.append(unseen)
        done(family.described())
    # Boosted families that raced were grown last; here all families have the order that they have without a race.
    places = {family.name: place for place, family in enumerate(families)}
    ranks = [(not isinstance(g, OnBags), isinstance(g, OnKernel), places[g.names[0]]) for g in grown]
    order = sorted(range(len(grown)), key=ranks.__getitem__)
    return [grown[k] for k in order], np.concatenate([outputs[k] for k in order])


def _each_grown(
    families: Sequence[Family],
    n_trees: int,
    rows: FamilyRows,
    sequence: np.random.SeedSequence,
    n_jobs: int | None,
    outputs: Sequence[NDArray[np.float64]],
) -> Iterator[_Grown]:
    """Yield the grown families with their unseen outputs; each kind of family has a function that returns both.

    `outputs` grows with those of the families that were yielded. In a race (:func:`has_race`) boosted families come
    last, and end early if they can earn no weight beside these.
    """
    families = _boostable(families, rows.n_classes)
    kernels = [family for family in families if isinstance(family, KernelFamily)]
    of_trees = [family for family in families if isinstance(family, TreeFamily)]
    if not of_trees and len(rows.X) > MOST_KERNEL_ROWS:
        raise ValueError(f"families: a kernel family allows at most {MOST_KERNEL_ROWS:,} rows, X has {len(rows.X):,}")
    on_bags = [family for family in of_trees if not family.folds]
    for criterion in dict.fromkeys(family.criterion for family in on_bags):
        alike = [family for family in on_bags if family.criterion == criterion]
        yield _on_bags(alike, n_trees, rows, child(sequence, "bags", criterion), n_jobs)
    on_folds = [family for family in of_trees if family.folds]
    races = has_race(rows)
    gains = None
    learns_metric = bool(kernels) and rows.n_classes is None
    in_turn: list[Family] = [*on_folds, *(kernels if len(rows.X) <= MOST_KERNEL_ROWS else [])]
    for family in sorted(in_turn, key=lambda family: races and family.boosting is not None):
        mine = child(sequence, "family", family.name)
        if isinstance(family, KernelFamily):
            yield grow_kernel(family.name, rows, gains, mine)
        elif family.boosting is None:
            yield _on_folds(family, n_trees, rows, mine, n_jobs)
        else:
            race = partial(check_weight, np.concatenate(outputs), rows) if races and outputs else None
            try:
                booster, unseen = _on_rounds(family, rows, mine, n_jobs, race)
            except NoWeightError:
                stopped = Stopped((family.name,), rows.n_classes or 1, rows.X.shape[1])
                yield stopped, np.full((1, len(rows.X), stopped.n_classes), np.nan)
                continue
            gains = booster.boosted.gains() if learns_metric and gains is None else gains
            yield booster, unseen


def _boostable(families: Sequence[Family], n_classes: int | None) -> Sequence[Family]:
    """Return the families; without boosted families, and with a warning, if there are more than 100 classes."""
    boosted = [family.name for family in families if family.boosting is not None]
    if n_classes is None or n_classes <= MOST_BOOSTED_CLASSES or not boosted:
        return families
    others = [family for family in families if family.boosting is None]
    if not others:
        raise ValueError(
            f"families: {boosted[0]} grows a tree per class and round; at most {MOST_BOOSTED_CLASSES} classes are "
            f"allowed, y has {n_classes}"
        )
    warn(
        f"y has {n_classes} classes: boosted trees ({', '.join(boosted)}), a tree per class and round, are left out; "
        f"at most {MOST_BOOSTED_CLASSES} classes are allowed"
    )
    return others


def _on_bags(
    families: Sequence[TreeFamily], n_trees: int, rows: FamilyRows, sequence: np.random.SeedSequence, n_jobs: int | None
) -> _Grown:
    """Grow families of the same criterion, each tree on a bootstrap."""
    groups = tree_groups(families, n_trees, rows, sequence, n_jobs)
    options = TreeOptions(families[0].criterion, describe_nodes=False, n_jobs=n_jobs)
    trees, out_of_bag = grow_forest(rows, groups, options, sequence, bags=rows.bags())
    assert out_of_bag is not None
    grown = OnBags(tuple(family.name for family in families), trees, len(rows.X))
    return grown, np.stack([of_family.means() for of_family in out_of_bag])


def _outside_fold(
    family: TreeFamily, n_trees: int, rest: FamilyRows, sequence: np.random.SeedSequence, n_jobs: int | None
) -> tuple[GrownTrees, CategoryPairs | None]:
    """Grow a family on the rows outside a fold; return the trees, and the encoder of pairs that they need or None."""
    X, pairs = rest.X, None
    if family.parts == ("pairs",):
        pairs = CategoryPairs(rest.dummies).fit(X, category_targets(rest))
        X = pairs.transform(X)
        n_tried = capped_max_features(family.max_features, rest.X.shape[1], X.shape[1])
        groups = [TreeGroup(n_trees, None, family.splitter, n_tried, name=family.name)]
    else:
        groups = tree_groups([family], n_trees, rest, sequence, n_jobs)
    differ = family.criterion == "c45" or family.splitter == "random"  # these trees differ even without a bootstrap
    bootstrap = not differ or len(X) > MOST_DRAWS
    options = TreeOptions(family.criterion, bootstrap=bootstrap, want_oob=False, describe_nodes=False, n_jobs=n_jobs)
    weights = None if rest.weights is None else rest.weights / rest.weights.mean()
    return grow_forest(replace(rest, X=X, weights=weights), groups, options, sequence, bags=rest.bags())[0], pairs


def _on_folds(
    family: TreeFamily, n_trees: int, rows: FamilyRows, sequence: np.random.SeedSequence, n_jobs: int | None
) -> _Grown:
    """Grow a family's forests, one for each fold."""
    share = 2 if family.criterion == "c45" else 1  # C4.5 trees of a fold are similar, so half as many are enough
    each = -(-n_trees // (share * n_folds(rows.folds)))
    outputs = np.full((1, len(rows.X), rows.n_classes or 1), np.nan)
    forests: list[GrownTrees] = []
    encoders: list[CategoryPairs] = []
    for fold in range(n_folds(rows.folds)):
        trees, pairs = _outside_fold(family, each, rows.outside(fold), child(sequence, fold), n_jobs)
        held = rows.X[rows.folds == fold]
        outputs[0, rows.folds == fold] = trees.means(held if pairs is None else pairs.transform(held), n_jobs)
        forests.append(trees)
        encoders += [] if pairs is None else [pairs]
    if encoders:
        return OnPairs((family.name,), forests, encoders, rows.folds, rows.X.shape[1]), outputs
    return OnFolds((family.name,), GrownTrees.concatenate(forests), rows.folds), outputs


def _on_rounds(
    family: TreeFamily,
    rows: FamilyRows,
    sequence: np.random.SeedSequence,
    n_jobs: int | None,
    race: Callable[..., None] | None = None,
) -> tuple[OnRounds, NDArray[np.float64]]:
    """Grow a booster for each fold, on the rows outside the fold; `race` may end the training after the first one."""
    assert family.boosting is not None
    views, width = None, rows.X.shape[1]
    if family.parts != ("identity",):
        by_fold = [
            tree_groups([family], 1, rows.outside(fold), child(sequence, fold), n_jobs)[0].views
            for fold in range(n_folds(rows.folds))
        ]
        views = LinearViews.concatenate([view for view in by_fold if view is not None])
        width = int(views.widths().min())
    options = family.boosting
    if len(rows.X) > SURE_ROWS:
        most = max(LEAST_ROUNDS, ROUNDS_OF_ROWS // len(rows.X))
        options = options._replace(tol=min(options.tol, SMALL_GAIN), n_rounds=min(options.n_rounds, most))
    if isinstance(options.max_features, Integral):
        options = options._replace(max_features=min(options.max_features, width))
    boosted = grow_boosted(rows, options, sequence, folds=rows.folds, views=views, n_jobs=n_jobs, after_first=race)
    grown = OnRounds((family.name,), boosted)
    return grown, grown.linked(boosted.held_out)[None]


def tree_groups(
    families: Sequence[TreeFamily],
    n_trees: int,
    rows: FamilyRows,
    sequence: np.random.SeedSequence,
    n_jobs: int | None = None,
) -> list[TreeGroup]:
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
    part: Any,
    rows: FamilyRows,
    bags: Bags,
    bagged: BaggedViews,
    bag_seeds: NDArray[np.uint64],
    sequence: np.random.SeedSequence,
) -> LinearViews:
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


class NoWeightError(Exception):
    """The end of a boosted family that can earn no weight beside the other families."""


def has_race(rows: FamilyRows) -> bool:
    """Return whether boosted families race: there are more than two classes, and many rows and classes.

    Boosting then grows a tree for each class and round, which is most of the time of a fit; and on many tables its weight
    is 0 in the end. A family that can earn no weight beside the other families ends early.
    """
    n_classes = rows.n_classes or 0
    return n_classes > 2 and len(rows.X) * n_classes >= RACE_SIZE


def check_weight(
    others: NDArray[np.float64],
    rows: FamilyRows,
    held: NDArray[np.intp],
    scores: NDArray[np.float64],
    losses: NDArray[np.float64],
) -> None:
    """Raise NoWeightError if a boosted family cannot have a positive weight in the end.

    It can if its weight is above 0 by a likelihood-ratio test on the held-out rows, or if the loss that its curve leads to
    is below FAR times that of the others.

    Parameters
    ----------
    others : ndarray of shape (n_families, n_rows, n_classes)
        The other families' outputs for rows that they have not seen; NaN if all their trees have seen a row.
    rows : FamilyRows
    held : ndarray of shape (n_held,)
        Numbers of the rows that the first booster holds out.
    scores : ndarray of shape (n_held, n_outputs)
        Their scores from this booster.
    losses : ndarray of shape (n_rounds,)
        Its mean held-out log loss after each round.
    """
    n_classes = rows.n_classes or 1
    outputs = np.concatenate([others[:, held], probabilities(scores, n_classes)[None]])
    outputs = np.where(np.isnan(outputs), 1 / n_classes, outputs)
    codes, weights = rows.codes[held], weights_of(rows.weights, held)

    def loss_of(outputs: NDArray[np.float64]) -> float:
        combiner = LogLinearWeights(RIDGE).fit(outputs, codes, n_classes, sample_weight=weights)
        right = combiner.predict_proba(outputs)[np.arange(len(held)), codes]
        return -float(np.average(np.log(right), weights=weights))

    without = loss_of(outputs[:-1])
    if 2 * len(held) * (without - loss_of(outputs)) <= CHANCE and expected_least(losses) >= FAR * without:
        raise NoWeightError


def expected_least(losses: NDArray[np.float64]) -> float:
    """Return the least loss that a curve leads to, 0 if no end is in sight.

    The decreases of the loss's logarithm, over blocks of ROUNDS_AT_ONCE rounds, are taken to go on in geometric
    progression. A curve of less than three blocks has ended.

    Examples
    --------
    >>> curve = np.repeat([1.0, 0.5, 0.4], 10)
    >>> round(expected_least(curve), 3), expected_least(np.repeat([1.0, 0.5, 0.25], 10))
    (0.36, 0.0)
    """
    if len(losses) < 3 * ROUNDS_AT_ONCE:
        return float(losses.min())
    least = np.minimum.accumulate(np.maximum(losses, np.finfo(float).tiny))[ROUNDS_AT_ONCE - 1 :: ROUNDS_AT_ONCE]
    first, second = -np.diff(np.log(least[-3:]))
    if second > SLOWING * first:
        return 0.0
    return float(least[-1] * np.exp(-second * second / (first - second))) if first > 0 else float(least[-1])
