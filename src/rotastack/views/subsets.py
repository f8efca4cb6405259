"""Base class of views that map random subsets of the columns, each fitted to a random sample of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.scikit import Interval
from rotastack.base.view import Part
from rotastack.seeds import random_bits, root_sequence
from rotastack.views.linear import FittedView

Block = tuple[NDArray[np.intp], NDArray[np.float64]]
"""Columns and the matrix that maps them; the outputs take the places of the columns, or of the first if fewer."""


def count_subsets(n_features: int, n_subsets: int | None, subset_size: int | None) -> int:
    """Return the number of subsets that `n_features` columns are split into; a ValueError for impossible parameters."""
    if n_subsets is not None and subset_size is not None:
        raise ValueError(
            f"give n_subsets or subset_size, not both (got n_subsets={n_subsets}, subset_size={subset_size})"
        )
    if subset_size is not None:
        return -(-n_features // subset_size)
    if n_subsets is None:
        return min(2, n_features)
    if n_subsets > n_features:
        raise ValueError(f"n_subsets is {n_subsets}; at most {n_features}, the number of columns, is allowed")
    return n_subsets


def split_columns(
    n_features: int, n_subsets: int, seeds: NDArray[np.uint64]
) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
    """Return random subsets of the columns for each of `seeds`, and a seed for each subset's sample.

    Subsets have the shape (n_seeds, n_subsets, size) and are sorted. Sizes differ by at most one, with larger subsets
    first; a smaller subset ends with the number `n_features`, which is no column.
    """
    bits = random_bits(seeds, n_features + n_subsets)
    size = -(-n_features // n_subsets)
    subsets = np.full((len(seeds), n_subsets, size), n_features)
    is_smaller = np.arange(n_subsets) >= n_features - n_subsets * (size - 1)
    subsets[:, np.arange(size) < size - is_smaller[:, None]] = bits[:, :n_features].argsort(axis=1, kind="stable")
    subsets.sort(axis=2)
    return subsets, bits[:, n_features:]


@dataclass(frozen=True)
class RowsByClass:
    """Rows sorted by class: `order` holds the numbers of the rows, `codes` their class numbers.

    If `bags` is given, shape (n_views, n_rows), a view uses only the rows that it marks, in the order of `order`.
    """

    order: NDArray[np.intp]
    codes: NDArray[np.intp]
    bags: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, y: ArrayLike | None, n_rows: int) -> "RowsByClass":
        """Return all rows by class, or as one class without `y`."""
        return cls.among(np.arange(n_rows), np.zeros(n_rows) if y is None else np.asarray(y))

    @classmethod
    def among(cls, rows: NDArray[np.intp], y: NDArray) -> "RowsByClass":
        """Return the rows with the numbers `rows` by class; `y` holds the classes of all rows."""
        codes = np.unique(y[rows], return_inverse=True)[1]
        order = np.argsort(codes, kind="stable")
        return cls(rows[order], codes[order])

    def of_view(self, view: int) -> "RowsByClass":
        """Return the rows that one view uses."""
        if self.bags is None:
            return self
        mine = self.bags[view]
        return RowsByClass(self.order[mine], np.unique(self.codes[mine], return_inverse=True)[1])

    def draw(
        self, seeds: NDArray[np.uint64], ratio: float, *, least: int = 1, views: slice = slice(None)
    ) -> NDArray[np.intp]:
        """Return a bootstrap from a random set of classes for each seed (view, sample), as counts (view, sample, row).

        The set of classes is uniform over the sets of at least `least` classes. A bootstrap draws ``ratio`` times
        the number of rows of these classes, with replacement, and at least one row. Counts are in the order of `order`.
        """
        n, n_classes = len(self.codes), int(self.codes[-1]) + 1
        allowed = np.ones((1, n), bool) if self.bags is None else self.bags[views]
        edges = np.searchsorted(self.codes, np.arange(n_classes))
        sizes = np.add.reduceat(allowed, edges, axis=1, dtype=np.intp)[:, None]
        wanted = np.minimum(least, (sizes > 0).sum(axis=2))
        kept = np.zeros((*seeds.shape, n_classes), bool)
        short = np.ones(seeds.shape, bool)
        states = random_bits(seeds, 2)
        while short.any():
            bits = random_bits(states[short, 0], n_classes + 1)
            kept[short] = bits[:, :-1] >> 63
            states[short, 0] = bits[:, -1]
            short = (kept & (sizes > 0)).sum(axis=2) < wanted
        candidates = np.flatnonzero(kept[:, :, self.codes] & allowed[:, None])  # view by view, sample by sample
        totals = (kept * sizes).sum(axis=2)
        draws = np.maximum(1, np.rint(ratio * totals).astype(np.intp))[..., None]
        firsts = (totals.cumsum() - totals.ravel()).reshape(draws.shape)
        halves = random_bits(states[..., 1], -(-draws.max() // 2)).view(np.uint32)  # two numbers below 2^32 of each
        below = halves * totals[..., None].astype(np.uint64) >> 32
        picked = (below.view(np.intp) + firsts)[np.arange(halves.shape[2]) < draws]
        return np.bincount(candidates[picked], minlength=kept[..., 0].size * n).reshape(*seeds.shape, n)


class SubsetRotation(FittedView):
    """Base class of views that map random subsets of the columns, each by a matrix fitted to a random sample."""

    _parameter_constraints: ClassVar[dict] = {
        "n_subsets": [Interval(Integral, 1, None, closed="left"), None],
        "subset_size": [Interval(Integral, 1, None, closed="left"), None],
        "bootstrap_ratio": [Interval(Real, 0, None, closed="neither")],
        "random_state": "no_validation",
    }
    blocks_: Any

    def __init__(
        self,
        n_subsets: int | None = None,
        subset_size: int | None = None,
        bootstrap_ratio: float = 0.75,
        random_state: Any = None,
    ):
        self.n_subsets = n_subsets
        self.subset_size = subset_size
        self.bootstrap_ratio = bootstrap_ratio
        self.random_state = random_state

    def _blocks(
        self, X: NDArray[np.float64], rows: RowsByClass, n_subsets: int, sequence: np.random.SeedSequence
    ) -> Any:
        """Return the blocks (columns and matrix of each subset) of one rotation of centred rows."""
        raise NotImplementedError

    def _find(self, X, y):
        count = count_subsets(X.shape[1], self.n_subsets, self.subset_size)
        self.blocks_ = self._blocks(X, RowsByClass.of(y, len(X)), count, root_sequence(self.random_state))

    @property
    def rotation_(self) -> NDArray[np.float64]:  # type: ignore[override]
        """The matrix of all blocks; rows have the order of the features, and so have columns if none is dropped."""
        return whole_matrix(self.blocks_)

    def linear_parts(self) -> list[Part]:
        return list(self.blocks_)

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        places = _places(self.blocks_)
        out = np.empty_like(X, shape=(len(X), sum(map(len, places))))
        for (columns, matrix), mine in zip(self.blocks_, places, strict=True):
            centred = X[:, columns] - self.mean_[columns].astype(X.dtype)
            out[:, mine] = centred @ matrix.astype(X.dtype)
        return out


def whole_matrix(blocks: Sequence[Block]) -> NDArray[np.float64]:
    """Return the matrix, shape (n_features, n_outputs), of blocks that together have all columns."""
    places = _places(blocks)
    matrix = np.zeros((sum(len(columns) for columns, _ in blocks), sum(map(len, places))))
    for (columns, block), mine in zip(blocks, places, strict=True):
        matrix[np.ix_(columns, mine)] = block
    return matrix


def _places(blocks: Sequence[Block]) -> list[NDArray[np.intp]]:
    """Return the places of the outputs of each block among the outputs of all blocks."""
    outputs = [columns[: matrix.shape[1]] for columns, matrix in blocks]
    all_outputs = np.sort(np.concatenate(outputs))
    return [np.searchsorted(all_outputs, mine) for mine in outputs]


def signed(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns with signs that make the largest absolute entry of each column positive.

    If entries are equal but for rounding, the first entry decides.
    """
    sizes = np.abs(directions)
    largest = (sizes >= sizes.max(axis=-2, keepdims=True) * (1 - 1e-9)).argmax(axis=-2)
    signs = np.sign(np.take_along_axis(directions, largest[..., None, :], axis=-2))
    return directions * np.where(signs == 0, 1.0, signs)
