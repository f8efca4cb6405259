"""Families of trees: the view and the tree-growing options of each family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

from rotastack.base.view import is_linear
from rotastack.trees.boosters import BoostingOptions

PARTS = ("identity", "discriminants", "principal", "sparse", "pairs")
"""Names of the built-in parts of a family's view."""

RIDGE = 0.1
"""Factor of the ridge that pulls the families' weights to equal weights; the loss is a sum over rows."""

CRITERIA = ("gini", "entropy", "c45")


@dataclass(frozen=True)
class TreeFamily:
    """The view of a family of trees, and the options of its trees.

    Trees are grown on bootstraps of all rows or, with `folds`, on the rows outside one fold. In both cases each tree
    leaves out rows, to which its view is not fitted, either. The weights of the families are fitted to the outputs for
    these rows.

    Parameters
    ----------
    name : str
    parts : tuple
        Groups of columns that each tree's view joins: "identity" (the unchanged columns), "discriminants" (LDA of two
        random blocks), "principal" (Rotation Forest's rotation), "sparse" (Haar rotations of blocks of 2 to 4 columns),
        "pairs" (numbers, and the class shares or mean targets of categories and of pairs of categories), or a custom
        view with a method ``linear_parts``, such as those of :mod:`rotastack.views`. "pairs" must be the only part;
        such a family is left out if no column is categorical.
    splitter : {"best", "random"}
        Use the best cut of a column, or a random cut.
    max_features : "sqrt", int, float or None
        Columns considered for a split: the square root of the number of input columns, rounded down; a number; a share
        of the view's columns; or all columns.
    criterion : {"gini", "entropy", "c45"}
        Criterion of a classifier's trees. "c45" is the trees of :class:`~rotastack.trees.C45Classifier`, which
        consider all columns. A regressor's trees use the squared error.
    folds : bool
        Grow the trees on the rows outside one of five folds (two folds for more than 100,000 rows). C4.5 trees and
        trees with random cuts use all these rows (bootstraps if there are more than 40,000), other trees use bootstraps
        of these rows. Boosted trees and pairs of categories need folds.
    boosting : BoostingOptions, optional
        Options of boosted trees. Each fold then has one view, and `boosting` replaces `splitter`, `max_features` and
        `criterion`.

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


@dataclass(frozen=True)
class KernelFamily:
    """A family of kernel ridge regressions on the unchanged columns, one on the rows outside each fold."""

    name: str = "kernel"
    parts: ClassVar[tuple[str, ...]] = ("identity",)
    boosting: ClassVar[None] = None


Family = TreeFamily | KernelFamily

BOOSTING = BoostingOptions(
    300,
    0.2,
    max_leaf_nodes=8,
    max_bins=63,
    min_samples_leaf=5,
    l2_regularization=0.3,
    max_features=128,
    n_iter_no_change=10,
    tol=0.005,
)

_ROTATIONS = TreeFamily("rotations", ("sparse", "principal", "discriminants"))
_DISCRIMINANTS = TreeFamily(
    "discriminants", ("identity", "discriminants"), max_features=None, criterion="c45", folds=True
)
_PAIRS = TreeFamily("pairs", ("pairs",), max_features=None, folds=True)
_BOOSTED = TreeFamily("boosted", folds=True, boosting=BOOSTING)
_BOOSTED_LARGE = TreeFamily(
    "boosted_large", folds=True, boosting=BOOSTING._replace(learning_rate=0.3, max_leaf_nodes=31, tol=0.02)
)

FAMILIES: dict[str, Family] = {
    family.name: family for family in (_ROTATIONS, _DISCRIMINANTS, _PAIRS, _BOOSTED, _BOOSTED_LARGE, KernelFamily())
}
"""The named families of a classifier."""

NUMBER_FAMILIES: dict[str, Family] = {
    **FAMILIES,
    "rotations": replace(_ROTATIONS, max_features=None),
    "random_cuts": replace(_ROTATIONS, name="random_cuts", splitter="random", max_features=None),
    "discriminants": replace(_DISCRIMINANTS, criterion="gini", splitter="random"),
}
"""The named families of a regressor: trees on views consider all columns for each split."""


def find_families(
    families: Sequence[str | Family], n_categorical: int, named: Mapping[str, Family] = FAMILIES
) -> list[Family]:
    """Return the checked families as objects; families of pairs are left out if no column is categorical."""
    checked: list[Family] = []
    for item in families:
        family = named.get(item) if isinstance(item, str) else item
        if not isinstance(family, Family):
            raise ValueError(f"families: {item!r} is unknown; allowed: {', '.join(named)}, or a TreeFamily object")
        if family.name in {f.name for f in checked}:
            raise ValueError(f"families: {family.name!r} occurs twice; drop one")
        if isinstance(family, TreeFamily) and (problem := _problem(family)):
            raise ValueError(f"families: {family.name}: {problem}")
        checked.append(family)
    if not checked:
        raise ValueError("families is empty; at least one family is needed")
    usable = [f for f in checked if n_categorical or "pairs" not in f.parts]
    if not usable:
        raise ValueError(f"families: {checked[0].name} needs a categorical column, but the table has none")
    return usable


def _problem(family: TreeFamily) -> str | None:
    """Return what is wrong with the options of a family."""
    parts, columns, boosting = family.parts, family.max_features, family.boosting
    if not isinstance(parts, tuple | list) or not len(parts):
        return f"parts must be a tuple with at least one part, got {parts!r}"
    for part in parts:
        if part not in PARTS if isinstance(part, str) else not is_linear(part):
            return f"{part!r} is neither {', '.join(PARTS)} nor a view with linear_parts"
    if family.splitter not in ("best", "random"):
        return f"splitter must be best or random, got {family.splitter!r}"
    is_number = isinstance(columns, Integral) and not isinstance(columns, bool) and columns >= 1
    is_share = isinstance(columns, Real) and not isinstance(columns, Integral) and 0 < columns <= 1
    if not (is_number or is_share or columns in ("sqrt", None)):
        return f"max_features must be sqrt, None, a number of at least 1 or a share of at most 1.0, got {columns!r}"
    if family.criterion not in CRITERIA:
        return f"criterion must be one of {', '.join(CRITERIA)}, got {family.criterion!r}"
    if family.criterion == "c45" and (family.splitter != "best" or columns is not None):
        return "C4.5 trees need splitter='best' and max_features=None"
    if "pairs" in parts and (len(parts) > 1 or not family.folds or boosting is not None):
        return "pairs of categories stand alone, on folds, without boosting"
    if boosting is None:
        return None
    if not isinstance(boosting, BoostingOptions):
        return f"boosting must be BoostingOptions or None, got {boosting!r}"
    try:
        boosting.check()
    except ValueError as error:
        return str(error)
    return None if family.folds else "boosted trees need folds, for held-out rows"
