"""Checks and scaling of a table, before views are applied to its numeric columns."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype

from rotastack.base.columns import as_pandas, numbers_of
from rotastack.base.warned import warn_of_scales
from rotastack.views.scaling import SCALERS

__all__ = [
    "INPUT_RULES",
    "categorical_mask",
    "check_rotatable",
    "fitted_scaler",
    "naming_text",
    "refuse_missing",
    "refuse_no_columns",
    "scaled_columns",
    "warn_of_unequal_scales",
]


INPUT_RULES: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
"""Arguments of scikit-learn's ``validate_data``; estimators that fill no missing values call `refuse_missing`, too."""


def refuse_missing(X: NDArray[np.floating], estimator: Any) -> None:
    """Raise ValueError if a value is missing; the message names the place of the first one and a remedy."""
    missing = np.argwhere(np.isnan(X))
    if len(missing):
        row, column = missing[0]
        names = getattr(estimator, "feature_names_in_", None)
        raise ValueError(
            f"Input X contains NaN: column {column if names is None else repr(names[column])}, row {row}; use a scaling, "
            "which fills missing values, or fill the values first"
        )


def categorical_mask(categorical_features: ArrayLike | None, estimator: Any) -> NDArray[np.bool_]:
    """Return the mask of the categorical columns from their numbers, names or mask; a ValueError names a wrong one.

    `estimator` is one after ``validate_data`` on the training rows.
    """
    n_features, names = estimator.n_features_in_, getattr(estimator, "feature_names_in_", None)
    columns = np.asarray([] if categorical_features is None else categorical_features)
    if columns.dtype.kind in "UO" and names is not None:
        known = [str(name) for name in names]
        unknown = [str(c) for c in columns if str(c) not in known]
        if unknown:
            raise ValueError(f"categorical_features: column {unknown[0]!r} not found; columns: {', '.join(known)}")
        columns = np.array([known.index(str(c)) for c in columns])
    if columns.size and columns.dtype.kind not in "iub":
        raise ValueError(f"categorical_features must be column numbers or a mask, got {columns.tolist()}")
    if columns.dtype == bool:
        if len(columns) != n_features:
            raise ValueError(
                f"categorical_features has {len(columns)} entries; a mask needs one for each of the {n_features} columns"
            )
        return columns.copy()
    if len(columns) and not (0 <= columns.min() <= columns.max() < n_features):
        raise ValueError(
            f"categorical_features must be column numbers from 0 to {n_features - 1}, got {columns.tolist()}"
        )
    if len(np.unique(columns)) < len(columns):
        raise ValueError(f"categorical_features names a column twice: {columns.tolist()} (a mask must be of type bool)")
    return np.isin(np.arange(n_features), columns)


def refuse_no_columns(X: Any) -> None:
    """Raise a ValueError for a data frame without columns; scikit-learn refuses an array without columns."""
    if hasattr(X, "columns") and not len(X.columns):
        raise ValueError("X has no columns; at least one is needed")


_NO_NUMBER = re.compile(
    r"could not convert|[Cc]annot cast|be promoted|argument must be a string or a|Complex data|with a sequence"
)


@contextmanager
def naming_text(X: Any, message: str) -> Iterator[None]:
    """Replace the error that scikit-learn or NumPy raises for a column of `X` by one that names the column.

    `message` has the fields ``{column}``, ``{what}`` (such as "text" or "dates or times") and ``{example}``.
    """
    refuse_no_columns(X)
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else ()
    try:
        if any(is_datetime64_any_dtype(dtype) for dtype in dtypes):  # NumPy may convert dates to nanoseconds
            raise TypeError("cannot cast dates")
        yield
    except (ValueError, TypeError) as error:
        is_infinite = "contains infinity" in str(error)
        if not is_infinite and not _NO_NUMBER.search(str(error)):
            raise
        table = as_pandas(X) if hasattr(X, "to_pandas") else pd.DataFrame(X)
        for j, name in enumerate(table.columns):
            if is_infinite and (found := int(np.isinf(numbers_of(table.iloc[:, j])).sum())):
                raise ValueError(
                    f"{error} Column {name!r}: infinite in {found} rows; set the values to missing"
                ) from error
            value = None if is_infinite else _no_number(table.iloc[:, j])
            if value is not None:
                kind = "text" if isinstance(value, str | bytes) else f"values of type {type(value).__name__}"
                kind = "dates or times" if isinstance(value, _TIMES) else kind
                raise ValueError(message.format(column=repr(name), what=kind, example=repr(str(value)))) from error
        raise


_TIMES = date | time | timedelta | np.datetime64 | np.timedelta64 | pd.Period


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


def check_rotatable(n_numeric: int, n_features: int) -> None:
    """Raise a ValueError if no column is numeric, and warn if a single column is."""
    if n_numeric == 0:
        raise ValueError(
            f"all {n_features} columns are in categorical_features; a rotation needs a numeric column; "
            "the method unrotated() returns the ensemble without rotations"
        )
    if n_numeric == 1:
        warnings.warn("only one column is numeric; its only rotation is the identity", UserWarning, stacklevel=4)


def warn_of_unequal_scales(X: NDArray, categorical: NDArray[np.bool_], estimator: Any) -> None:
    """Warn if the numeric columns, which are rotated unscaled, have very different scales."""
    if not categorical.all():
        names = getattr(estimator, "feature_names_in_", None)
        numbers = np.flatnonzero(~categorical)
        warn_of_scales(
            X[:, ~categorical], (numbers if names is None else names[numbers]).tolist(), "columns are rotated unscaled",
            "columns of large scale dominate the rotation. Use scaling='minmax', 'quantile', 'rank' or 'symmetric'.",
        )  # fmt: skip


def scaled_columns(
    X: NDArray[np.floating], categorical: NDArray[np.bool_], scaler: Any
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the scaled numeric columns and the categorical columns, as float32.

    A ValueError if a value is missing, infinite or too large for float32; trees cannot use such a value.
    """
    numeric = X[:, ~categorical]
    if scaler is not None and numeric.shape[1]:
        numeric = np.asarray(scaler.transform(numeric))  # scikit-learn may be configured to return a DataFrame
    with np.errstate(over="ignore"):
        parts = numeric.astype(np.float32), X[:, categorical].astype(np.float32)
    for part, columns, kind in zip(parts, (~categorical, categorical), ("numeric", "categorical"), strict=True):
        if not np.isfinite(part.sum(dtype=np.float64)):
            _refuse(part, np.flatnonzero(columns), kind)
    return parts


def _refuse(part: NDArray[np.float32], columns: NDArray[np.intp], kind: str) -> None:
    bad = np.argwhere(~np.isfinite(part))
    if len(bad):
        row, k = bad[0]
        what = "contains NaN" if np.isnan(part[row, k]) else "contains infinity or a value too large for float32"
        remedy = "make missing a category of its own" if kind == "categorical" else "use a scaling"
        raise ValueError(f"Input X {what}: {kind} column {columns[k]}, row {row}; {remedy}")


def fitted_scaler(X: NDArray[np.floating], categorical: NDArray[np.bool_], scaling: str | None) -> Any:
    """Return the scaler named `scaling`, fitted to the numeric columns; None without scaling or numeric columns."""
    if scaling is None or categorical.all():
        return None
    return SCALERS[scaling]().fit(X[:, ~categorical])
