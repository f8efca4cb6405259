"""Conversion of a raw table to numbers: kinds of columns, dummies, dropped columns (thesis, 1.6.1)."""

from collections.abc import Mapping
from itertools import chain, pairwise
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_integer_dtype, is_numeric_dtype
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rotastack.base.categories import DIFFERENCES, MISSING, alike, categories_of, category_numbers, dummies, texts_of
from rotastack.base.columns import DROPPED, ColumnKind, as_pandas, column_kind, date_numbers, date_parts, numbers_of
from rotastack.base.naming import refuse_odd_names
from rotastack.base.reading import ColumnReading, read_columns, readings_of, stored_readings
from rotastack.base.scikit import whole_fit
from rotastack.base.warned import warn, warn_of_unseen
from rotastack.base.words import MOST_COMPONENTS, TextComponents
from rotastack.errors import RotastackError, counted, shortened

NUMBERS = ("numeric", "ordered")
"""Kinds of columns that become one number."""


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """A transformer of a table into numeric columns, followed by categories as 0/1 dummies or numbers.

    A column with 10 or more distinct numbers is numeric, and its missing values stay NaN. A column with fewer distinct
    numbers, or mostly other values, is categorical. "Missing" is a category of its own, and C categories become C - 1
    columns, in alphabetical order. An ordered categorical column becomes the number of the place in its order. A date becomes the number of its day,
    with the month, weekday and hour if they vary. Free text becomes the leading components of its TF-IDF: one for 4 rows,
    at most 100. Constant columns and ids are dropped.
    :func:`rotastack.base.columns.column_kind` has the rules. Labels are not used. Text of new rows, such as numbers and
    dates, is read as that of the training rows.

    Parameters
    ----------
    kinds : mapping of str to str or list of str, or None
        Kind of a column by its name: "numeric", "categorical", "text", "id", "leak" (both dropped) or "auto" (the rules
        above), or the values of an ordered column from the first to the last. Columns without an entry are "auto".
    min_distinct : int, default=10
        Smallest number of distinct values of a numeric column.
    encoding : {"dummies", "onehot", "codes"}, default="dummies"
        Output columns of a categorical column with C categories. "dummies" are C - 1 columns, as in the thesis: a row
        of zeros is the first category. "onehot" are C columns if training rows have no missing values, else C - 1: a
        row of zeros is then no category, or a missing one. "codes" is one column with the number of the category, NaN
        if missing, for estimators that support categories.

    Attributes
    ----------
    readings_ : dict of str to ColumnReading
        How the text of each column is read. A table of :func:`~rotastack.data.read_table` brings its readings.
    kinds_ : dict of str to str
        Kind of each column: "numeric", "ordered", "categorical", "date", "text", or "id", "objects", "constant", "missing", "leak" (dropped).
    reasons_ : dict of str to str
        Reason for the kind of each column, as text for people.
    numeric_ : list of str
        Names of the numeric output columns, from columns of numbers, ordered values, dates and text.
    orders_ : dict of str to list of str
        Values of each ordered column, from the first to the last. Another value is missing.
    categories_ : dict of str to list of str
        Categories of each categorical column. "(missing)" comes first.
    texts_ : dict of str to TextComponents
        Encoder of each column of text.
    complete_ : list of str
        The columns of numbers, ordered values or dates without missing training values.
    ranges_ : dict of str to (float, float)
        Smallest and largest training value of each column of numbers.
    dropped_ : dict of str to str
        Reason for each dropped column.
    categorical_ : ndarray of bool of shape (n_features_out,)
        Mask of the output columns that are dummies or category numbers.

    Raises
    ------
    RotastackError
        Infinite values; two columns of one name; in :meth:`transform`, no column left.

    Warns
    -----
    UserWarning
        Ids, which are dropped; values that are no numbers or dates; in :meth:`transform` new categories, and missing
        values in columns of numbers or dates without missing training values.

    Notes
    -----
    A new row may have a category that no training row has, or a missing value in a column without missing training
    values. All dummies of the column are 0 then. If the column has missing training values, the zeros mean "missing".
    Otherwise they mean the first category with "dummies", and trees treat the row as a sure case of it. With "onehot"
    they mean no category: trees that split on the dummies of different categories err in different ways, and their
    errors even out. A warning counts such rows.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": range(12), "colour": ["r", "g", None] * 4, "c": 1})
    >>> p = TablePreprocessor().fit(table)
    >>> p.get_feature_names_out().tolist(), p.dropped_
    (['x', 'colour=g', 'colour=r'], {'c': 'one value only'})
    """

    def __init__(
        self, kinds: Mapping[str, str | list[str]] | None = None, min_distinct: int = 10, encoding: str = "dummies"
    ):
        self.kinds = kinds
        self.min_distinct = min_distinct
        self.encoding = encoding

    @whole_fit
    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Determine the kinds and the categories of the columns.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        return describe_columns(self, X)._fit_texts(X)

    def _learn(self, X: pd.DataFrame) -> Self:
        """Fit without a warning of the columns that are left out."""
        X = as_pandas(X)
        refuse_odd_names(X)
        declared = dict(self.kinds or {})
        stored = stored_readings(X)
        others = X[[column for column in X.columns if column not in stored]]
        self.readings_: dict[Any, ColumnReading] = stored | readings_of(others, kinds=declared)
        X = read_columns(X, self.readings_)
        self.orders_: dict[Any, list[str]] = {}
        for column in X:
            order, dtype = declared.get(column, "auto"), X[column].dtype
            if isinstance(order, list):
                self.orders_[column] = order
            elif order == "auto" and isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
                self.orders_[column] = texts_of(dtype.categories.to_series()).tolist()
        X = self._in_order(X)
        self.kinds_: dict[str, str] = {}
        self.reasons_: dict[str, str] = {}
        self.categories_: dict[str, list[str]] = {}
        self.dates_: dict[str, list[str]] = {}
        self.texts_: dict[str, TextComponents] = {}
        for column in X.columns:
            kind, reason = self._kind(X[column], declared.get(column, "auto"))
            if kind in NUMBERS or (kind == "categorical" and is_numeric_dtype(X[column].dtype)):
                numbers = _finite(X[column])
            if kind == "date":
                self.dates_[column] = date_parts(X[column])
                reason = f"{reason}: {', '.join(self.dates_[column])}"
            elif kind == "text":
                self.texts_[column] = TextComponents(min(MOST_COMPONENTS, max(1, len(X) // 4)))
            elif kind in NUMBERS and np.isnan(numbers).all():
                kind, reason = "missing", "has no value of the order" if column in self.orders_ else "has no numbers"
            elif kind in NUMBERS and np.nanmin(numbers) == np.nanmax(numbers):
                kind, reason = "constant", "one value only"
            elif kind == "categorical":
                categories = categories_of(X[column])
                if len(categories) > 1:
                    self.categories_[column] = categories
                else:
                    kind, reason = "constant", "one value only"
            if (kind == "categorical" or declared.get(column) == "id") and (
                names := alike(texts_of(X[column]).unique())
            ):
                warn(f"column {column!r}: values {shortened(map(repr, names), 3)} differ only in {DIFFERENCES}")
            self.kinds_[column], self.reasons_[column] = kind, reason
        self.numbers_ = [column for column, kind in self.kinds_.items() if kind in NUMBERS]
        blocks = self._numbers(X)
        self.complete_ = [column for column, block in blocks.items() if not np.isnan(block).any()]
        self.ranges_ = {
            c: (float(np.nanmin(blocks[c])), float(np.nanmax(blocks[c])))
            for c in self.numbers_
            if c not in self.orders_
        }
        return self

    def _in_order(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the columns with the places of ordered values, from 0, in their stead; NaN for another value."""
        if not self.orders_:
            return X
        placed = X.copy(deep=False)
        for column, order in self.orders_.items():
            if column in X:
                places = category_numbers(X[column], order).astype(np.float64)
                placed[column] = np.where(places < len(order), places, np.nan)
        return placed

    def _numbers(self, X: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
        """Return the output columns of each column of numbers or dates."""
        numbers = {column: _finite(X[column])[:, None] for column in self.numbers_}
        return numbers | {column: date_numbers(X[column], parts) for column, parts in self.dates_.items()}

    def _fit_texts(self, X: pd.DataFrame) -> Self:
        X = read_columns(as_pandas(X)[[*self.texts_]], self.readings_, lambda note: None)
        for column, encoder in self.texts_.items():
            encoder.fit(X[column])
        return self

    def _kind(self, column: pd.Series, declared: Any) -> ColumnKind:
        if column.name in self.orders_:
            return ColumnKind("ordered", " < ".join(self.orders_[column.name]))
        if declared not in ("id", "leak"):
            if not column.notna().any():
                return ColumnKind("missing", "all missing")
            if declared == "auto":
                return column_kind(column, self.min_distinct, self.readings_[column.name])
        return ColumnKind(declared, f"declared {declared}")

    @property
    def dropped_(self) -> dict[str, str]:
        """Reason for each dropped column."""
        return {column: self.reasons_[column] for column, kind in self.kinds_.items() if kind in DROPPED}

    def dropped_in_words(self) -> dict[str, str]:
        """Return the kind of each dropped column, followed by the reason if the reason adds to the kind."""
        return {
            column: reason
            if reason in (self.kinds_[column], f"declared {self.kinds_[column]}")
            else f"{self.kinds_[column]}: {reason}"
            for column, reason in self.dropped_.items()
        }

    @property
    def numeric_(self) -> list[str]:
        """Names of the numeric output columns."""
        of_dates = [
            str(column) if part == "days" else f"{column} ({part})"
            for column, parts in self.dates_.items()
            for part in parts
        ]
        of_texts = [f"{column} ({k + 1})" for column, text in self.texts_.items() for k in range(text.n_components)]
        return [*self.numbers_, *of_dates, *of_texts]

    @property
    def categorical_(self) -> NDArray[np.bool_]:
        """Mask of the output columns that are dummies or category numbers."""
        return np.arange(len(self.get_feature_names_out())) >= len(self.numeric_)

    @property
    def parts_(self) -> list[NDArray[np.intp]]:
        """Numbers of the output columns of each column of ``needed_``."""
        sizes = [1] * len(self.numbers_) + [len(parts) for parts in self.dates_.values()]
        sizes += [text.n_components for text in self.texts_.values()]
        sizes += [len(names) for names in self._category_names()]
        return [np.arange(*ends) for ends in pairwise(np.cumsum([0, *sizes]))]

    @property
    def needed_(self) -> list[str]:
        """Columns that :meth:`transform` needs."""
        return [*self.numbers_, *self.dates_, *self.texts_, *self.categories_]

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the numeric columns, then the dummies or category numbers.

        A category that was absent in ``fit`` has 0 in all dummies, or a number that no category has.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns)
            Columns that were absent in ``fit`` are ignored.

        Returns
        -------
        ndarray of shape (n_rows, n_features_out)

        Warns
        -----
        UserWarning
            Categories that were absent in ``fit``, missing numbers or dates in columns without any in ``fit``, and
            values of a date column that are no dates.
        """
        self._check_columns()
        X = as_pandas(X)
        if is_integer_dtype(X.columns) and not set(self.needed_) <= set(X.columns):
            X = X.set_axis(X.columns.map(str), axis=1)  # as `compare_methods` has read them
        missing = [c for c in self.needed_ if c not in X.columns]
        if missing:
            raise RotastackError(f"columns missing from the table: {', '.join(map(str, missing))}")
        read = read_columns(X[self.needed_], self.readings_)
        X = self._in_order(read)
        blocks = self._numbers(X)
        texts = [text.transform(X[c]) for c, text in self.texts_.items()]
        numbers = np.hstack([np.empty((len(X), 0)), *blocks.values(), *texts])
        codes = self._codes(X)
        counts = [len(categories) for categories in self.categories_.values()]
        new: dict[str, NDArray[np.bool_]] = dict(zip(self.categories_, (codes == counts).T, strict=True))
        new |= {c: (X[c].isna() & read[c].notna()).to_numpy() for c in self.orders_ if c in self.numbers_}
        new |= {column: np.any(np.isnan(blocks[column]), axis=1) for column in self.complete_}
        warn_of_unseen(((column, read[column], rows) for column, rows in new.items()), ordered=self.orders_)
        if self.encoding == "codes":
            missing = X[list(self.categories_)].isna().to_numpy(dtype=bool)
            return np.hstack([numbers, np.where(missing, np.nan, codes)])
        return np.hstack([numbers, dummies(codes, counts, self._without_dummy())])

    def _without_dummy(self) -> list[int]:
        """Return, for each categorical column, 1 if its first category has no dummy, else 0."""
        every = self.encoding == "onehot"
        return [int(not every or categories[0] == MISSING) for categories in self.categories_.values()]

    def _codes(self, X: pd.DataFrame) -> NDArray[np.intp]:
        codes = np.empty((len(X), len(self.categories_)), dtype=np.intp)
        for k, (column, categories) in enumerate(self.categories_.items()):
            codes[:, k] = category_numbers(X[column], categories)
        return codes

    def _check_columns(self) -> None:
        check_is_fitted(self)
        if not self.needed_ and "text" not in self.kinds_.values():
            dropped = "; ".join(f"{c!r} is dropped ({self.kinds_[c]}: {why})" for c, why in self.dropped_.items())
            raise RotastackError(f"no usable column is left: {dropped or 'the table has no columns'}")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns: ``column``, or ``column=category`` for a dummy."""
        self._check_columns()
        return np.asarray([*map(str, self.numeric_), *chain(*self._category_names())], dtype=object)

    def _category_names(self) -> list[list[str]]:
        """Return the names of the output columns of each categorical column."""
        if self.encoding == "codes":
            return [[str(column)] for column in self.categories_]
        columns = zip(self.categories_.items(), self._without_dummy(), strict=True)
        return [[f"{column}={category}" for category in found[first:]] for (column, found), first in columns]


def _finite(column: pd.Series) -> NDArray[np.float64]:
    """Return a column as numbers; a RotastackError if a number is infinite."""
    numbers = numbers_of(column)
    infinite = np.isinf(numbers)
    if infinite.any():
        raise RotastackError(
            f"column {column.name!r}: infinite values in {counted(int(infinite.sum()), 'row')}; set the values to missing, or drop the rows"
        )
    return numbers


def describe_columns(preprocessor: TablePreprocessor, X: pd.DataFrame) -> TablePreprocessor:
    """Determine the kinds and the categories of the columns, without the words of free text, which take longer."""
    preprocessor._learn(X)
    left_out = [
        f"{column!r} ({why})"
        for column, why in preprocessor.dropped_in_words().items()
        if preprocessor.kinds_[column] in ("id", "objects") and column not in (preprocessor.kinds or {})
    ]
    if left_out:
        warn(f"columns left out: {'; '.join(left_out)}; to keep a column, declare its kind, categorical or text")
    return preprocessor
