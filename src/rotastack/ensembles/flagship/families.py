"""Families of trees: each has its kind of view, and its way to grow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

from rotastack.base.view import is_linear
from rotastack.trees.boosting_options import BoostingOptions

__all__ = ["BOOSTING", "FAMILIES", "NUMBER_FAMILIES", "PARTS", "TreeFamily", "find_families"]

PARTS = ("identity", "discriminants", "principal", "sparse", "pairs")
"""What a family's view may consist of, besides views of one's own."""

CRITERIA = ("gini", "entropy", "gain_ratio", "c45")


@dataclass(frozen=True)
class TreeFamily:
    """The views that the trees of a family are grown on, and how they grow.

    Trees are grown on bootstraps of all rows or, with `folds`, on the rows outside of one fold. Either way there are rows
    that a tree has not seen, by whose outputs the pool weighs families.

    Parameters
    ----------
    name : str
    parts : tuple
        Groups of columns that stand side by side in each tree's view: "identity" (the columns themselves), "discriminants" (LDA of two
        random blocks), "principal" (Rotation Forest's rotation), "sparse" (Haar rotations of blocks of 2 to 4 columns),
        "pairs" (numbers, and categories and pairs of them as shares of the classes or mean targets; such a family has no
        other part, and is left out where there are no categories), or a view of one's own with a method ``linear_parts``,
        such as those of :mod:`rotastack.views`. Parts that learn are fitted to the rows that the tree is grown on.
    splitter : {"best", "random"}
        The best cut of a column, or one drawn at random.
    max_features : "sqrt", int, float or None
        Columns looked at for a split: the square root of the number of input columns, rounded down; a number; a share of the
        view; all.
    criterion : {"gini", "entropy", "gain_ratio", "c45"}
        Of the trees of a classifier, "c45" being those of :class:`~rotastack.trees.C45Classifier`, which look at all columns;
        those of a regressor have the squared error.
    folds : bool
        Whether the trees are grown on the rows outside of one fold of five: those of C4.5 or of cuts drawn at random on all these rows, others on
        bootstraps of them. Boosted trees, and those of pairs of categories, need folds.
    boosting : BoostingOptions, optional
        How trees are boosted on folds. Each fold has one view then, and of the ways to split only the columns of `boosting` are looked at.

    Examples
    --------
    >>> from rotastack import RotastackClassifier
    >>> from rotastack.views import RandomRotation
    >>> turned = TreeFamily("turned", ("identity", RandomRotation()))
    >>> RotastackClassifier(families=("boosted", turned)).families[1].name
    'turned'
    """

    name: str
    parts: tuple[Any, ...] = ("identity",)
    splitter: str = "best"
    max_features: str | int | float | None = "sqrt"
    criterion: str = "gini"
    folds: bool = False
    boosting: BoostingOptions | None = None


BOOSTING = BoostingOptions(
    300, 0.2, max_leaf_nodes=8, max_bins=63, min_samples_leaf=5, l2_regularization=0.3, max_features=128,
    n_iter_no_change=10, tol=0.005,
)  # fmt: skip

_ROTATIONS = TreeFamily("rotations", ("sparse", "principal", "discriminants"))
_RANDOM_CUTS = replace(_ROTATIONS, name="random_cuts", splitter="random")
_DISCRIMINANTS = TreeFamily(
    "discriminants", ("identity", "discriminants"), max_features=None, criterion="c45", folds=True
)
_PAIRS = TreeFamily("pairs", ("pairs",), max_features=None, folds=True)
_BOOSTED = TreeFamily("boosted", folds=True, boosting=BOOSTING)
_BOOSTED_LARGE = TreeFamily(
    "boosted_large", folds=True, boosting=BOOSTING._replace(learning_rate=0.3, max_leaf_nodes=31, tol=0.02)
)

FAMILIES = {
    family.name: family for family in (_ROTATIONS, _RANDOM_CUTS, _DISCRIMINANTS, _PAIRS, _BOOSTED, _BOOSTED_LARGE)
}
"""The families of a classifier that are known by name."""

NUMBER_FAMILIES = {
    **FAMILIES,
    "rotations": replace(_ROTATIONS, max_features=None),
    "random_cuts": replace(_RANDOM_CUTS, max_features=None),
    "discriminants": replace(_DISCRIMINANTS, criterion="gini", splitter="random"),
}
"""The families of a regressor that are known by name: trees on views look at all columns for each split."""


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
    of_all = [f for f in found if n_categories or "pairs" not in f.parts]
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
        fits = wanted in ("sqrt", None) or (isinstance(wanted, Real) and 0 < wanted <= 1)
    if not fits:
        raise ValueError(
            f"families: {family.name}: max_features must be sqrt, None, a number from 1 or a share up to 1.0, "
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
    if "pairs" in family.parts and (len(family.parts) > 1 or not family.folds or family.boosting is not None):
        raise ValueError(f"families: {family.name}: pairs of categories stand alone, on folds, without boosting")
    if family.boosting is None:
        return
    if not isinstance(family.boosting, BoostingOptions):
        raise ValueError(f"families: {family.name}: boosting must be BoostingOptions or None, got {family.boosting!r}")
    try:
        family.boosting.check()
    except ValueError as error:
        raise ValueError(f"families: {family.name}: {error}") from error
    if not family.folds:
        raise ValueError(
            f"families: {family.name}: boosted trees need folds, so that there are rows they have not seen"
        )
