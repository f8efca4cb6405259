"""Categories as the shares of the classes, or the mean target, of their rows (target encoding): linear views of dummies."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rotastack.views.subsets import Block

__all__ = ["category_means", "category_shares", "told_classes"]

_SMOOTHING = 2.0
_MOST_CLASSES = 4


def category_shares(
    X: NDArray[np.floating],
    codes: NDArray[np.integer],
    n_classes: int,
    groups: Sequence[NDArray[np.intp]],
    rows: NDArray[np.intp],
) -> list[Block]:
    """Return, for each category column, the matrix that turns its dummies into shares of classes.

    The share of a class in a category is that among its `rows`, smoothed by two rows of all classes' shares.
    With two classes there is one output, the share of the larger; with more, the shares of the four largest.
    Outputs are differences to the category without a dummy, which is 0: trees are invariant to the shift.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Dummies are 0 or 1.
    codes : ndarray of shape (n_rows,)
        Class numbers.
    n_classes : int
    groups : sequence of ndarray of int
        Columns that are the dummies of one category each, one of its values having none.
    rows : ndarray of int
        The rows that shares are computed from, such as those in a tree's bag.
    """
    chosen = told_classes(codes[rows], n_classes)
    return category_means(X, (codes[:, None] == chosen).astype(np.float32), groups, rows)


def told_classes(codes: NDArray[np.integer], n_classes: int = 0) -> NDArray[np.intp]:
    """Return the classes whose shares are told: the larger of two, otherwise the four largest."""
    sizes = np.bincount(codes, minlength=n_classes)
    return np.argsort(-sizes, kind="stable")[: 1 if len(sizes) == 2 else _MOST_CLASSES]


def category_means(
    X: NDArray[np.floating], target: NDArray[np.floating], groups: Sequence[NDArray[np.intp]], rows: NDArray[np.intp]
) -> list[Block]:
    """Return, for each category column, the matrix that turns its dummies into mean targets.

    The mean of a category is that of its `rows` and of two more with the mean target of all. Outputs are
    differences to the category without a dummy, which is 0.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Dummies are 0 or 1.
    target : ndarray of shape (n_rows, n_targets)
    groups, rows : see :func:`category_shares`
    """
    mine = target[rows]
    total = mine.sum(axis=0, dtype=np.float64)
    mean = total / len(rows)
    dummies = X[rows[:, None], np.concatenate(groups)].T.astype(target.dtype)
    sums = (dummies @ mine).astype(np.float64)  # of shares: whole numbers, exact
    sizes = dummies.sum(axis=1, dtype=np.float64)
    found, start = [], 0
    for group in groups:
        here = slice(start, start + len(group))
        start += len(group)
        all_sums = np.vstack([total - sums[here].sum(axis=0), sums[here]])
        all_sizes = np.concatenate([[len(rows) - sizes[here].sum()], sizes[here]])
        means = (all_sums + _SMOOTHING * mean) / (all_sizes + _SMOOTHING)[:, None]
        found.append((group, means[1:] - means[0]))
    return found
