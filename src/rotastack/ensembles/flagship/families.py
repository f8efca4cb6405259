"""Families of trees: each has its kind of view, and its way to split."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rotastack.base.view import is_linear
from rotastack.blas import one_blas_thread
from rotastack.seeds import child, integer_seed
from rotastack.trees.bagged_views import BaggedViews
from rotastack.trees.bags import Bags, kernel_seeds, tree_seeds
from rotastack.trees.growing import TreeGroup
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.missing import column_means, missing_columns
from rotastack.views.encoding import category_means, category_shares

__all__ = ["FAMILIES", "NUMBER_FAMILIES", "TreeFamily", "find_families", "planned_families"]

SHRINKAGE = 0.5
"""Of discriminants: weight of the identity in the scatter within classes."""


@dataclass(frozen=True)
class TreeFamily:
    """The views that the trees of a family are grown on, and how they split.

    Parameters
    ----------
    name : str
    parts : tuple
        Groups of columns that stand side by side in each tree's view: "identity" (the columns themselves), "discriminants" (LDA of two
        random blocks), "principal" (Rotation Forest's rotation), "sparse" (Haar rotations of blocks of 2 to 4 columns),
        "numbers" (the columns that are no dummies), "shares" (categories as shares of the classes, or as mean targets; a family with it is left
        out where there are no categories), or a view of one's own with a method ``linear_parts``, such as those of
        :mod:`rotastack.views`. Parts that learn are fitted to the rows in the tree's bag.
    splitter : {"best", "random"}
        The best cut of a column, or one drawn at random.
    max_features : {"sqrt", "double", None}, int or float
        Columns looked at for a split: with s the square root of the number of input columns, rounded down, s or 2 s + 2;
        all; a number; a share of the view.

    Examples
    --------
    >>> from rotastack import RotastackClassifier
    >>> from rotastack.views import RandomRotation
    >>> turned = TreeFamily("turned", ("identity", RandomRotation()), max_features="double")
    >>> RotastackClassifier(families=("id", turned)).families[1].name
    'turned'
    """

    name: str
    parts: tuple[Any, ...] = ("identity",)
    splitter: str = "best"
    max_features: str | int | float | None = "sqrt"


FAMILIES = {
    family.name: family
    for family in (
        TreeFamily("id"),
        TreeFamily("idET", splitter="random"),
        TreeFamily("idall", max_features=None),
        TreeFamily("Lm", ("identity", "discriminants"), max_features="double"),
        TreeFamily("Lpc", ("principal", "discriminants"), max_features="double"),
        TreeFamily("Lsp", ("sparse", "discriminants"), max_features="double"),
        TreeFamily("te", ("numbers", "shares"), max_features=None),
    )
}
"""The families of a classifier that are known by name."""

NUMBER_FAMILIES = {
    family.name: replace(family, max_features=None)
    for family in (
        *(family for name, family in FAMILIES.items() if name != "idall"),
        TreeFamily("LmET", ("identity", "discriminants"), splitter="random"),
    )
}
"""The families of a regressor that are known by name: their trees look at all columns for each split."""


def find_families(
    families: Sequence[str | TreeFamily], n_categories: int, named: Mapping[str, TreeFamily] = FAMILIES
) -> list[TreeFamily]:
    """Return the families, found by name where names are given; without those of categories where there are none.

    Parameters
    ----------
    families : sequence of str or TreeFamily
    n_categories : int
    named : mapping of str to TreeFamily
        The families that are known by name.

    Raises
    ------
    ValueError
        None, an unknown name, part, splitter or number of columns, or a name that stands twice.
    """
    found: list[TreeFamily] = []
    for item in families:
        family = named.get(item) if isinstance(item, str) else item
        if not isinstance(family, TreeFamily):
            raise ValueError(
                f"families: {item!r} is unknown; there are {', '.join(named)}, or a TreeFamily of one's own"
            )
        if family.name in {f.name for f in found}:
            raise ValueError(f"families: {family.name!r} stands twice")
        _check(family)
        found.append(family)
    if not found:
        raise ValueError("families is empty; at least one is needed")
    of_all = [
        f
        for f in found
        if n_categories or not {"numbers", "shares"} & {p for p in f.parts if isinstance(p, str)}
    ]
    if not of_all:
        raise ValueError(f"families: {found[0].name} needs a categorical column, and there is none")
    return of_all


def _check(family: TreeFamily) -> None:
    known = (*_PARTS, *_OF_CATEGORIES)
    if not isinstance(family.parts, tuple | list) or not len(family.parts):
        raise ValueError(
            f"families: {family.name}: parts must be a tuple of one at least, got {family.parts!r}"
        )
    for part in family.parts:
        if part not in known if isinstance(part, str) else not is_linear(part):
            raise ValueError(
                f"families: {family.name}: {part!r} is neither {', '.join(known)} nor a view with linear_parts"
            )
    if family.splitter not in ("best", "random"):
        raise ValueError(f"families: {family.name}: splitter must be best or random, got {family.splitter!r}")
    wanted = family.max_features
    if isinstance(wanted, Integral):
        fits = wanted >= 1 and not isinstance(wanted, bool)
    else:
        fits = wanted in ("sqrt", "double", None) or (isinstance(wanted, Real) and 0 < wanted <= 1)
    if not fits:
        raise ValueError(
            f"families: {family.name}: max_features must be sqrt, double, None, a number from 1 or a share up to 1.0, "
            f"got {wanted!r}"
        )


def planned_families(
    families: Sequence[TreeFamily],
    n_trees: int,
    X: NDArray[np.float32],
    codes: NDArray[np.integer],
    n_classes: int,
    sequence: np.random.SeedSequence,
    *,
    groups: Sequence[NDArray[np.intp]] = (),
    numbers: NDArray[np.float64] | None = None,
    bags: Bags | None = None,
    n_jobs: int | None = None,
) -> list[TreeGroup]:
    """Return families as :func:`rotastack.trees.grow_forest` takes them: each tree's view fitted to the rows in its bag.

    Parameters
    ----------
    families : sequence of TreeFamily
    n_trees : int
        Of each family.
    X : ndarray of float32 of shape (n_rows, n_features)
    codes : ndarray of int of shape (n_rows,)
        Class numbers.
    n_classes : int
    sequence : numpy.random.SeedSequence
        That of the forest, so bags are its trees' own. Part i of family f is seeded by ``child(sequence, "views", f, i)``.
    groups : sequence of ndarray of int
        Columns that are the dummies of one category each.
    numbers : ndarray of shape (n_rows,), optional
        Targets that trees predict in place of classes; "shares" are means of it.
    bags : Bags, optional
        As for the forest. Views look at the rows in a bag alike, however often they are drawn.
    n_jobs : int, optional
        Threads over trees.
    """
    bags = bags or Bags.of(len(X))
    bagged = BaggedViews.of(X, codes, n_classes, bags, n_jobs)
    rows = _Rows(X, codes, n_classes, numbers, groups, bags)
    planned = []
    for f, family in enumerate(families):
        seeds = tree_seeds(sequence, f, n_trees)
        views = None
        if family.parts != ("identity",):
            parts = []
            for i, part in enumerate(family.parts):
                own = child(sequence, "views", f, i)
                if not isinstance(part, str):
                    parts.append(_fitted(part, rows, seeds, own))
                elif part in _OF_CATEGORIES:
                    parts.append(_OF_CATEGORIES[part](rows, seeds))
                else:
                    parts.append(_PARTS[part](bagged, seeds, kernel_seeds(own, n_trees)))
            views = parts[0].beside(*parts[1:])
        width = X.shape[1] if views is None else int(views.widths().min())
        if width == 0:
            raise ValueError(f"families: {family.name} sees numbers only, and all columns are categories")
        wanted = _candidates(family.max_features, X.shape[1], width)
        planned.append(TreeGroup(n_trees, views, family.splitter, wanted, name=family.name))
    return planned


def _candidates(max_features, n_features: int, width: int):
    """Return the number of columns looked at, at most the width of the narrowest view."""
    root = max(1, int(np.sqrt(n_features)))
    known = {"sqrt": root, "double": 2 * root + 2}
    if isinstance(max_features, str):
        return min(known[max_features], width)
    return min(int(max_features), width) if isinstance(max_features, Integral) else max_features


@dataclass(frozen=True)
class _Rows:
    """Training rows, and how bags are drawn from them."""

    X: NDArray[np.float32]
    codes: NDArray[np.integer]
    n_classes: int
    numbers: NDArray[np.float64] | None
    groups: Sequence[NDArray[np.intp]]
    bags: Bags

    def bag(self, seed: np.uint64) -> NDArray[np.intp]:
        """Return the rows in the bag of a tree, each once."""
        return np.unique(self.bags.drawn(seed))


_PARTS: dict[str, Callable[[BaggedViews, NDArray[np.uint64], NDArray[np.uint64]], LinearViews]] = {
    "identity": lambda bagged, bags, seeds: LinearViews.identity(len(bagged.data)),
    "discriminants": lambda bagged, bags, seeds: bagged.discriminants(bags, seeds, shrinkage=SHRINKAGE),
    "principal": lambda bagged, bags, seeds: bagged.principal(bags, seeds),
    "sparse": lambda bagged, bags, seeds: bagged.sparse(seeds),
}


def _numbers(rows: _Rows, bags: NDArray[np.uint64]) -> LinearViews:
    n_features = rows.X.shape[1]
    return LinearViews.subset(
        np.setdiff1d(np.arange(n_features), np.concatenate(rows.groups))[None], n_features
    )


def _shares(rows: _Rows, bags: NDArray[np.uint64]) -> LinearViews:
    found = []
    with one_blas_thread():  # sums of numbers run in one order
        for bag in map(rows.bag, bags):
            if rows.numbers is None:
                found.append(category_shares(rows.X, rows.codes, rows.n_classes, rows.groups, bag))
            else:
                found.append(category_means(rows.X, rows.numbers[:, None], rows.groups, bag))
    return LinearViews.blocks(found, rows.X.shape[1])


_OF_CATEGORIES: dict[str, Callable[[_Rows, NDArray[np.uint64]], LinearViews]] = {
    "numbers": _numbers,
    "shares": _shares,
}


def _fitted(view, rows: _Rows, bags: NDArray[np.uint64], sequence) -> LinearViews:
    """Return clones of a view, each fitted to the rows in a bag, each once; means in the bag stand in for missing values."""
    names = [k for k in view.get_params() if k.split("__")[-1] == "random_state"]
    found, fills = [], []
    missing = missing_columns(rows.X)
    with one_blas_thread():
        for k, seed in enumerate(bags):
            mine = rows.bag(seed)
            X = rows.X[mine]
            if len(missing):
                fills.append(column_means(X, missing))
                X = np.where(np.isnan(X), fills[-1], X)
            own = integer_seed(child(sequence, k))
            seeded = clone(view).set_params(**dict.fromkeys(names, own))
            try:
                parts = seeded.fit(X.astype(np.float64), rows.codes[mine]).linear_parts()
            except ValueError:
                if np.ptp(rows.codes[mine]) > 0:
                    raise
                parts = [(np.arange(rows.X.shape[1]), None)]  # one class in the bag, and the view needs two
            found.append(list(parts))
    views = LinearViews.blocks(found, rows.X.shape[1])
    return views.filled(np.stack(fills)) if fills else views
