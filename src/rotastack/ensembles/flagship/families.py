"""Families of trees: each has its kind of view, and its way to grow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

from rotastack.base.view import is_linear
from rotastack.trees.boosting_options import BoostingOptions

__all__ = ["FAMILIES", "NUMBER_FAMILIES", "PARTS", "TreeFamily", "families_by_name", "find_families"]

PARTS = ("identity", "discriminants", "principal", "sparse", "numbers", "shares", "pairs")
"""What a family's view may consist of, besides views of one's own."""

OF_CATEGORIES = {"numbers", "shares", "pairs"}
CRITERIA = ("gini", "entropy", "gain_ratio", "c45")


@dataclass(frozen=True)
class TreeFamily:
    """The views that the trees of a family are grown on, and how they grow.

    Trees are grown on bootstraps of their own or, with `n_folds`, on all rows but those of a fold. Either way there are rows
    that a tree has not seen, by whose outputs the pool weighs families.

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
    criterion : {"gini", "entropy", "gain_ratio", "c45"}
        Of the trees of a classifier, "c45" being those of :class:`~rotastack.trees.C45Classifier`, which look at all columns;
        those of a regressor have the squared error.
    n_folds : int
        With 0 each tree has a bootstrap of its own. Otherwise rows are dealt to so many folds, and as many forests
        are grown, together of `trees_per_family` trees at least, each on all rows but those of its fold.
    bootstrap : bool
        Whether a tree on folds is grown on a bootstrap of its rows, as all others are.
    boosting : BoostingOptions, optional
        How trees are boosted on folds. Each fold has one view then, and of the ways to split only the columns of `boosting` are looked at.
    title : str
        What the family is called beside its name where people read of it.

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
    criterion: str = "gini"
    n_folds: int = 0
    bootstrap: bool = True
    boosting: BoostingOptions | None = None
    title: str = ""


_WHOLE = TreeFamily("", max_features=None, n_folds=8, bootstrap=False)
"""Trees that see all columns, and all rows but a fold's."""

_BOOSTING = BoostingOptions(
    300, 0.2, max_bins=63, min_samples_leaf=5, l2_regularization=0.3, max_features=128, n_iter_no_change=10, tol=0.005
)

FAMILIES = {
    family.name: family
    for family in (
        TreeFamily("id", title="columns"),
        TreeFamily("idET", splitter="random", title="columns, random cuts"),
        TreeFamily("idall", max_features=None, title="columns, all for each split"),
        TreeFamily("Lm", ("identity", "discriminants"), max_features="double", title="discriminants"),
        TreeFamily("Lpc", ("principal", "discriminants"), max_features="double", title="principal axes"),
        TreeFamily("Lsp", ("sparse", "discriminants"), max_features="double", title="sparse rotations"),
        TreeFamily("te", ("numbers", "shares"), max_features=None, title="shares of categories"),
        replace(
            _WHOLE, name="rotation", parts=("principal", "discriminants"), criterion="c45", title="principal axes, C4.5"
        ),
        replace(_WHOLE, name="c45", parts=("identity", "discriminants"), criterion="c45", title="discriminants, C4.5"),
        TreeFamily("pairs", ("pairs",), max_features=None, n_folds=8, title="pairs of categories"),
        TreeFamily("boosted", n_folds=5, boosting=_BOOSTING._replace(max_leaf_nodes=8), title="boosted, 8 leaves"),
        TreeFamily("boosted31", n_folds=5, boosting=_BOOSTING._replace(max_leaf_nodes=31), title="boosted, 31 leaves"),
    )
}
"""The families of a classifier that are known by name."""

NUMBER_FAMILIES = {
    family.name: replace(family, max_features=None)
    for family in (
        *(family for name, family in FAMILIES.items() if name not in ("idall", "rotation", "c45")),
        TreeFamily("LmET", ("identity", "discriminants"), splitter="random", title="discriminants, random cuts"),
        replace(
            _WHOLE,
            name="rotation",
            parts=("principal", "discriminants"),
            splitter="random",
            title="principal axes, random cuts",
        ),
        replace(
            _WHOLE,
            name="extra",
            parts=("identity", "discriminants"),
            splitter="random",
            title="discriminants, random cuts, all rows",
        ),
    )
}
"""The families of a regressor that are known by name: their trees look at all columns for each split."""


def families_by_name(families: Sequence[str | TreeFamily], named: Mapping[str, TreeFamily]) -> dict[str, TreeFamily]:
    """Return the families of `named`, and those of `families` that are one's own."""
    return {**named, **{family.name: family for family in families if not isinstance(family, str)}}


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
    of_all = [f for f in found if n_categories or not OF_CATEGORIES & {p for p in f.parts if isinstance(p, str)}]
    if not of_all:
        raise ValueError(f"families: {found[0].name} needs a categorical column, and there is none")
    return of_all


def _check(family: TreeFamily) -> None:
    if not isinstance(family.parts, tuple | list) or not len(family.parts):
        raise ValueError(f"families: {family.name}: parts must be a tuple of one at least, got {family.parts!r}")
    for part in family.parts:
        if part not in PARTS if isinstance(part, str) else not is_linear(part):
            raise ValueError(
                f"families: {family.name}: {part!r} is neither {', '.join(PARTS)} nor a view with linear_parts"
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
    if family.criterion not in CRITERIA:
        raise ValueError(
            f"families: {family.name}: criterion must be one of {', '.join(CRITERIA)}, got {family.criterion!r}"
        )
    if family.criterion == "c45" and (family.splitter != "best" or wanted is not None):
        raise ValueError(
            f"families: {family.name}: trees of C4.5 take the best cut (splitter) of all columns (max_features=None)"
        )
    if not isinstance(family.n_folds, Integral) or family.n_folds < 0 or family.n_folds == 1:
        raise ValueError(f"families: {family.name}: n_folds must be 0 or a number from 2, got {family.n_folds!r}")
    if "pairs" in family.parts and (len(family.parts) > 1 or not family.n_folds or family.boosting is not None):
        raise ValueError(f"families: {family.name}: pairs of categories stand alone, on n_folds, without boosting")
    if family.boosting is None:
        return
    if not isinstance(family.boosting, BoostingOptions):
        raise ValueError(f"families: {family.name}: boosting must be BoostingOptions or None, got {family.boosting!r}")
    try:
        family.boosting.check()
    except ValueError as error:
        raise ValueError(f"families: {family.name}: {error}") from error
    if not family.n_folds:
        raise ValueError(
            f"families: {family.name}: boosted trees need n_folds, so that there are rows they have not seen"
        )
