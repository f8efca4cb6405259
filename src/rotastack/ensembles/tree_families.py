"""Families of trees, told apart by what their trees see and how they split."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rotastack.seeds import child, integer_seed
from rotastack.trees.growing import Family
from rotastack.trees.linear_views import LinearViews
from rotastack.views.many import haar_blocks, linear_discriminant_blocks
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import RowsByClass

__all__ = ["FAMILIES", "TreeFamily", "find_families", "grown_family"]

Parts = list[tuple[NDArray[np.intp], NDArray[np.float64] | None]]


@dataclass(frozen=True)
class TreeFamily:
    """What the trees of a family see, and how they split.

    Parameters
    ----------
    name : str
    parts : tuple
        What stands side by side in each tree's view: "identity" (the columns themselves), "discriminants" (LDA of two
        random blocks), "principal" (Rotation Forest's rotation), "sparse" (Haar rotations of blocks of 2 to 4 columns), or
        a view of one's own with a method ``linear_parts``, such as those of :mod:`rotastack.views`. Parts that
        learn are fitted to the rows in the tree's bag.
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
    )
}
"""The families that are known by name (spec of the flagship)."""


def find_families(families: Sequence[str | TreeFamily]) -> list[TreeFamily]:
    """Return the families, found by name where names are given.

    Raises
    ------
    ValueError
        None, an unknown name or part, or a name that stands twice.
    """
    found: list[TreeFamily] = []
    for item in families:
        family = FAMILIES.get(item) if isinstance(item, str) else item
        if not isinstance(family, TreeFamily):
            raise ValueError(
                f"families: {item!r} is unknown; there are {', '.join(FAMILIES)}, or a TreeFamily of one's own"
            )
        if family.name in {f.name for f in found}:
            raise ValueError(f"families: {family.name!r} stands twice")
        for part in family.parts:
            if part not in _PARTS if isinstance(part, str) else not hasattr(part, "linear_parts"):
                raise ValueError(
                    f"families: {family.name}: {part!r} is neither {', '.join(_PARTS)} nor a view with linear_parts"
                )
        found.append(family)
    if not found:
        raise ValueError("families is empty; at least one is needed")
    return found


def grown_family(
    family: TreeFamily,
    X: NDArray[np.float64],
    codes: NDArray[np.integer],
    n_classes: int,
    bags: Sequence[NDArray[np.intp]],
    sequence: np.random.SeedSequence,
) -> Family:
    """Return the family as the kernel takes it: its trees' views fitted to the rows in their bags.

    Parameters
    ----------
    family : TreeFamily
    X : ndarray of shape (n_rows, n_features)
        Centred.
    codes : ndarray of shape (n_rows,)
    n_classes : int
    bags : sequence of ndarray of int
        For each tree the rows in its bag, each once.
    sequence : numpy.random.SeedSequence
        Part i of tree k is seeded by ``child(sequence, i, k)``.
    """
    n_features, n_trees = X.shape[1], len(bags)
    views = None
    if family.parts != ("identity",):
        blocks: list[Parts] = [[] for _ in bags]
        for i, part in enumerate(family.parts):
            sequences = [child(sequence, i, k) for k in range(n_trees)]
            if isinstance(part, str):
                fitted = _PARTS[part](X, codes, n_classes, bags, sequences)
            else:
                fitted = [_fitted(part, X, codes, *each) for each in zip(bags, sequences, strict=True)]
            for mine, more in zip(blocks, fitted, strict=True):
                mine.extend(more)
        views = LinearViews.blocks(blocks, n_features)
    width = n_features if views is None else int(views.widths().min())
    return Family(
        n_trees, views, family.splitter, _candidates(family.max_features, n_features, width), name=family.name
    )


def _candidates(max_features, n_features: int, width: int):
    """Return the number of columns looked at, at most the width of the narrowest view."""
    root = max(1, int(np.sqrt(n_features)))
    known = {"sqrt": root, "double": 2 * root + 2}
    if isinstance(max_features, str):
        return min(known[max_features], width)
    return min(max_features, width) if isinstance(max_features, int) else max_features


def _identity(X, codes, n_classes, bags, sequences) -> list[Parts]:
    return [[(np.arange(X.shape[1]), None)] for _ in bags]


def _principal(X, codes, n_classes, bags, sequences) -> list[Parts]:
    rows = [RowsByClass.among(bag, codes) for bag in bags]
    return list(principal_blocks(X, rows, -(-X.shape[1] // 3), 0.5, sequences))


def _sparse(X, codes, n_classes, bags, sequences) -> list[Parts]:
    return list(haar_blocks(X.shape[1], sequences))


_PARTS = {
    "identity": _identity,
    "discriminants": linear_discriminant_blocks,
    "principal": _principal,
    "sparse": _sparse,
}


def _fitted(view, X, codes, bag, sequence) -> Parts:
    seeded = clone(view)
    seeds = {k: integer_seed(sequence) for k in seeded.get_params() if k.split("__")[-1] == "random_state"}
    return list(seeded.set_params(**seeds).fit(X[bag], codes[bag]).linear_parts())
