"""Encode a table of numbers and categories as the numbers that trees are grown on."""

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pandas import isna
from pandas.api.types import is_numeric_dtype
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_array, validate_data

from rotastack.ensembles.table import (
    categorical_mask,
    column_names,
    fitted_scaler,
    input_rules,
    scaled_columns,
)

__all__ = ["MixedTable"]


class MixedTable(BaseEstimator):
    """Numbers scaled to [0, 1], with medians for missing ones, dummies of categories, and columns that mark missing numbers.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like or None
        Columns of categories: those of a DataFrame that hold no numbers; or named, numbered, or marked by a mask.

    Attributes
    ----------
    categorical_ : ndarray of bool of shape (n_features,)
    encoder_ : OneHotEncoder or None
        Makes C - 1 dummies of C categories, "missing" being one; a category that it has not seen has none.
    scaler_ : fitted transformer or None
    groups_ : list of ndarray of int
        Columns of the result that are the dummies of one category each.
    mirrored_ : ndarray of bool
        Which of the numeric columns are scaled upside down: those in which one value far below drives all others so near
        to 1 that float32 does not tell them apart.
    missing_ : ndarray of int
        Which of the numeric columns had missing values: each gets a column that is 1 where they are.
    """

    def __init__(self, categorical_features: ArrayLike | str | None = "from_dtype"):
        self.categorical_features = categorical_features

    @np.errstate(over="ignore", invalid="ignore")  # of values that are refused, or clipped
    def fit_transform(self, X: Any, owner: BaseEstimator) -> NDArray[np.float32]:
        """Learn from the training rows, and return their numbers; `owner` remembers the names of columns."""
        self.categorical_ = self._mask(X, owner)
        numbers, categories = self._split(X, owner, reset=True)
        self.encoder_ = None if categories is None else self._encoder(categories, owner)
        self.groups_ = self._groups(numbers.shape[1])
        if not numbers.shape[1] and not self.groups_:
            raise ValueError("there is nothing to learn from: each column is of one category only")
        self._fit_scale(numbers)
        self.missing_ = np.flatnonzero(np.isnan(numbers).any(axis=0))
        return self._seen(numbers, categories)

    @np.errstate(over="ignore", invalid="ignore")
    def transform(self, X: Any, owner: BaseEstimator) -> NDArray[np.float32]:
        """Return the numbers of rows."""
        return self._seen(*self._split(X, owner, reset=False))

    def _mask(self, X, owner) -> NDArray[np.bool_]:
        chosen = self.categorical_features
        by_dtype = isinstance(chosen, str)
        if chosen is None or (by_dtype and not _is_frame(X)):
            return np.zeros(0, dtype=bool)  # all columns hold numbers, however many there are
        if not hasattr(X, "columns"):  # a table of any library keeps its names
            X = check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator=owner)
        validate_data(owner, X, reset=True, skip_check_array=True)
        if by_dtype:
            return np.array([not is_numeric_dtype(dtype) for dtype in X.dtypes])
        return categorical_mask(chosen, owner)

    def _split(self, X, owner, reset: bool) -> tuple[NDArray[np.floating], Any]:
        """Return numbers, and the columns of categories or None."""
        try:
            return self._parts(X, owner, reset)
        except ValueError as error:
            if "could not convert string" not in str(error):
                raise
            raise ValueError(f"{error}; columns of text must be in categorical_features") from error

    def _parts(self, X, owner, reset: bool) -> tuple[NDArray[np.floating], Any]:
        if not self.categorical_.any():
            return validate_data(owner, X, reset=reset, **input_rules("minmax")), None
        validate_data(owner, X, reset=reset, skip_check_array=True)
        if _is_frame(X):
            numbers, categories = X.iloc[:, ~self.categorical_], X.iloc[:, self.categorical_]
        else:
            values = check_array(X, dtype=None, ensure_all_finite="allow-nan")
            numbers, categories = values[:, ~self.categorical_], values[:, self.categorical_]
        categories = np.array(categories, dtype=object)
        categories[isna(categories)] = None  # whatever stood there: NaN, NA, NaT
        if self.categorical_.all():
            return np.empty((len(X), 0)), categories
        return check_array(numbers, estimator=owner, input_name="X", **input_rules("minmax")), categories

    def _encoder(self, categories: NDArray, owner: BaseEstimator) -> OneHotEncoder:
        encoder = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False, dtype=np.float32)
        try:
            return encoder.fit(categories)
        except TypeError as error:  # nothing that can be sorted
            names = column_names(owner)
            names = np.arange(len(self.categorical_)) if names is None else names
            for name, values in zip(names[self.categorical_].tolist(), categories.T, strict=True):
                kinds = {type(value).__name__ for value in values if value is not None and value == value}
                if len(kinds) > 1 or kinds & {"list", "dict", "set"}:
                    raise ValueError(
                        f"categories must be all text or all numbers; column {name!r} holds {', '.join(sorted(kinds))}"
                    ) from error
            raise

    def _groups(self, n_numbers: int) -> list[NDArray[np.intp]]:
        if self.encoder_ is None:
            return []
        sizes = [len(found) - 1 for found in self.encoder_.categories_]
        edges = n_numbers + np.cumsum([0, *sizes])
        return [np.arange(a, b) for a, b in pairwise(edges) if b > a]

    def _fit_scale(self, numbers: NDArray[np.floating]) -> None:
        self.scaler_, self.mirrored_ = None, np.zeros(numbers.shape[1], dtype=bool)
        if numbers.shape[1]:
            none = np.zeros(numbers.shape[1], dtype=bool)
            self.scaler_ = fitted_scaler(numbers, none, "minmax")
            self.mirrored_ = _crowded(np.asarray(self.scaler_.transform(numbers.astype(np.float64))))
            if self.mirrored_.any():
                self.scaler_ = fitted_scaler(self._turned(numbers), none, "minmax")

    def _turned(self, numbers: NDArray[np.floating]) -> NDArray[np.floating]:
        return np.where(self.mirrored_, -numbers, numbers) if self.mirrored_.any() else numbers

    def _seen(self, numbers: NDArray[np.floating], categories: Any) -> NDArray[np.float32]:
        numbers = self._turned(numbers)
        parts = [scaled_columns(numbers, np.zeros(numbers.shape[1], dtype=bool), self.scaler_)[0]]
        if self.encoder_ is not None:
            with warnings.catch_warnings():  # a category that was not there before has no dummy
                warnings.filterwarnings("ignore", message="Found unknown categories")
                parts.append(np.asarray(self.encoder_.transform(categories)))
        parts.append(np.isnan(numbers[:, self.missing_]).astype(np.float32))
        return np.hstack(parts)


def _is_frame(X: Any) -> bool:
    """Tell whether X has named columns of their own types, and rows by number, as a pandas DataFrame does."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def _crowded(unit: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which columns, scaled to [0, 1], have more than twice as many values if they are seen from 1."""
    middle = np.median(unit, axis=0)
    found = (middle > 0.999) & (middle < 1)
    for j in np.flatnonzero(found):
        below, above = (len(np.unique(x.astype(np.float32))) for x in (unit[:, j], 1 - unit[:, j]))
        found[j] = above > 2 * below
    return found
