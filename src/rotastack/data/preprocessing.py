"""From a raw table to numbers: kinds of columns, dummies, dropped columns (thesis, 1.6.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rotastack.errors import RotastackError

__all__ = ["TablePreprocessor", "check_target"]

_MISSING = "(missing)"


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """Turn a table into numeric columns (missing values stay NaN) followed by 0/1 dummies.

    A column with 10 or more distinct numeric values is numeric; one with fewer, or mostly
    not numbers, is categorical. In a categorical column "missing" is a category of its own,
    and C categories become C - 1 columns. Constant columns, and text columns all of whose
    values differ, are dropped. What a label says of its rows is never looked at.

    Parameters
    ----------
    kinds : mapping of str to str, or None
        Column -> "numeric", "categorical", "id", "leak" (both dropped) or "auto" (the rules
        above, as for columns that are not named).
    min_distinct : int, default=10
        Distinct values from which on a column of numbers is numeric.

    Attributes
    ----------
    numeric_ : list of str
    categories_ : dict of str to list of str
        Categorical column -> its categories; the first has no dummy.
    dropped_ : dict of str to str
        Dropped column -> reason.
    dummies_ : ndarray of bool of shape (n_features_out,)
        Which output columns are dummies.

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

    def __init__(self, kinds: Mapping[str, str] | None = None, min_distinct: int = 10):
        self.kinds = kinds
        self.min_distinct = min_distinct

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
                categories.sort(key=lambda c: c != _MISSING)  # "missing" first: it has no dummy
                if len(categories) == 1:
                    self.dropped_[column] = "constant"
                    continue
                self.categories_[column] = categories
        n_dummies = sum(len(c) - 1 for c in self.categories_.values())
        if not self.numeric_ and not n_dummies:
            raise RotastackError(f"no usable column is left; dropped: {self.dropped_}")
        self.dummies_ = np.repeat([False, True], [len(self.numeric_), n_dummies])
        return self

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the numbers.

        A category that was not there in ``fit`` has all its dummies 0.

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
        needed = [*self.numeric_, *self.categories_]
        missing = [c for c in needed if c not in X.columns]
        if missing:
            raise RotastackError(f"columns missing from the table: {', '.join(map(str, missing))}")
        blocks = [_numbers(X[c])[:, None] for c in self.numeric_]
        for block, column in zip(blocks, self.numeric_, strict=True):
            if np.isinf(block).any():
                raise RotastackError(
                    f"column {column!r}: infinite values in {int(np.isinf(block).sum())} rows"
                )
        for column, categories in self.categories_.items():
            texts = np.asarray(_texts(X[column]), dtype=object)
            blocks.append((texts[:, None] == np.asarray(categories[1:], dtype=object)).astype(float))
        return np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns: ``column``, or ``column=category``."""
        check_is_fitted(self)
        dummies = [f"{column}={c}" for column, cs in self.categories_.items() for c in cs[1:]]
        return np.asarray([*map(str, self.numeric_), *dummies], dtype=object)


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
            return _MISSING
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            return str(int(value))
        return str(value)

    return [text(value) for value in column]
