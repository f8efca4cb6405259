"""What rotations of subsets of the columns have in common: random subsets, and a random sample for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rotastack.seeds import root_sequence

__all__ = [
    "Block",
    "RowsByClass",
    "SubsetRotation",
    "count_subsets",
    "signed",
    "split_columns",
    "whole_matrix",
]

Block = tuple[NDArray[np.intp], NDArray[np.float64]]
"""Columns, and the matrix that maps them to as many new ones in their places."""


def count_subsets(n_features: int, n_subsets: int | None, subset_size: int | None) -> int:
    """Return the number of subsets that `n_features` columns are split into.

    Raises
    ------
    ValueError
        Both or impossible numbers given.
    """
    if n_subsets is not None and subset_size is not None:
        raise ValueError(
            f"give n_subsets or subset_size, not both (got n_subsets={n_subsets}, subset_size={subset_size})"
        )
    for name, value in (("n_subsets", n_subsets), ("subset_size", subset_size)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    if subset_size is not None:
        return -(-n_features // subset_size)
    if n_subsets is None:
        return min(2, n_features)
    if n_subsets > n_features:
        raise ValueError(
            f"n_subsets is {n_subsets}, but there {'is 1 column' if n_features == 1 else f'are {n_features} columns'} to split"
        )
    return n_subsets


def split_columns(n_features: int, n_subsets: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Split columns at random into subsets of equal size, the first ones of one more; each is sorted."""
    return [np.sort(part) for part in np.array_split(rng.permutation(n_features), n_subsets)]


@dataclass(frozen=True)
class RowsByClass:
    """Rows in the order of their classes.

    Attributes
    ----------
    order : ndarray of int of shape (n_rows,)
        Row numbers.
    codes : ndarray of int of shape (n_rows,)
        Their class numbers, ascending.
    """

    order: NDArray[np.intp]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, y: ArrayLike | None, n_rows: int) -> "RowsByClass":
        """Return the rows by class; as one class without `y`."""
        return cls.among(np.arange(n_rows), np.zeros(n_rows) if y is None else np.asarray(y))

    @classmethod
    def among(cls, rows: NDArray[np.intp], y: NDArray) -> "RowsByClass":
        """Return some rows by class; `y` holds the classes of all rows."""
        codes = np.unique(y[rows], return_inverse=True)[1]
        order = np.argsort(codes, kind="stable")
        return cls(rows[order], codes[order])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.codes[-1]) + 1

    def draw(
        self, n_samples: int, ratio: float, rng: np.random.Generator, least: int = 1
    ) -> NDArray[np.intp]:
        """Draw a bootstrap from a random subset of the classes, `n_samples` times.

        The subset is uniform over those of at least `least` classes; of its rows ``ratio`` times their
        number is drawn with replacement, one at least.

        Returns
        -------
        ndarray of int of shape (n_samples, n_rows)
            How often each row, in the order of `order`, was drawn.
        """
        n, n_classes = len(self.codes), self.n_classes
        kept = np.zeros((n_samples, n_classes), dtype=bool)
        short = np.arange(n_samples)
        while len(short):
            kept[short] = rng.random((len(short), n_classes)) < 0.5
            short = short[kept[short].sum(axis=1) < min(least, n_classes)]
        candidates = np.flatnonzero(kept[:, self.codes])  # sample * n + row, sample after sample
        sizes = kept @ np.bincount(self.codes)
        drawn = np.maximum(1, np.rint(ratio * sizes).astype(np.intp))
        starts = np.repeat(np.cumsum(sizes) - sizes, drawn)
        picked = starts + (rng.random(len(starts)) * np.repeat(sizes, drawn)).astype(np.intp)
        return np.bincount(candidates[picked], minlength=n_samples * n).reshape(n_samples, n)


class SubsetRotation(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A view that maps random subsets of the columns by a matrix each, fitted to a random sample."""

    fitted_to_rows = True
    n_subsets: int | None
    subset_size: int | None
    bootstrap_ratio: float
    random_state: Any
    mean_: NDArray[np.float64]
    blocks_: list[Block]

    def _blocks(self, X: NDArray[np.float64], y: NDArray | None) -> list[Block]:
        raise NotImplementedError

    def _fit(self, X: ArrayLike, y: ArrayLike | None):
        if not self.bootstrap_ratio > 0:
            raise ValueError(f"bootstrap_ratio must be more than 0, got {self.bootstrap_ratio}")
        if y is None:
            X = validate_data(self, X, dtype=[np.float64, np.float32])
        else:
            X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        whole = np.asarray(X, dtype=np.float64)
        self.mean_ = whole.mean(axis=0)
        self.blocks_ = self._blocks(whole - self.mean_, y)
        return self

    def _sequence(self) -> np.random.SeedSequence:
        return root_sequence(self.random_state)

    @property
    def rotation_(self) -> NDArray[np.float64]:
        """The whole matrix: block by block, with rows and columns in the places of the features."""
        return whole_matrix(self.blocks_, self.n_features_in_)

    def linear_parts(self) -> list[tuple[NDArray[np.intp], NDArray[np.float64] | None]]:
        """Return the view in parts, side by side: columns and the matrix that maps them.

        The new columns come block by block, uncentred: trees do not see a shift, but for the order
        of columns.
        """
        return list(self.blocks_)

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Map rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_features), float32 for float32 input
        """
        check_is_fitted(self, "blocks_")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        out = np.empty_like(X)
        for columns, matrix in self.blocks_:
            centred = X[:, columns] - self.mean_[columns].astype(X.dtype)
            out[:, columns] = centred @ matrix.astype(X.dtype)
        return out

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def whole_matrix(blocks: Sequence[Block], n_features: int) -> NDArray[np.float64]:
    """Return the (n_features, n_features) matrix of blocks of columns."""
    matrix = np.zeros((n_features, n_features))
    for columns, block in blocks:
        matrix[np.ix_(columns, columns)] = block
    return matrix


def signed(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns with the sign that makes the largest of their absolute entries positive.

    Of entries that are equal but for rounding the first decides.
    """
    sizes = np.abs(directions)
    largest = (sizes >= sizes.max(axis=-2, keepdims=True) * (1 - 1e-9)).argmax(axis=-2)
    signs = np.sign(np.take_along_axis(directions, largest[..., None, :], axis=-2))
    return directions * np.where(signs == 0, 1.0, signs)
