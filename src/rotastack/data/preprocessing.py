"""From a raw table to numbers: kinds of columns, dummies, dropped columns (thesis, 1.6.1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rotastack.errors import RotastackError

__all__ = ["MISSING", "TablePreprocessor", "check_target", "dummies"]

MISSING = "(missing)"
"""Name of the category of missing values; it comes first."""


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """Turn a table into numeric columns (missing values stay NaN) followed by categories, as 0/1 dummies or numbers.

    A column with 10 or more distinct numeric values is numeric; one with fewer, or mostly
    not numbers, is categorical. In a categorical column "missing" is a category of its own,
    and C categories become C - 1 columns. Constant columns, and text columns all of whose
    values differ, are dropped. Labels are never looked at.

    Parameters
    ----------
    kinds : mapping of str to str, or None
        Column -> "numeric", "categorical", "id", "leak" (both dropped) or "auto" (the rules
        above, as for columns that are not named).
    min_distinct : int, default=10
        Distinct values from which on a column of numbers is numeric.
    encoding : {"dummies", "codes"}, default="dummies"
        What becomes of a categorical column: dummies, or one column with the number of the category, NaN where it
        is missing, for estimators that take categories themselves.

    Attributes
    ----------
    numeric_ : list of str
    categories_ : dict of str to list of str
        Categorical column -> its categories; the first has no dummy.
    dropped_ : dict of str to str
        Dropped column -> reason.
    categorical_ : ndarray of bool of shape (n_features_out,)
        Which output columns are dummies, or numbers of categories.

    Raises
    ------
    RotastackError
        Infinite values, or no column left.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": range(12), "colour": ["r", "g", None] * 4, "c": 1})
    >>> p = TablePreprocessor().fit(table)
    >>> p.get_feature_names_out().tolist(), p.dropped_
    (['x', 'colour=g', 'colour=r'], {'c': 'constant'})
    """

    def __init__(
        self, kinds: Mapping[str, str] | None = None, min_distinct: int = 10, encoding: str = "dummies"
    ):
        self.kinds = kinds
        self.min_distinct = min_distinct
        self.encoding = encoding

    def fit(self, X: pd.DataFrame, y: object = None):
        """Decide on kinds and categories.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        X = _as_frame(X)
        declared = dict(self.kinds or {})
        self.numeric_: list[str] = []
        self.categories_: dict[str, list[str]] = {}
        self.dropped_: dict[str, str] = {}
        for column in X.columns:
            kind = declared.get(column, "auto")
            if kind in ("id", "leak"):
                self.dropped_[column] = f"declared {kind}"
                continue
            numbers = _numbers(X[column])
            if np.isinf(numbers).any():
                raise RotastackError(
                    f"column {column!r}: infinite values in {int(np.isinf(numbers).sum())} rows"
                )
            known = X[column].notna()
            distinct = X[column].nunique()
            n_numbers = len(np.unique(numbers[~np.isnan(numbers)]))
            if not known.any():
                self.dropped_[column] = "all missing"
                continue
            if kind == "auto":
                textual = np.isnan(numbers[known]).mean() > 0.5
                if textual and distinct == known.sum() > 2:
                    self.dropped_[column] = "id: text, and all values differ"
                    continue
                kind = "categorical" if textual or n_numbers < self.min_distinct else "numeric"
            if kind == "numeric":
                values = numbers[~np.isnan(numbers)]
                if len(values) == 0 or values.min() == values.max():
                    self.dropped_[column] = "constant" if len(values) else "holds no numbers"
                    continue
                self.numeric_.append(column)
            else:
                categories = sorted(set(_texts(X[column])))
                categories.sort(key=lambda c: c != MISSING)  # "missing" first: it has no dummy
                if len(categories) == 1:
                    self.dropped_[column] = "constant"
                    continue
                self.categories_[column] = categories
        if not self.numeric_ and not self.categories_:
            raise RotastackError(f"no usable column is left; dropped: {self.dropped_}")
        return self

    @property
    def categorical_(self) -> NDArray[np.bool_]:
        """Which output columns are dummies, or numbers of categories."""
        n_out = len(self.get_feature_names_out())
        return np.arange(n_out) >= len(self.numeric_)

    @property
    def needed_(self) -> list[str]:
        """Columns that a table must have to be transformed."""
        return [*self.numeric_, *self.categories_]

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the numbers.

        A category that was not there in ``fit`` has all its dummies 0, or a number that no category has.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns)
            More columns than in ``fit`` are ignored.

        Returns
        -------
        ndarray of shape (n_rows, n_features_out)
        """
        check_is_fitted(self)
        X = _as_frame(X)
        missing = [c for c in self.needed_ if c not in X.columns]
        if missing:
            raise RotastackError(f"columns missing from the table: {', '.join(map(str, missing))}")
        blocks = [_numbers(X[c])[:, None] for c in self.numeric_]
        for block, column in zip(blocks, self.numeric_, strict=True):
            if np.isinf(block).any():
                raise RotastackError(
                    f"column {column!r}: infinite values in {int(np.isinf(block).sum())} rows"
                )
        numbers = np.hstack([np.empty((len(X), 0)), *blocks])
        codes = self._codes(X)
        counts = [len(categories) for categories in self.categories_.values()]
        if self.encoding == "codes":
            missing = X[list(self.categories_)].isna().to_numpy(dtype=bool)
            return np.hstack([numbers, np.where(missing, np.nan, codes)])
        return np.hstack([numbers, dummies(codes, counts)])

    def _codes(self, X: pd.DataFrame) -> NDArray[np.intp]:
        codes = np.empty((len(X), len(self.categories_)), dtype=np.intp)
        for k, (column, categories) in enumerate(self.categories_.items()):
            number = {category: code for code, category in enumerate(categories)}
            codes[:, k] = [number.get(text, len(categories)) for text in _texts(X[column])]
        return codes

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns: ``column``, or ``column=category`` of a dummy."""
        check_is_fitted(self)
        if self.encoding == "codes":
            return np.asarray([*map(str, self.numeric_), *map(str, self.categories_)], dtype=object)
        names = [f"{column}={c}" for column, cs in self.categories_.items() for c in cs[1:]]
        return np.asarray([*map(str, self.numeric_), *names], dtype=object)


def dummies(codes: NDArray[np.integer], counts: Sequence[int]) -> NDArray[np.float64]:
    """Return 0/1 columns for numbers of categories: one for each category but the first.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows, n_columns)
        A number of `counts` or more belongs to no category.
    counts : sequence of int of length n_columns
        Categories of each column.

    Returns
    -------
    ndarray of shape (n_rows, sum(counts) - n_columns)

    Examples
    --------
    >>> dummies(np.array([[0], [2], [1]]), [3]).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    blocks = [codes[:, [k]] == np.arange(1, count) for k, count in enumerate(counts)]
    return np.hstack([np.empty((len(codes), 0)), *blocks]).astype(np.float64)


def check_target(y: pd.Series, where: str) -> pd.Series:
    """Return labels as text.

    Raises
    ------
    RotastackError
        Missing labels, one class only, or a target that looks continuous.
    """
    if y.isna().any():
        raise RotastackError(f"{where}: the target is missing in {int(y.isna().sum())} rows")
    numbers = pd.to_numeric(y, errors="coerce").to_numpy(dtype=float)
    distinct = y.nunique()
    if distinct < 2:
        raise RotastackError(f"{where}: the target has one class only ({y.iloc[0]!r}); at least 2 are needed")
    fractional = np.isfinite(numbers).all() and (numbers != np.round(numbers)).any()
    if (fractional and distinct > 20) or distinct > max(100, len(y) / 2):
        raise RotastackError(
            f"{where}: the target looks continuous ({distinct} distinct values in {len(y)} rows); "
            "classification needs classes"
        )
    return y.map(lambda v: str(int(v)) if isinstance(v, float) and v.is_integer() else str(v))


def _as_frame(X) -> pd.DataFrame:
    if not isinstance(X, pd.DataFrame):
        X = pd.DataFrame(np.asarray(X))
        X.columns = [f"x{j + 1}" for j in range(X.shape[1])]
    return X


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _texts(column: pd.Series) -> list[str]:
    """Return category names: whole numbers without a decimal point, so that 1 and 1.0 are one."""

    def text(value):
        if pd.isna(value):
            return MISSING
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            return str(int(value))
        return str(value)

    return [text(value) for value in column]
