"""Categories, and pairs of them, as the shares of the classes or the mean target of their rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rotastack.blas import one_blas_thread

__all__ = ["CategoryPairs"]

SMOOTHING = 2.0
"""Rows of the mean target that are counted in each category and pair."""

MOST_COLUMNS = 300
"""Columns of pairs at most: those that tell most beyond what their two categories tell."""

MOST_CELLS = 20_000
"""Cells of all pairs at most."""

MOST_VALUES = 2_000
"""Values of all categories of which pairs are made: the categories of fewest values."""

ROWS_AT_ONCE = 1 << 16
"""Rows whose categories are counted at once."""


class CategoryPairs:
    """Encode categories and pairs of categories by means of targets, beside the columns that are no dummies.

    What a pair tells is the sum of squares of the targets that its cells explain, less what either category explains alone,
    less what as many cells would explain by chance.

    Parameters
    ----------
    groups : sequence of ndarray of int
        Columns that are the dummies of one category each.

    Attributes
    ----------
    others_ : ndarray of int
        The columns that are no dummies.
    first_, second_ : ndarray of int of shape (n_pairs,)
        Categories of each pair; a category alone has itself as second.
    tables_ : list of ndarray of shape (n_values of the first, n_values of the second, n_targets)
        Their means; of a category alone (n_values, n_targets).

    Examples
    --------
    Of two categories alone neither tells anything:

    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, dtype=np.float32)
    >>> odd = X.sum(axis=1)[:, None] == 1
    >>> view = CategoryPairs([np.array([0]), np.array([1])]).fit(X, odd.astype(float))
    >>> view.transform(X[:2]).round(2)
    array([[0.5 , 0.5 , 0.08],
           [0.5 , 0.5 , 0.92]], dtype=float32)
    """

    def __init__(self, groups: Sequence[NDArray[np.intp]]):
        self.groups = groups

    def fit(self, X: NDArray[np.float32], targets: NDArray[np.floating]) -> "CategoryPairs":
        """Find the pairs and the means.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
        targets : ndarray of shape (n_rows, n_targets)
        """
        self.others_ = np.setdiff1d(np.arange(X.shape[1]), np.concatenate(self.groups))
        codes, mean = self._codes(X), targets.mean(axis=0)
        sizes = np.array([len(group) + 1 for group in self.groups])
        first, second = _best_pairs(codes, sizes, targets)
        alone = np.arange(len(sizes))
        self.first_, self.second_ = np.concatenate([alone, first]), np.concatenate([alone, second])
        self.tables_ = []
        for a, b in zip(self.first_, self.second_, strict=True):
            shape = (sizes[a],) if a == b else (sizes[a], sizes[b])
            cell = codes[:, a] if a == b else codes[:, a] * sizes[b] + codes[:, b]
            n = np.bincount(cell, minlength=np.prod(shape))
            sums = np.column_stack([np.bincount(cell, t, len(n)) for t in (targets - mean).T])
            means = mean + sums / (n + SMOOTHING)[:, None]
            self.tables_.append(means.astype(np.float32).reshape(*shape, -1))
        return self

    def transform(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the columns that are no dummies, then the means of each category and pair.

        Returns
        -------
        ndarray of float32 of shape (n_rows, n_others + (n_categories + n_pairs) * n_targets)
        """
        codes = self._codes(X)
        found = [X[:, self.others_]]
        for a, b, table in zip(self.first_, self.second_, self.tables_, strict=True):
            found.append(table[codes[:, a]] if a == b else table[codes[:, a], codes[:, b]])
        return np.concatenate(found, axis=1)

    def spread(self, amounts: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
        """Return amounts of the result's columns as amounts of the columns of X: halves for each of a pair."""
        out = np.zeros(n_columns)
        out[self.others_] = amounts[: len(self.others_)]
        each = amounts[len(self.others_) :].reshape(len(self.first_), -1).sum(axis=1)
        for half in (self.first_, self.second_):
            for category, amount in zip(half, each, strict=True):
                out[self.groups[category]] += amount / 2 / len(self.groups[category])
        return out

    def _codes(self, X: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return the number of the value of each category: 0 without a dummy, otherwise 1, 2, ..."""
        return np.column_stack(
            [X[:, group] @ np.arange(1, len(group) + 1, dtype=np.float32) for group in self.groups]
        ).astype(np.intp)


def _best_pairs(
    codes: NDArray[np.intp], sizes: NDArray[np.intp], targets: NDArray[np.floating]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and second category of the pairs that tell most."""
    order = np.argsort(sizes, kind="stable")
    paired = np.sort(order[np.cumsum(sizes[order]) <= MOST_VALUES])
    if len(paired) < 2:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    i, j = np.triu_indices(len(paired), 1)
    first, second = paired[i], paired[j]
    told = _told(codes[:, paired], sizes[paired], targets)[i, j]
    best = np.argsort(-told, kind="stable")[: MOST_COLUMNS // targets.shape[1]]
    best = best[np.cumsum((sizes[first] * sizes[second])[best]) <= MOST_CELLS]
    return first[np.sort(best)], second[np.sort(best)]


def _told(codes: NDArray[np.intp], sizes: NDArray[np.intp], targets: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return what pairs of categories tell beyond either alone, (category, category)."""
    edges = np.concatenate([[0], np.cumsum(sizes)])
    counts = np.zeros((edges[-1], edges[-1]))
    sums = np.zeros((targets.shape[1], edges[-1], edges[-1]))
    with one_blas_thread():  # sums of numbers run in one order; those of shares are whole numbers, and exact
        for start in range(0, len(codes), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            cells = np.zeros((len(codes[block]), edges[-1]), np.float32)
            cells[np.arange(len(cells))[:, None], codes[block] + edges[:-1]] = 1.0
            counts += cells.T @ cells
            for k, target in enumerate(targets[block].T.astype(np.float32)):
                sums[k] += cells.T @ (cells * target[:, None])
    explained = np.zeros_like(counts)
    for of_target, mean in zip(sums, targets.mean(axis=0), strict=True):
        explained += (of_target - mean * counts) ** 2 / np.maximum(counts, 1)

    def by_pair(amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.add.reduceat(np.add.reduceat(amounts, edges[:-1], axis=0), edges[:-1], axis=1)

    found, occupied = by_pair(explained), by_pair((counts > 0).astype(np.float64))
    by_chance = float(targets.var(axis=0).sum())  # of a cell
    beyond = found - by_chance * (occupied - 1)
    alone = np.diagonal(beyond)  # of a category with itself only the diagonal is occupied
    return beyond - alone[:, None] - alone
