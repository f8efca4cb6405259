"""Encoding of a table of numbers, dates and categories as the numbers that trees are grown on."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import (
    infer_dtype,
    is_datetime64_any_dtype,
    is_numeric_dtype,
    is_object_dtype,
    is_timedelta64_dtype,
)
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, validation

from rotastack.base.categories import MISSING, dummies
from rotastack.base.columns import as_pandas, column_kind, numbers_of
from rotastack.base.naming import naming_column, refuse_odd_names, validate_data
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.base.reading import beyond_floats
from rotastack.base.warned import UNSEEN, ignoring, warn, warn_of_unseen
from rotastack.ensembles.flagship.category_pairs import ManyValues
from rotastack.ensembles.table import INPUT_RULES, categorical_mask
from rotastack.views.scaling import MinMaxScaler01

_IN_FIT = "column {column} contains {what} (such as {example}); name the column in categorical_features, or convert it to numbers"
_IN_PREDICT = (
    "column {column} was numeric in fit and contains {example}; convert the value to a number, or set it to missing"
)
MOST_DUMMIES = 30
"""A categorical column of more values is encoded by target means, other categorical columns by dummies."""

N_VALUES = 20
"""Largest number of values of a column that stand in for a value that training has not shown."""


class MixedTable(BaseEstimator):
    """An encoder of a table: scaled numbers, components of text, encoded categories, and the share of missing numbers of each row.

    Numbers are scaled to [0, 1]; missing numbers are NaN. C > 2 categories, "missing" included, become C dummies; two
    categories become one dummy. A categorical column of more than 30 values becomes the target means of its values.
    The share of missing numbers keeps this information when views fill missing values.

    A value that no training row has, such as an unknown category, or a missing value in a column without missing
    training values, is NaN in all encoded columns of its column: dummies of 0 could mean another category. `shown_` has
    the values that stand in for it.
    """

    numeric_: NDArray[np.bool_] | None  # mask of the columns that are numbers; None if all are
    columns_: list[Any]  # names of the columns in training; absent if all columns are numbers
    preprocessor_: TablePreprocessor  # encodes the other columns; it drops ids and columns of one value
    many_: NDArray[np.bool_]  # mask of the categorical columns with more than 30 values
    means_: ManyValues  # encodes these
    few_: list[list[str]]  # the categories of each other categorical column
    scaler_: Any
    dummies_: list[NDArray[np.intp]]  # for each column of few categories, its dummies among the columns of the result
    # Mask of the numeric columns that are scaled in reverse order. In these, an outlier far below moves all other values
    # so near to 1 that float32 cannot represent their differences.
    mirrored_: NDArray[np.bool_]
    # The numeric columns with missing values. If there are any, their share is the last column.
    missing_: NDArray[np.intp]
    sources_: NDArray[np.intp]  # the input column of each column of the result, without the share of missing numbers
    shown_: "ShownValues"  # values of training rows, which stand in for values that no training row has

    def __init__(self, categorical_features: ArrayLike | str | None = "from_dtype"):
        self.categorical_features = categorical_features

    @np.errstate(over="ignore", invalid="ignore")  # the values concerned are refused or clipped
    def fit_transform(
        self, X: Any, owner: BaseEstimator, targets: NDArray[np.float64], folds: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """Learn the encoding from the training rows, and return the encoded training rows.

        The estimator `owner` stores the names of columns. Means of `targets` (row, target) encode categories of many
        values; for a training row they are taken over the rows of the other folds.
        """
        X = _frame(X)
        self._find_columns(X, owner)
        numbers, codes = self._split(X, owner, reset=True)
        n_own = numbers.shape[1]
        categories = self._categories().values()
        self.many_ = np.array([len(values) > MOST_DUMMIES for values in categories], dtype=bool)
        self.few_ = [values for values, many in zip(categories, self.many_, strict=True) if not many]
        if self.many_.any():
            self.means_ = ManyValues()
            numbers = np.hstack([numbers, self.means_.fit_transform(codes[:, self.many_], targets, folds)])
        edges = numbers.shape[1] + np.cumsum([0, *map(_n_dummies, self.few_)])
        self.dummies_ = [np.arange(a, b) for a, b in pairwise(edges)]
        self._fit_scale(numbers)
        self.missing_ = np.flatnonzero(np.isnan(numbers).any(axis=0))
        self.sources_ = self._sources(n_own, targets.shape[1])
        rows = self._encoded(numbers, codes)
        # For a new row, the means of categories are those of all training rows.
        as_new = self._encoded(self._with_means(numbers[:, :n_own], codes), codes) if self.many_.any() else rows
        self.shown_ = ShownValues(as_new, self.sources_, self.dummies_, targets)
        return rows

    @np.errstate(over="ignore", invalid="ignore")
    def transform(self, X: Any, owner: BaseEstimator) -> NDArray[np.float32]:
        """Return the encoded rows; values that no training row has are NaN."""
        numbers, codes = self._split(_frame(X), owner, reset=False)
        return self._encoded(self._with_means(numbers, codes), codes)

    def counted(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return encoded rows, in which columns may have been shuffled, with the share of missing numbers counted anew."""
        if not len(self.missing_):
            return rows
        share = np.isnan(rows[:, self.missing_]).mean(axis=1, dtype=np.float32, keepdims=True)
        return np.hstack([rows[:, : len(self.sources_)], share])

    def warn_of_lacking(self, X: Any, rows: NDArray[np.float32]) -> None:
        """Warn of the values of the table X that no training row has; `rows` are the encoded rows."""
        lacking = self.shown_.lacking(rows)
        if lacking.any():
            table = as_pandas(X) if hasattr(X, "columns") else pd.DataFrame(np.asarray(X))
            masks, places = self.shown_.by_input(lacking), self._places() if self._categories() else {}
            categories = {places[column] for column in self._categories()}
            found, names = [], table.columns.tolist()
            for j in np.flatnonzero(masks.any(axis=0)):
                # Text that is no date counts as missing.
                values = table.iloc[:, j] if j in categories else pd.Series(np.nan, table.index)
                found.append((names[j], values, masks[:, j]))
            warn_of_unseen(found, "; predictions are means over values of training rows")

    def by_input(self, amounts: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Return the sums of `amounts`, one for each encoded column, by input column, shape (n_features,).

        The amount of the share of missing numbers is divided equally among the columns with missing values.
        """
        n = len(self.sources_)
        sums = np.bincount(self.sources_, amounts[:n], n_features).astype(np.float64)
        if len(self.missing_):
            sums += amounts[n] * np.bincount(self.sources_[self.missing_], minlength=n_features) / len(self.missing_)
        return sums

    def _categories(self) -> dict[Any, list[str]]:
        """Return the categories of each categorical column."""
        return {} if self.numeric_ is None else self.preprocessor_.categories_

    def _places(self) -> dict[Any, int]:
        """Return the input column of each column that is not numeric."""
        assert self.numeric_ is not None
        return dict(zip(self.preprocessor_.kinds_, np.flatnonzero(~self.numeric_).tolist(), strict=True))

    def _unknown(self, codes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the mask of the category numbers (row, categorical column) that no training row has."""
        categories = self._categories().values()
        with_missing = np.array([names[0] == MISSING for names in categories], dtype=bool)
        return np.where(np.isnan(codes), ~with_missing, codes >= [*map(len, categories)])

    def _with_means(self, numbers: NDArray[np.floating], codes: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return the numbers with the target means of new rows; NaN for unknown categories."""
        if not self.many_.any():
            return numbers
        means = self.means_.transform(codes[:, self.many_])
        unknown = self._unknown(codes)[:, self.many_]
        means[np.repeat(unknown, means.shape[1] // unknown.shape[1], axis=1)] = np.nan
        return np.hstack([numbers, means])

    def _find_columns(self, X: Any, owner: BaseEstimator) -> None:
        """Set `numeric_`, and fit `preprocessor_` to the columns that are not numeric."""
        chosen, self.numeric_ = self.categorical_features, None
        by_dtype = isinstance(chosen, str)
        if chosen is None or (by_dtype and not _is_frame(X)):
            return
        if not _is_frame(X):
            X = pd.DataFrame(check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator=owner))
        validation.validate_data(owner, X, reset=True, skip_check_array=True)
        if by_dtype:
            mask = np.array([isinstance(dtype, pd.CategoricalDtype) and not dtype.ordered for dtype in X.dtypes])
            numeric = np.array(
                [
                    is_numeric_dtype(c.dtype) and not beyond_floats(c) and column_kind(c).kind != "id"
                    for _, c in X.items()
                ]
            )
        else:
            mask = categorical_mask(chosen, owner)
            numeric = ~mask & ~np.array([is_datetime64_any_dtype(dtype) for dtype in X.dtypes])
        if numeric.all():
            return
        self.numeric_, self.columns_ = numeric, X.columns.tolist()
        kinds = dict.fromkeys(X.columns[mask], "categorical")
        others = X.loc[:, ~numeric].copy(deep=False)
        for column in kinds:
            others[column] = _by_number(others[column])
        self.preprocessor_ = TablePreprocessor(kinds, encoding="codes")._learn(others)._fit_texts(others)
        kinds_of, words = self.preprocessor_.kinds_, self.preprocessor_.dropped_in_words()
        dropped = {c: why for c, why in words.items() if by_dtype or c not in kinds}
        if dropped:
            hint = "; to keep a column, convert it to meaningful numbers, or name all columns of categories in categorical_features"
            text = "; ".join(f"{c!r} ({why})" for c, why in dropped.items())
            warn(f"columns left out: {text}{hint * any(kinds_of[c] in ('id', 'objects') for c in dropped)}")

    def _split(self, X: Any, owner: BaseEstimator, reset: bool) -> tuple[NDArray[np.floating], NDArray[np.float64]]:
        """Return the numeric columns, those of dates and of text included, and the category numbers."""
        message = _IN_FIT if reset else _IN_PREDICT
        if self.numeric_ is None:
            numbers = validate_data(owner, X, message=message, reset=reset, **INPUT_RULES)
            return numbers, np.empty((len(numbers), 0))
        validation.validate_data(owner, X, reset=reset, skip_check_array=True)
        if not _is_frame(X):
            X = pd.DataFrame(check_array(X, dtype=None, ensure_all_finite="allow-nan"))
        X = X.set_axis(self.columns_, axis=1)
        if not len(X):
            raise ValueError("X has no rows; at least one is needed")
        numbers = np.empty((len(X), 0))
        if self.numeric_.any():
            with naming_column(X.iloc[:, self.numeric_], message):
                numbers = check_array(X.iloc[:, self.numeric_], estimator=owner, input_name="X", **INPUT_RULES)
            if not self.preprocessor_.needed_:
                return numbers, np.empty((len(X), 0))
        # In a fit the encoder has warned of the same values; of new rows, `warn_of_lacking` names all columns.
        with ignoring(*(("", UserWarning) if reset else (UNSEEN, Warning))):
            others = np.asarray(self.preprocessor_.transform(X))  # scikit-learn may be set to return a DataFrame
        n_others = len(self.preprocessor_.numeric_)
        return np.hstack([numbers, others[:, :n_others]]) if n_others else numbers, others[:, n_others:]

    def _sources(self, n_numbers: int, n_targets: int) -> NDArray[np.intp]:
        """Return the input column of each encoded column: numbers, target means, then dummies."""
        if self.numeric_ is None:
            return np.arange(n_numbers)
        read = self.preprocessor_
        places = self._places()
        needed = np.array(
            [places[column] for column, part in zip(read.needed_, read.parts_, strict=True) for _ in part]
        )
        numbers, categorical = np.split(needed.astype(np.intp), [len(read.numeric_)])
        of_many = np.repeat(categorical[self.many_], n_targets)
        of_few = np.repeat(categorical[~self.many_], [*map(_n_dummies, self.few_)])
        return np.concatenate([np.flatnonzero(self.numeric_), numbers, of_many, of_few])

    def _fit_scale(self, numbers: NDArray[np.floating]) -> None:
        self.scaler_, self.mirrored_ = None, np.zeros(numbers.shape[1], dtype=bool)
        if numbers.shape[1]:
            self.scaler_ = MinMaxScaler01().fit(numbers)
            self.mirrored_ = _crowded(np.asarray(self.scaler_.transform(numbers.astype(np.float64))))
            if self.mirrored_.any():
                self.scaler_ = MinMaxScaler01().fit(self._mirrored(numbers))

    def _mirrored(self, numbers: NDArray[np.floating]) -> NDArray[np.floating]:
        return np.where(self.mirrored_, -numbers, numbers) if self.mirrored_.any() else numbers

    def _encoded(self, numbers: NDArray[np.floating], codes: NDArray[np.float64]) -> NDArray[np.float32]:
        numbers = self._mirrored(numbers)
        missing = np.isnan(numbers)
        scaled = numbers if self.scaler_ is None else self.scaler_.scaled(numbers)
        parts = [np.where(missing, np.float32(np.nan), scaled.astype(np.float32))]
        if self.dummies_:
            parts.append(self._dummies(codes[:, ~self.many_], self._unknown(codes)[:, ~self.many_]))
        return self.counted(parts[0] if len(parts) == 1 else np.hstack(parts))

    def _dummies(self, codes: NDArray[np.float64], unknown: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the dummies of the columns of few categories, "missing" last; NaN for unknown categories."""
        counts = np.array([*map(len, self.few_)])
        with_missing = np.array([categories[0] == MISSING for categories in self.few_])
        known = counts - with_missing
        places = np.where(np.isnan(codes), known, np.minimum(codes - with_missing, known)).astype(np.intp)
        found = dummies(places, counts.tolist(), (counts == 2).astype(int).tolist()).astype(np.float32)
        found[np.repeat(unknown, [*map(_n_dummies, self.few_)], axis=1)] = np.nan
        return found


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
    dummies : sequence of ndarray
        The dummies of each column of few categories, as numbers of encoded columns.
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
        dummies: Sequence[NDArray[np.intp]],
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
        for part in dummies:
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


def _n_dummies(categories: list[str]) -> int:
    """Return the number of dummies of a categorical column: one for each category, but one for two categories."""
    return len(categories) if len(categories) > 2 else 1


def _by_number(column: pd.Series) -> pd.Series:
    """Return a column of numbers as an ordered categorical column, so that its categories are sorted as numbers."""
    values = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    is_numbers = infer_dtype(values, skipna=True) in ("integer", "floating", "mixed-integer-float")
    return values.astype(pd.CategoricalDtype(ordered=True)) if is_numbers else column


def _frame(X: Any) -> Any:
    """Return a table of any library as a DataFrame, durations and sparse columns as numbers."""
    if not hasattr(X, "to_pandas") and not _is_frame(X):
        return X
    X = as_pandas(X)
    refuse_odd_names(X)
    objects = [column for column in X if is_object_dtype(X[column].dtype)]
    sparse = [c for c in X if isinstance(X[c].dtype, pd.SparseDtype)]
    spans = [c for c in X if is_timedelta64_dtype(X[c].dtype) or (c in objects and infer_dtype(X[c]) == "timedelta")]
    if spans or objects or sparse:
        X = X.copy(deep=False)
        for column in sparse:
            X[column] = X[column].sparse.to_dense()
        X[objects] = X[objects].where(X[objects].notna(), np.nan)  # NA and NaT cannot become numbers
        for column in spans:
            X[column] = numbers_of(pd.to_timedelta(X[column]))
    return X


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
