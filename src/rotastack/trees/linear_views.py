"""Linear views of the data, in the arrays that the compiled kernel reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_NO_FILLS = np.empty(0, np.float32)
SPREAD_AT_ONCE = 1 << 20  # approximate number of weights of views that amounts are spread over at once


class ViewTables(NamedTuple):
    """The arrays of :class:`LinearViews`, contiguous and aligned for the kernel.

    `fills` is empty for views without fills. `max_width` is the number of columns of the widest view, at least 1.
    """

    starts: NDArray[np.int64]
    parts: NDArray[np.int64]
    columns: NDArray[np.int32]
    matrices: NDArray[np.float32]
    fills: NDArray[np.float32]
    max_width: int


@dataclass(frozen=True)
class LinearViews:
    """Linear maps of `n_features` columns, each stored as a sequence of parts.

    A view computes ``X @ V`` with a matrix V of shape (n_features, width) that is never formed. The parts of a view
    stand side by side: a part copies columns, or maps a few columns by a small dense matrix. The class methods make
    views; :meth:`beside` puts views side by side, and :meth:`concatenate` puts views one after the other.

    Attributes
    ----------
    n_features : int
    starts : ndarray of int64 of shape (n_views + 1,)
        View v has the parts ``starts[v]`` to ``starts[v + 1] - 1``.
    parts : ndarray of int64 of shape (n_parts, 4)
        Position of the part's first column in `columns`, number of columns, position of the part's matrix in `matrices`
        (-1 if the columns are copied), number of outputs.
    columns : ndarray of int32
    matrices : ndarray of float32
        Matrices of shape (number of columns, number of outputs), stored row by row.
    fills : ndarray of float32, or None
        For each entry of `columns`, the number that replaces missing values (NaN) when the column is mapped. Without
        fills, or if a fill is NaN, outputs computed from missing values are missing.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.trees import LinearViews
    >>> X = np.array([[1.0, 2.0, 3.0]], dtype=np.float32)
    >>> swap = LinearViews.dense([[[0, 1], [1, 0]]], columns=[[0, 2]], n_features=3)
    >>> views = LinearViews.identity(3).beside(swap)
    >>> views.widths().tolist(), views.matrix(0).T @ X[0]
    ([5], array([1., 2., 3., 3., 1.], dtype=float32))
    """

    n_features: int
    starts: NDArray[np.int64]
    parts: NDArray[np.int64]
    columns: NDArray[np.int32]
    matrices: NDArray[np.float32]
    fills: NDArray[np.float32] | None = None

    @classmethod
    @cache  # one object, which joined forests share
    def identity(cls, n_features: int, n_views: int = 1) -> "LinearViews":
        """Return views that copy all columns, in order; the data themselves."""
        return cls.subset(np.arange(n_features)[None], n_features).repeat(n_views)

    @classmethod
    def subset(cls, columns: ArrayLike, n_features: int) -> "LinearViews":
        """Return views that each copy a subset of the columns.

        Parameters
        ----------
        columns : array-like of int of shape (n_views, width)
        n_features : int
        """
        chosen = _checked_columns(columns, n_features)
        n_views, width = chosen.shape
        views = np.arange(n_views)
        none = np.full(n_views, -1)
        parts = np.stack([views * width, np.full(n_views, width), none, np.full(n_views, width)], axis=1)
        return cls(n_features, np.arange(n_views + 1), parts, chosen.ravel(), np.empty(0, np.float32))

    @classmethod
    def dense(
        cls, matrices: ArrayLike, columns: ArrayLike | None = None, n_features: int | None = None
    ) -> "LinearViews":
        """Return views that each map columns by one dense matrix.

        Parameters
        ----------
        matrices : array-like of shape (n_views, n_in, width)
        columns : array-like of int of shape (n_views, n_in), optional
            Columns that each view maps. Default: all columns, in order.
        n_features : int, optional
        """
        stack = np.ascontiguousarray(matrices, dtype=np.float32)
        n_views, n_in, width = stack.shape
        chosen = np.arange(n_in)[None] if columns is None else columns
        flat = _checked_columns(chosen, n_features or n_in)
        views = np.arange(n_views)
        first = np.zeros(n_views, dtype=np.int64) if columns is None else views * n_in
        parts = np.stack([first, np.full(n_views, n_in), views * (n_in * width), np.full(n_views, width)], axis=1)
        return cls(n_features or n_in, np.arange(n_views + 1), parts, flat.ravel(), stack.ravel())

    @classmethod
    def blocks(cls, blocks: Iterable[Sequence[tuple[ArrayLike, ArrayLike | None]]], n_features: int) -> "LinearViews":
        """Return block-sparse views: sequences of copied columns and of columns mapped by a matrix.

        Parameters
        ----------
        blocks : iterable over views of sequences of (columns, matrix)
            Integers of shape (n_in,), and numbers of shape (n_in, n_out) or None to copy the columns. The outputs of
            the blocks, side by side, are the outputs of the view.
        n_features : int
        """
        starts, columns, numbers, sizes = [0], [np.empty(0, np.int32)], [np.empty(0, np.float32)], []
        for view in blocks:
            for chosen, matrix in view:
                flat = np.ravel(chosen)
                columns.append(flat)
                if matrix is None:
                    sizes.append((len(flat), -1, len(flat)))
                    continue
                block = np.asarray(matrix, dtype=np.float32)
                if block.ndim != 2 or len(block) != len(flat):
                    raise ValueError(
                        f"a block of {len(flat)} columns needs a matrix of {len(flat)} rows, got shape {block.shape}"
                    )
                sizes.append((len(flat), block.size, block.shape[1]))
                numbers.append(block.ravel())
            starts.append(len(sizes))
        n_in, n_numbers, n_out = np.array(sizes, dtype=np.int64).reshape(-1, 3).T
        held = np.maximum(n_numbers, 0)
        matrices = np.where(n_numbers < 0, -1, np.cumsum(held) - held)
        parts = np.stack([np.cumsum(n_in) - n_in, n_in, matrices, n_out], axis=1)
        flat = _checked_columns(np.concatenate(columns), n_features)
        return cls(n_features, np.array(starts), parts, flat, np.concatenate(numbers))

    @classmethod
    def concatenate(cls, views: Sequence["LinearViews"]) -> "LinearViews":
        """Return the views of several objects, one after the other."""
        if len(views) == 1:
            return views[0]
        if len({v.n_features for v in views}) > 1:
            raise ValueError(
                f"all views must have the same number of columns, got {sorted({v.n_features for v in views})}"
            )
        shared = all(
            v.matrices is views[0].matrices and v.columns is views[0].columns and v.fills is views[0].fills
            for v in views
        )
        starts, parts = [np.zeros(1, dtype=np.int64)], []
        n_parts = n_columns = n_numbers = 0
        for v in views:
            starts.append(v.starts[1:] + n_parts)
            moved = v.parts.copy()
            moved[:, 0] += n_columns
            moved[:, 2] += np.where(moved[:, 2] >= 0, n_numbers, 0)
            parts.append(moved)
            n_parts += len(v.parts)
            if not shared:
                n_columns += len(v.columns)
                n_numbers += len(v.matrices)
        if shared:
            return cls(
                views[0].n_features,
                np.concatenate(starts),
                np.concatenate(parts),
                views[0].columns,
                views[0].matrices,
                views[0].fills,
            )
        none = all(v.fills is None for v in views)
        return cls(
            views[0].n_features,
            np.concatenate(starts),
            np.concatenate(parts),
            np.concatenate([v.columns for v in views]),
            _joined([v.matrices for v in views]),
            None
            if none
            else np.concatenate(
                [np.full(len(v.columns), np.nan, np.float32) if v.fills is None else v.fills for v in views]
            ),
        )

    def filled(self, fills: NDArray[np.floating]) -> "LinearViews":
        """Return the same views with fills, the numbers that replace missing values when a view maps a column.

        Parameters
        ----------
        fills : ndarray of shape (n_views, n_features)
        """
        lengths = self.parts[:, 1]
        view = np.repeat(np.arange(len(self)), np.diff(self.starts))
        ends = np.cumsum(lengths)
        where = np.repeat(self.parts[:, 0] - (ends - lengths), lengths) + np.arange(lengths.sum())
        columns = self.columns[where]
        parts = self.parts.copy()
        parts[:, 0] = ends - lengths
        column_fills = np.asarray(fills, np.float32)[np.repeat(view, lengths), columns]
        return replace(self, parts=parts, columns=columns, fills=column_fills)

    def repeat(self, n: int) -> "LinearViews":
        """Return each view `n` times in a row; the matrices are shared."""
        if n == 1:
            return self
        return self.take(np.repeat(np.arange(len(self)), n))

    def take(self, views: ArrayLike) -> "LinearViews":
        """Return the views of the given numbers, in that order; the matrices are shared."""
        chosen = np.asarray(views)
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        parts = self.parts[np.repeat(self.starts[chosen], lengths) + within]
        return LinearViews(self.n_features, starts, parts, self.columns, self.matrices, self.fills)

    def compact(self) -> "LinearViews":
        """Return the same views without the columns and matrices that no part refers to."""
        parts = self.parts.copy()
        columns: dict[tuple[int, int], int] = {}
        numbers: dict[tuple[int, int], int] = {}
        n_columns = n_numbers = 0
        for k, (first, n_in, where, n_out) in enumerate(self.parts.tolist()):
            if (first, n_in) not in columns:
                columns[first, n_in] = n_columns
                n_columns += n_in
            parts[k, 0] = columns[first, n_in]
            if where >= 0:
                if (where, n_in * n_out) not in numbers:
                    numbers[where, n_in * n_out] = n_numbers
                    n_numbers += n_in * n_out
                parts[k, 2] = numbers[where, n_in * n_out]
        return LinearViews(
            self.n_features,
            self.starts,
            parts,
            np.concatenate([np.empty(0, np.int32), *(self.columns[a : a + n] for a, n in columns)]),
            np.concatenate([np.empty(0, np.float32), *(self.matrices[a : a + n] for a, n in numbers)]),
            None
            if self.fills is None
            else np.concatenate([np.empty(0, np.float32), *(self.fills[a : a + n] for a, n in columns)]),
        )

    def beside(self, *others: "LinearViews") -> "LinearViews":
        """Return views whose outputs are those of this object's views, then those of the others' views.

        All objects must have the same number of views; a single view is repeated as often as needed.
        """
        operands = [self, *others]
        n_views = max(len(v) for v in operands)
        if any(len(v) not in (1, n_views) for v in operands):
            raise ValueError(f"the parts must have the same number of views, got {[len(v) for v in operands]}")
        operands = [v.repeat(n_views) if len(v) == 1 else v for v in operands]
        joined = LinearViews.concatenate(operands)
        order = np.arange(n_views * len(operands)).reshape(len(operands), n_views).T.ravel()
        mixed = joined.take(order)
        return replace(mixed, starts=mixed.starts[:: len(operands)].copy())

    def tables(self) -> ViewTables:
        """Return the arrays of the views for the kernel."""
        fills = _NO_FILLS if self.fills is None else contiguous(self.fills)
        starts, parts, columns, matrices = (
            contiguous(a) for a in (self.starts, self.parts, self.columns, self.matrices)
        )
        return ViewTables(starts, parts, columns, matrices, fills, int(self.widths().max(initial=1)))

    def widths(self) -> NDArray[np.int64]:
        """Return the number of columns of each view."""
        ends = np.zeros(len(self.parts) + 1, np.int64)
        self.parts[:, 3].cumsum(out=ends[1:])
        edges = ends[self.starts]
        return edges[1:] - edges[:-1]

    def matrix(self, view: int) -> NDArray[np.float32]:
        """Return the matrix (n_features, width) of a view."""
        blocks = []
        for first, n_in, where, n_out in self.parts[self.starts[view] : self.starts[view + 1]]:
            block = np.zeros((self.n_features, n_out), dtype=np.float32)
            if where < 0:
                inner = np.eye(n_in, dtype=np.float32)
            else:
                inner = self.matrices[where : where + n_in * n_out].reshape(n_in, n_out)
            np.add.at(block, self.columns[first : first + n_in], inner)
            blocks.append(block)
        return np.concatenate(blocks, axis=1)

    def spread(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the amounts of data columns that follow from amounts of the views' columns.

        A column of a view is a weighted sum of data columns. Its amount is shared among these data columns in
        proportion to their squared weights.

        Parameters
        ----------
        amounts : ndarray of shape (n_views, width)
            Amount of each column of each view; width is that of the widest view.

        Returns
        -------
        ndarray of shape (n_views, n_features)
        """
        out = np.zeros((len(self), self.n_features))
        sizes = self.parts[:, 1] * np.where(self.parts[:, 2] < 0, 1, self.parts[:, 3])
        view = np.repeat(np.arange(len(self)), np.diff(self.starts))
        widths = self.widths()
        place = np.cumsum(self.parts[:, 3]) - self.parts[:, 3] - (np.cumsum(widths) - widths)[view]
        place += view * amounts.shape[1]
        ends, flat = np.cumsum(sizes), amounts.ravel()
        begin = 0
        while begin < len(ends):
            last = ends[begin] - sizes[begin] + SPREAD_AT_ONCE
            stop = max(begin + 1, int(np.searchsorted(ends, last, side="right")))
            group = slice(begin, stop)
            self._spread(self.parts[group], sizes[group], place[group], view[group], flat, out.ravel())
            begin = stop
        return out

    def _spread(
        self,
        parts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        place: NDArray[np.int64],
        view: NDArray[np.int64],
        amounts: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> None:
        """Add the amounts of these parts to `out`.

        A part has `sizes` weights, belongs to `view`, and its outputs start at `place` in `amounts`.
        """
        first, _, where, n_out = parts.T
        part = np.repeat(np.arange(len(sizes)), sizes)
        within = np.arange(len(part)) - (np.cumsum(sizes) - sizes)[part]
        row, column = np.divmod(within, n_out[part])
        copied = where[part] < 0
        row = np.where(copied, column, row)
        squares = np.ones(len(part))
        squares[~copied] = self.matrices[(where[part] + within)[~copied]].astype(np.float64) ** 2
        column += place[part] - place[0]
        totals = np.bincount(column, squares)
        shares = squares / np.maximum(totals[column], np.finfo(float).tiny)
        feature = self.columns[first[part] + row] + view[part] * self.n_features
        np.add.at(out, feature, shares * amounts[place[0] :][column])

    def __len__(self) -> int:
        return len(self.starts) - 1


def _joined(arrays: Sequence[NDArray]) -> NDArray:
    """Return the concatenated arrays; a single array that is not empty is not copied."""
    filled = [array for array in arrays if len(array)]
    return filled[0] if len(filled) == 1 else np.concatenate(arrays)


def _checked_columns(columns: ArrayLike, n_features: int) -> NDArray[np.int32]:
    chosen = np.asarray(columns)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n_features):
        raise ValueError(
            f"column numbers must be from 0 to {n_features - 1}, got {int(chosen.min())} to {int(chosen.max())}"
        )
    return np.ascontiguousarray(chosen, dtype=np.int32)


def contiguous(array: NDArray, dtype: type | None = None) -> NDArray:
    """Return the array contiguous, aligned and of type `dtype`, as compiled code needs it; copied only if necessary."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned and (dtype is None or array.dtype == dtype):
        return array
    return np.require(array, dtype, ["C", "A"])
