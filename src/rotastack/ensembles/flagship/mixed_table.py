"""Encoding of a table of numbers, dates and categories as the numbers that trees are grown on."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_array, validate_data

from rotastack.base.columns import (
    AS_MISSING,
    AS_UNKNOWN,
    DROPPED,
    as_pandas,
    column_kind,
    date_numbers,
    date_parts,
    new_category,
    numbers_of,
)
from rotastack.base.warned import warn
from rotastack.ensembles.flagship.many_values import ManyValues
from rotastack.ensembles.table import INPUT_RULES, categorical_mask, column_names, fitted_scaler, naming_text

__all__ = ["MixedTable"]

_IN_FIT = "column {column} holds {what} (such as {example}); name it in categorical_features, or make numbers of it"
_IN_PREDICT = "column {column} was numeric in fit and holds {example}; make it a number, or missing"
_DONORS = 20

MOST_DUMMIES = 30
"""A categorical column of more values is encoded by target means, other categorical columns by dummies."""


class MixedTable(BaseEstimator):
    """An encoder of a table: scaled numbers, encoded categories, and the share of missing numbers of each row.

    Numbers are scaled to [0, 1]; missing numbers are NaN. Categories become dummies. A categorical column of more than
    30 values becomes the target means of its values, see :class:`ManyValues`.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like or None
        Categorical columns: "from_dtype", those of a data frame that are not numeric; or names, numbers or a mask.

    Attributes
    ----------
    categorical_ : ndarray of bool of shape (n_features,)
    dropped_ : dict of int to str
        The columns that are left out, and the reason: ids and free text, which a warning names, and columns that are
        not numeric and have one value only.
    dates_ : dict of int to dict
        For each column of dates, the format of its text and the parts that become numbers.
    many_ : ndarray of bool
        Mask, among the categorical columns, of those with more than 30 values.
    means_ : ManyValues
        Encoder of the columns in `many_`.
    encoder_ : OneHotEncoder or None
        Encoder of the other categorical columns. C > 2 values, "missing" included, become C dummies; two values become
        one dummy. Unknown values have no dummy.
    scaler_ : fitted transformer or None
    groups_ : list of ndarray of int
        For each column in `encoder_`, its dummies among the columns of the result.
    mirrored_ : ndarray of bool
        Mask of the numeric columns that are scaled in reverse order. In these, an outlier far below moves all other
        values so near to 1 that float32 cannot represent their differences.
    missing_ : ndarray of int
        Numbers of the numeric columns with missing values. If there are any, the result has a column with the share of
        these columns that a row misses. The share keeps this information when views fill missing values.
    sources_ : ndarray of int
        The input column of each column of the result, without the share of missing numbers, which is the last column.
    donors_ : ndarray of shape (n_donors, n_columns)
        Random training rows, whose dummies replace the dummies of unknown categories.

    Notes
    -----
    An unknown category counts as missing if its column has missing values in training. Otherwise its dummies are NaN:
    dummies of 0 could mean another category. :meth:`filled` replaces the NaN by the dummies of random training rows,
    so that outputs are averaged over the known categories by their frequency. A missing value in a column without
    missing training values is treated like an unknown category.
    """

    def __init__(self, categorical_features: ArrayLike | str | None = "from_dtype"):
        self.categorical_features = categorical_features

    @np.errstate(over="ignore", invalid="ignore")  # the values concerned are refused or clipped
    def fit_transform(
        self, X: Any, owner: BaseEstimator, targets: NDArray[np.float64], folds: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """Learn the encoding from the training rows, and return the encoded training rows.

        Parameters
        ----------
        X : array-like or table of shape (n_rows, n_features)
        owner : estimator
            The estimator that stores the names of columns.
        targets : ndarray of shape (n_rows, n_targets)
            Targets whose means encode categories of many values.
        folds : ndarray of int of shape (n_rows,)
            These means are taken over the rows of the other folds.
        """
        X = _frame(X)
        self.dropped_: dict[int, str] = {}
        self.dates_: dict[int, dict[str, Any]] = {}
        self.categorical_ = self._mask(X, owner)
        numbers, categories = self._split(X, owner, reset=True)
        n_own = numbers.shape[1]
        self.many_, self.encoder_ = np.zeros(0, dtype=bool), None
        if categories is not None:
            names = column_names(owner)
            names = (np.arange(len(self.categorical_)) if names is None else names)[self.categorical_]
            with _naming_kinds(categories, names.tolist()):
                self.many_ = np.array([len(pd.unique(values)) > MOST_DUMMIES for values in categories.T])
            if not self.many_.all():
                self.encoder_ = self._encoder(categories[:, ~self.many_], names[~self.many_].tolist())
            if self.many_.any():
                self.means_ = ManyValues()
                with _naming_kinds(categories[:, self.many_], names[self.many_].tolist()):
                    means = self.means_.fit_transform(categories[:, self.many_], targets, folds)
                numbers = np.hstack([numbers, means])
        self.groups_ = self._groups(numbers.shape[1])
        if not numbers.shape[1] and not self.groups_:
            raise ValueError("there is nothing to learn from: each column is of one category only")
        self._fit_scale(numbers)
        self.missing_ = np.flatnonzero(np.isnan(numbers).any(axis=0))
        self.sources_ = self._sources(n_own, targets.shape[1])
        rows = self._seen(numbers, categories)
        chosen = np.random.default_rng(0).permutation(len(rows))[: _DONORS if self.groups_ else 0]
        self.donors_ = rows[chosen]
        return rows

    @np.errstate(over="ignore", invalid="ignore")
    def transform(self, X: Any, owner: BaseEstimator) -> NDArray[np.float32]:
        """Return the encoded rows; the dummies of unknown categories are NaN.

        Warns
        -----
        UserWarning
            A column of a data frame has unknown categories. Arrays give no warning.
        """
        X = _frame(X)
        numbers, categories = self._split(X, owner, reset=False)
        if self.many_.any():
            numbers = np.hstack([numbers, self.means_.transform(categories[:, self.many_])])
        return self._seen(numbers, categories, column_names(owner) if _is_frame(X) else None)

    def unknown(self, rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return the mask of the encoded rows that have unknown categories."""
        return np.any(np.isnan(rows[:, self._dummy_columns()]), axis=1)

    def filled(self, rows: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        """Yield, for each donor, the encoded rows with the donor's dummies in place of NaN."""
        columns = self._dummy_columns()
        for donor in self.donors_:
            filled = rows.copy()
            filled[:, columns] = np.where(np.isnan(rows[:, columns]), donor[columns], rows[:, columns])
            yield filled

    def _dummy_columns(self) -> NDArray[np.intp]:
        return np.concatenate([np.empty(0, np.intp), *self.groups_])

    def _mask(self, X, owner) -> NDArray[np.bool_]:
        chosen = self.categorical_features
        by_dtype = isinstance(chosen, str)
        if chosen is None or (by_dtype and not _is_frame(X)):
            return np.zeros(0, dtype=bool)  # an empty mask means that all columns are numeric
        if not hasattr(X, "columns"):  # a conversion would lose the column names of a data frame
            X = check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator=owner)
        validate_data(owner, X, reset=True, skip_check_array=True)
        mask = np.zeros(X.shape[1], dtype=bool) if by_dtype else categorical_mask(chosen, owner)
        if _is_frame(X):
            self._look(X, mask, by_dtype)
        return mask

    def _look(self, X: pd.DataFrame, mask: NDArray[np.bool_], by_dtype: bool) -> None:
        """Set `dates_`, and with `by_dtype` also `dropped_` and the categorical columns in `mask`."""
        warned: list[int] = []  # without constant columns, which are left out without a warning
        for j in np.flatnonzero(~mask):
            column = X.iloc[:, j]
            if not by_dtype and not is_datetime64_any_dtype(column.dtype):
                continue
            verdict = column_kind(column)
            if verdict.kind == "date":
                date_format = verdict.format or ""
                self.dates_[int(j)] = {"format": date_format, "parts": date_parts(column, date_format)}
            elif verdict.kind in ("id", "text") or (verdict.kind in DROPPED and not is_numeric_dtype(column.dtype)):
                self.dropped_[int(j)] = f"{verdict.kind}: {verdict.reason}"
                warned += [int(j)] * (verdict.kind in ("id", "text"))
            else:
                mask[j] = by_dtype and not is_numeric_dtype(column.dtype)
        text = "; ".join(f"{X.columns[j]!r} ({self.dropped_[j]})" for j in warned or self.dropped_)
        if warned:
            warn(
                f"nothing is learnt from {text}; to keep such a column, make it numbers that mean something, or name the "
                "columns of categories in categorical_features"
            )
        if len(self.dropped_) == X.shape[1]:
            raise ValueError(f"there is nothing to learn from: {text}")

    def _split(self, X, owner, reset: bool) -> tuple[NDArray[np.floating], Any]:
        """Return the numeric columns, dates included, and the categorical columns or None."""
        message = _IN_FIT if reset else _IN_PREDICT
        if not self.categorical_.any() and not self.dropped_ and not self.dates_:
            with naming_text(X, message):
                return validate_data(owner, X, reset=reset, **INPUT_RULES), None
        validate_data(owner, X, reset=reset, skip_check_array=True)
        if not _is_frame(X):
            X = pd.DataFrame(check_array(X, dtype=None, ensure_all_finite="allow-nan"))
        numeric = ~self.categorical_
        numeric[[*self.dropped_, *self.dates_]] = False
        numbers = np.empty((len(X), 0))
        if numeric.any():
            with naming_text(X.iloc[:, numeric], message):
                numbers = check_array(X.iloc[:, numeric], estimator=owner, input_name="X", **INPUT_RULES)
        dates = [_days(X.iloc[:, j], **how) for j, how in self.dates_.items()]
        if dates:
            numbers = np.hstack([numbers, *dates])
        if not self.categorical_.any():
            return numbers, None
        categories = np.array(X.iloc[:, self.categorical_], dtype=object)
        categories[pd.isna(categories)] = None  # one missing value in place of NaN, NA and NaT
        return numbers, categories

    def _encoder(self, categories: NDArray, names: list) -> OneHotEncoder:
        encoder = OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False, dtype=np.float32)
        with _naming_kinds(categories, names):
            return encoder.fit(categories)

    def _groups(self, n_numbers: int) -> list[NDArray[np.intp]]:
        if self.encoder_ is None:
            return []
        sizes = [_n_dummies(values) for values in self.encoder_.categories_]
        edges = n_numbers + np.cumsum([0, *sizes])
        return [np.arange(a, b) for a, b in pairwise(edges) if b > a]

    def _sources(self, n_numbers: int, n_targets: int) -> NDArray[np.intp]:
        """Return the input column of each encoded column: numbers, parts of dates, target means, then dummies."""
        numeric = ~self.categorical_ if len(self.categorical_) else np.ones(n_numbers, dtype=bool)
        numeric[[*self.dropped_, *self.dates_]] = False
        numbers, lengths = np.flatnonzero(numeric), [len(how["parts"]) for how in self.dates_.values()]
        numbers = np.concatenate([numbers, np.repeat(np.array([*self.dates_], np.intp), lengths)])
        categories = np.flatnonzero(self.categorical_)
        means = np.repeat(categories[self.many_], n_targets)
        by_column = [] if self.encoder_ is None else self.encoder_.categories_
        dummies = np.repeat(categories[~self.many_], [_n_dummies(values) for values in by_column])
        return np.concatenate([numbers, means, dummies]).astype(np.intp)

    def by_input(self, amounts: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Return the sums of `amounts`, one for each encoded column, by input column, shape (n_features,).

        The amount of the share of missing numbers is divided equally among the columns with missing values.
        """
        n = len(self.sources_)
        sums = np.bincount(self.sources_, amounts[:n], n_features).astype(np.float64)
        if len(self.missing_):
            sums += amounts[n] * np.bincount(self.sources_[self.missing_], minlength=n_features) / len(self.missing_)
        return sums

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

    def _seen(
        self, numbers: NDArray[np.floating], categories: Any, names: NDArray | None = None
    ) -> NDArray[np.float32]:
        numbers = self._turned(numbers)
        missing = np.isnan(numbers)
        scaled = numbers if self.scaler_ is None else self.scaler_.scaled(numbers)
        parts = [np.where(missing, np.float32(np.nan), scaled.astype(np.float32))]
        if self.encoder_ is not None:
            few = None if names is None else names[self.categorical_][~self.many_]
            parts.append(self._dummies(categories[:, ~self.many_], few))
        if len(self.missing_):
            parts.append(missing[:, self.missing_].mean(axis=1, dtype=np.float32, keepdims=True))
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def _dummies(self, categories: NDArray, names: NDArray | None) -> NDArray[np.float32]:
        """Return the dummies, NaN for unknown categories; with `names` of columns, warn of unknown categories."""
        assert self.encoder_ is not None
        unknown = np.zeros(categories.shape, dtype=bool)
        for k, values in enumerate(self.encoder_.categories_):
            missing = pd.isna(categories[:, k])
            present = values[~pd.isna(values)]
            new = (pd.Index(present).get_indexer(pd.Index(categories[:, k], dtype=object)) < 0) & ~missing
            seen_missing = len(present) < len(values)
            if not seen_missing:
                unknown[:, k] = new = new | missing
            if names is not None and new.any():
                first = categories[new, k][0]
                example = "(missing)" if pd.isna(first) else str(first)
                counts = AS_MISSING if seen_missing else AS_UNKNOWN
                warn(new_category(names[k], int(new.sum()), len(new), example, counts))
            if seen_missing:
                categories[new, k] = None
        with warnings.catch_warnings():  # warned of above, with the name of the column
            warnings.filterwarnings("ignore", message="Found unknown categories")
            dummies = np.array(self.encoder_.transform(categories))  # may be read-only
        sizes = [_n_dummies(values) for values in self.encoder_.categories_]
        dummies[np.repeat(unknown, sizes, axis=1)] = np.nan
        return dummies


@contextmanager
def _naming_kinds(categories: NDArray, names: list) -> Iterator[None]:
    """Replace the error that an encoder raises for values it cannot sort by one that names the column."""
    try:
        yield
    except TypeError as error:
        for name, values in zip(names, categories.T, strict=True):
            kinds = {type(value).__name__ for value in values if value is not None and value == value}
            if len(kinds) > 1 or kinds & {"list", "dict", "set"}:
                raise ValueError(
                    f"categories must be all text or all numbers; column {name!r} holds {', '.join(sorted(kinds))}"
                ) from error
        raise


def _n_dummies(categories: NDArray) -> int:
    """Return the number of dummies of a categorical column: one for each value, but one for two values."""
    return len(categories) if len(categories) > 2 else len(categories) - 1


def _frame(X: Any) -> Any:
    """Return a table of any library as a DataFrame, durations as numbers; raise ValueError for equal column names."""
    if not hasattr(X, "to_pandas") and not _is_frame(X):
        return X
    X = as_pandas(X)
    if X.columns.has_duplicates:
        name = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"there are two columns {name!r}; rename or drop one")
    spans = [column for column in X if is_timedelta64_dtype(X[column].dtype)]
    if spans:
        X = X.copy(deep=False)
        X[spans] = np.column_stack([numbers_of(X[column]) for column in spans])
    return X


def _days(column: pd.Series, format: str, parts: list[str]) -> NDArray[np.float64]:
    """Return the numbers of a column of dates, shape (n_rows, n_parts); warn of values that are not dates."""
    numbers = date_numbers(column, format, parts)
    none = column[np.isnan(numbers[:, 0]) & column.notna().to_numpy()]
    if len(none):
        warn(
            f"column {column.name!r}: {len(none)} of {len(column)} values are no dates as in training "
            f"(such as {str(none.iloc[0])!r}); they count as missing"
        )
    return numbers


def _is_frame(X: Any) -> bool:
    """Return whether X has the attributes ``iloc`` and ``columns`` of a pandas DataFrame."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def _crowded(unit: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the mask of the columns in [0, 1] with more than twice as many float32 values after reversal."""
    middle = np.median(unit, axis=0)
    crowded = (middle > 0.999) & (middle < 1)
    for j in np.flatnonzero(crowded):
        below, above = (len(np.unique(x.astype(np.float32))) for x in (unit[:, j], 1 - unit[:, j]))
        crowded[j] = above > 2 * below
    return crowded
