"""Categories as the shares of the classes among their rows (target encoding), as linear views of dummies."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rotastack.views.subsets import Block

__all__ = ["category_shares"]

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

    The share of a class in a category is that among its `rows`, smoothed by two rows of all classes' shares. Of two classes
    one share says all; of more, those of the four largest classes are taken. The category without a dummy
    is 0, and the others' differences to it are what comes out: trees do not see the shift.

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
        The rows that may be seen, such as those in a tree's bag.
    """
    member = np.eye(n_classes, dtype=np.float32)[codes[rows]]
    all_rows = member.sum(axis=0, dtype=np.float64)
    prior = all_rows / len(rows)
    chosen = np.argsort(-prior, kind="stable")[: 1 if n_classes == 2 else _MOST_CLASSES]
    columns = np.concatenate(groups)
    counted = X[rows[:, None], columns].T.astype(np.float32) @ member  # (dummy, class): whole numbers, exact
    found, start = [], 0
    for group in groups:
        counts = counted[start : start + len(group)].astype(np.float64)
        start += len(group)
        rest = all_rows - counts.sum(axis=0)
        shares = (np.vstack([rest, counts]) + _SMOOTHING * prior) / (
            np.concatenate([[rest.sum()], counts.sum(axis=1)])[:, None] + _SMOOTHING
        )
        found.append((group, (shares[1:] - shares[0])[:, chosen]))
    return found
