"""Errors of scikit-learn and NumPy on a table's values, which do not name the column, with its name."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype
from sklearn.utils import validation

from rotastack.base.columns import as_pandas, numbers_of
from rotastack.errors import RotastackError

_NUMBERS = (
    "column {column} contains {what} (such as {example}); numbers are needed; encode categories as 0/1 columns (OneHotEncoder, or "
    "rotastack.data.TablePreprocessor, also for dates); RotastackClassifier and RotastackRegressor take such columns unchanged"
)
_NO_NUMBER = re.compile(
    r"could not convert|[Cc]annot cast|be promoted|argument must be a string or a|Complex data|with a sequence|fill value must"
)
_TIMES = date | time | timedelta | np.datetime64 | np.timedelta64 | pd.Period | type(pd.NaT)


def validate_data(estimator: Any, X: Any, *y: Any, message: str = _NUMBERS, **checks: Any) -> Any:
    """Return what scikit-learn's function of this name returns; errors name the column, as in :func:`naming_column`."""
    if not y and _passes(estimator, X, **checks):
        return X
    with naming_column(X, message):
        return validation.validate_data(estimator, X, *y, **checks)


def _passes(estimator: Any, X: Any, reset: bool = True, dtype: Any = None, **checks: Any) -> bool:
    """Return whether new rows are an array that passes scikit-learn's checks, which take longer than to predict one row."""
    return (
        not reset
        and type(X) is np.ndarray
        and X.ndim == 2
        and len(X) > 0
        and X.dtype.kind == "f"
        and isinstance(dtype, list)
        and X.dtype in dtype
        and checks.keys() <= {"ensure_all_finite"}
        and X.shape[1] == getattr(estimator, "n_features_in_", 0) > 0
        and not hasattr(estimator, "feature_names_in_")
        and bool(np.isfinite(X).all())
    )


def refuse_no_columns(X: Any) -> None:
    """Raise a ValueError for a data frame without columns; scikit-learn refuses an array without columns."""
    if hasattr(X, "columns") and not len(X.columns):
        raise ValueError("X has no columns; at least one is needed")


def refuse_odd_names(table: pd.DataFrame) -> None:
    """Raise a RotastackError for a name of two columns, a missing name, or a truth value, which pandas takes for a mask."""
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise RotastackError(f"column {twice[0]!r} occurs twice; rename or drop one")
    for name in table.columns:
        if isinstance(name, bool) or name is None or name is pd.NA or name != name:
            raise RotastackError(f"column name {name!r} is neither text nor a number; rename the column")


@contextmanager
def naming_column(X: Any, message: str = _NUMBERS) -> Iterator[None]:
    """Replace the error that scikit-learn or NumPy raises for a value in `X` by one that names the column.

    `message`, for text and dates, has the fields ``{column}``, ``{what}`` ("text" or "dates or times") and ``{example}``.
    """
    refuse_no_columns(X)
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else ()
    try:
        if any(is_datetime64_any_dtype(dtype) for dtype in dtypes):  # NumPy may convert dates to nanoseconds
            raise TypeError("cannot cast dates")
        yield
    except (ValueError, TypeError) as error:
        is_known = "X contains" in str(error) or _NO_NUMBER.search(str(error))
        if not is_known or hasattr(X, "tocsr"):  # of sparse matrices
            raise
        why = str(error).partition("\n")[0]
        table = as_pandas(X) if hasattr(X, "to_pandas") else pd.DataFrame(X)
        for j, name in enumerate(table.columns):
            wrong, value = _is_wrong(table.iloc[:, j], why), None
            if not wrong and not why.startswith("Input X contains"):
                value = _no_number(table.iloc[:, j])
            if isinstance(value, str | bytes | _TIMES):
                what = "text" if isinstance(value, str | bytes) else "dates or times"
                raise ValueError(message.format(column=repr(name), what=what, example=repr(str(value)))) from error
            if wrong or value is not None:
                raise type(error)(f"column {name!r}: {why}") from error
        raise


def _is_wrong(column: pd.Series, why: str) -> bool:
    """Return whether a column holds what scikit-learn says: missing or infinite values, or other values than zeros."""
    if "contains NaN" in why:
        return bool(column.isna().any())
    if "contains infinity" in why:
        return bool(np.isinf(numbers_of(column)).any())
    return "fill value" in why and isinstance(column.dtype, pd.SparseDtype)


def _no_number(column: pd.Series) -> Any:
    """Return the first value in a column that is no number; None if the column has none."""
    if is_datetime64_any_dtype(column.dtype) or is_timedelta64_dtype(column.dtype):
        return column.iloc[0]
    if is_numeric_dtype(column.dtype) and column.dtype.kind != "c":
        return None
    return next((value for value in column if not _is_number(value)), None)


def _is_number(value: Any) -> bool:
    """Return whether NumPy converts a value to a number, or the value is missing."""
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return not isinstance(value, bytes | _TIMES)
