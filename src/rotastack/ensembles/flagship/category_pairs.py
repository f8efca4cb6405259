"""Encoding of categories, and pairs of them, by the class shares or the mean target of their rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import TargetEncoder

from rotastack.blas import one_blas_thread

SMOOTHING = 2.0
"""Number of rows with the mean target of all rows that are added to each category and pair."""

MOST_COLUMNS = 300
"""Largest number of columns of the result for pairs; the pairs of largest gain are kept."""

MOST_CELLS = 20_000
"""Largest number of cells of all pairs together."""

MOST_CATEGORIES = 2_000
"""Largest number of categories of all paired columns together; columns of few categories are paired first."""

ROWS_AT_ONCE = 1 << 16
"""Number of rows in each block when categories are counted."""


class CategoryPairs:
    """An encoder of categorical columns and pairs of these by target means; columns other than dummies stay unchanged.

    `dummies` has the columns of each categorical column's dummies. A cell of a pair is a category of each of its two
    columns. The gain of a pair is the sum of squares of the targets that its cells explain, minus the sum that each of
    its columns explains alone, minus the sum that as many cells explain by chance.

    Examples
    --------
    Neither column alone explains the target, but the pair does:

    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, dtype=np.float32)
    >>> odd = X.sum(axis=1)[:, None] == 1
    >>> view = CategoryPairs([np.array([0]), np.array([1])]).fit(X, odd.astype(float))
    >>> view.transform(X[:2]).round(2)
    array([[0.5 , 0.5 , 0.08],
           [0.5 , 0.5 , 0.92]], dtype=float32)
    """

    others_: NDArray[np.intp]  # the columns that are not dummies
    first_: NDArray[np.intp]  # the two columns of each pair; single columns come first, paired with themselves
    second_: NDArray[np.intp]
    # target means (category of first, category of second, target) of each pair; (category, target) of a single column
    tables_: list[NDArray[np.float32]]

    def __init__(self, dummies: Sequence[NDArray[np.intp]]):
        self.dummies = dummies

    def fit(self, X: NDArray[np.float32], targets: NDArray[np.floating]) -> "CategoryPairs":
        """Choose the pairs and compute the means of the `targets` (row, target)."""
        self.others_ = np.setdiff1d(np.arange(X.shape[1]), np.concatenate(self.dummies))
        codes, mean = self._codes(X), targets.mean(axis=0)
        sizes = np.array([len(mine) + 1 for mine in self.dummies])
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
        """Return the columns that are not dummies, then the target means of each categorical column and pair."""
        codes = self._codes(X)
        columns = [X[:, self.others_]]
        for a, b, table in zip(self.first_, self.second_, self.tables_, strict=True):
            columns.append(table[codes[:, a]] if a == b else table[codes[:, a], codes[:, b]])
        return np.concatenate(columns, axis=1)

    def spread(self, amounts: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
        """Return amounts of encoded columns as amounts of the columns of X; the two of a pair get halves."""
        out = np.zeros(n_columns)
        out[self.others_] = amounts[: len(self.others_)]
        each = amounts[len(self.others_) :].reshape(len(self.first_), -1).sum(axis=1)
        for half in (self.first_, self.second_):
            for k, amount in zip(half, each, strict=True):
                out[self.dummies[k]] += amount / 2 / len(self.dummies[k])
        return out

    def _codes(self, X: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return category numbers (row, categorical column); 0 if all dummies of the column are 0."""
        return np.column_stack(
            [X[:, mine] @ np.arange(1, len(mine) + 1, dtype=np.float32) for mine in self.dummies]
        ).astype(np.intp)


class ManyValues:
    """An encoder of categories by target means; a training row gets means over the rows of the other folds.

    Scikit-learn's TargetEncoder shrinks the means towards the mean of all rows. Missing values are a category.
    An unknown category gets the mean of all rows here.

    Examples
    --------
    >>> cities = np.array([[1.0], [2.0]] * 10)
    >>> encoder = ManyValues()
    >>> encoder.fit_transform(cities, cities - 1, np.arange(20) // 10).shape
    (20, 1)
    >>> encoder.transform(np.array([[2.0], [1.0], [7.0]])).ravel().round(1).tolist()
    [1.0, 0.0, 0.5]
    """

    def fit_transform(
        self, codes: NDArray[np.float64], targets: NDArray[np.float64], folds: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Learn the means from category numbers (row, column), NaN for missing; return those of :meth:`transform`."""
        self._fit(codes, targets)
        means = np.empty((len(codes), codes.shape[1] * targets.shape[1]))
        for fold in np.unique(folds):
            held = folds == fold
            others = ~held if not held.all() else held
            means[held] = ManyValues()._fit(codes[others], targets[others]).transform(codes[held])
        return means

    def _fit(self, codes: NDArray[np.float64], targets: NDArray[np.float64]) -> "ManyValues":
        self.encoders_ = [TargetEncoder(target_type="continuous").fit(codes, target) for target in targets.T]
        return self

    def transform(self, codes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the means of each column in turn over all training rows, shape (n_rows, n_columns * n_targets)."""
        means = np.stack([encoder.transform(codes) for encoder in self.encoders_], axis=2)
        return means.reshape(len(codes), -1)


def _best_pairs(
    codes: NDArray[np.intp], sizes: NDArray[np.intp], targets: NDArray[np.floating]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second column of the pairs of largest gain."""
    order = np.argsort(sizes, kind="stable")
    paired = np.sort(order[np.cumsum(sizes[order]) <= MOST_CATEGORIES])
    if len(paired) < 2:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    i, j = np.triu_indices(len(paired), 1)
    first, second = paired[i], paired[j]
    gains = _pair_gains(codes[:, paired], sizes[paired], targets)[i, j]
    best = np.argsort(-gains, kind="stable")[: MOST_COLUMNS // targets.shape[1]]
    best = best[np.cumsum((sizes[first] * sizes[second])[best]) <= MOST_CELLS]
    return first[np.sort(best)], second[np.sort(best)]


def _pair_gains(codes: NDArray[np.intp], sizes: NDArray[np.intp], targets: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the gain of each pair of categorical columns over its single columns, (n_categorical, n_categorical)."""
    edges = np.concatenate([[0], np.cumsum(sizes)])
    counts = np.zeros((edges[-1], edges[-1]))
    sums = np.zeros((targets.shape[1], edges[-1], edges[-1]))
    with one_blas_thread():  # one order of additions; sums of 0/1 targets are whole numbers, and exact in any order
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

    total, occupied = by_pair(explained), by_pair((counts > 0).astype(np.float64))
    by_chance = float(targets.var(axis=0).sum())  # sum of squares that a cell explains by chance
    beyond = total - by_chance * (occupied - 1)
    alone = np.diagonal(beyond)  # a column paired with itself has only its own categories as cells
    return beyond - alone[:, None] - alone
