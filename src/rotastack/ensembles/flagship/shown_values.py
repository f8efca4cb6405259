"""Values of training rows that stand in for a value that no training row has."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

N_VALUES = 20
"""Largest number of values of a column that stand in for a value that training has not shown."""


class ShownValues:
    """What training has shown in each column of a table: values with their shares of the rows, and whole rows.

    In encoded rows, NaN is a value that training has not shown, unless the column has missing values in training. A
    column of at most 20 categories has all of these. Any other column has 20 values at equally spaced quantiles:
    categories in their order or by target means, dates by days. For a row with such values in several columns, the
    columns take their values together from training rows, at quantiles of the target.

    Parameters
    ----------
    rows : ndarray of float32 of shape (n_rows, n_encoded)
        The encoded training rows.
    sources : ndarray of shape (n_encoded or n_encoded - 1,)
        The input column of each encoded column; the last one, the share of missing numbers, has none.
    groups : sequence of ndarray
        The encoded columns of each column of few categories.
    targets : ndarray of shape (n_rows, n_targets)

    Examples
    --------
    >>> city = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    >>> shown = ShownValues(city, np.zeros(3, int), [np.arange(3)], np.arange(4.0)[:, None])
    >>> new = np.full((1, 3), np.nan, dtype=np.float32)
    >>> [(share.item(), row.tolist()) for share, row in shown.fillings(new)]
    [(0.25, [[1.0, 0.0, 0.0]]), (0.5, [[0.0, 1.0, 0.0]]), (0.25, [[0.0, 0.0, 1.0]])]
    """

    def __init__(
        self,
        rows: NDArray[np.float32],
        sources: NDArray[np.intp],
        groups: Sequence[NDArray[np.intp]],
        targets: NDArray[np.float64],
    ):
        n, rows = len(rows), rows[:, : len(sources)]
        places = ((np.arange(N_VALUES) + 0.5) / N_VALUES * n).astype(np.intp)
        self.sources = sources
        self.complete = ~np.isnan(rows).any(axis=0)
        self.rows = rows[np.lexsort(targets.T[::-1])[places]]
        self.values = np.partition(rows, np.unique(places), axis=0)[places]
        self.shares = np.full((N_VALUES, int(sources.max(initial=0)) + 1), 1 / N_VALUES)
        several = np.flatnonzero(np.bincount(sources) > 1)
        for part in (np.flatnonzero(sources == source) for source in several):
            self.values[:, part] = rows[np.ix_(np.argsort(rows[:, part[0]], kind="stable")[places], part)]
        for part in groups:
            codes = rows[:, part] @ np.arange(1, len(part) + 1, dtype=np.float32)
            _, first, counts = np.unique(codes, return_index=True, return_counts=True)
            if len(first) > N_VALUES:
                first, counts = np.argsort(codes, kind="stable")[places], np.ones(N_VALUES, np.intp)
            self.values[: len(first), part] = rows[np.ix_(first, part)]
            self.shares[:, sources[part[0]]] = np.pad(counts / counts.sum(), (0, N_VALUES - len(first)))

    def lacking(self, rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return the mask of the encoded values that training has not shown, shape (n_rows, len(sources))."""
        mask = np.isnan(rows[:, : len(self.sources)])
        mask &= self.complete
        return mask

    def by_input(self, lacking: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the mask :meth:`lacking` by input column instead of encoded column."""
        mask = np.zeros((len(lacking), self.shares.shape[1]), dtype=bool)
        for column in np.flatnonzero(lacking.any(axis=0)):
            mask[:, self.sources[column]] |= lacking[:, column]
        return mask

    def fillings(self, rows: NDArray[np.float32]) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float32]]]:
        """Yield shares (n_rows,), which add up to 1, and encoded rows with shown values in place of those that are not.

        Each of the `rows` has a value that training has not shown.
        """
        lacking = self.lacking(rows)
        columns = self.by_input(lacking)
        alone, column = columns.sum(axis=1) == 1, columns.argmax(axis=1)
        for values, shares, together in zip(self.values, self.shares, self.rows, strict=True):
            share = np.where(alone, shares[column], 1 / N_VALUES)
            if share.any():
                filled = rows.copy()
                stand_ins = np.where(alone[:, None], values, together)
                filled[:, : len(self.sources)] = np.where(lacking, stand_ins, rows[:, : len(self.sources)])
                yield share, filled
