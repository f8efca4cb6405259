"""Types of a column's cells: a number, boolean, date or duration stays what it is, and only a text is read."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import (
    infer_dtype,
    is_bool_dtype,
    is_datetime64_any_dtype,
    is_numeric_dtype,
    is_object_dtype,
    is_timedelta64_dtype,
)

__all__ = ["PLURAL", "type_of", "typed_values", "types_of_cells"]

PLURAL = {"number": "numbers", "boolean": "booleans", "date": "dates", "duration": "durations", "text": "text"}
_OF_OBJECTS = {"integer": "number", "floating": "number", "mixed-integer-float": "number", "decimal": "number",
               "boolean": "boolean", "timedelta": "duration"}  # fmt: skip
_OF_CELLS = {"boolean": (bool, np.bool_), "duration": (timedelta, np.timedelta64),
             "number": (int, float, np.integer, np.floating, Decimal), "date": (date, np.datetime64)}  # fmt: skip
"""Types of a cell's value, in the order of the search: Python's truth values are integers, NumPy's durations too."""


def type_of(column: pd.Series) -> str:
    """Return the type that the values of a column have, before any text is read; text also if they have several types."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return type_of(pd.Series(dtype.categories))
    if is_bool_dtype(dtype):
        return "boolean"
    if is_numeric_dtype(dtype):
        return "number"
    if is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return "date"
    if is_timedelta64_dtype(dtype):
        return "duration"
    return _OF_OBJECTS.get(infer_dtype(column, skipna=True), "text") if is_object_dtype(dtype) else "text"


def types_of_cells(column: pd.Series) -> pd.Series:
    """Return the type of each cell of a column; that of a missing cell has no meaning.

    >>> types_of_cells(pd.Series([12.345, "12,5", True], dtype=object)).tolist()
    ['number', 'text', 'boolean']
    """
    if is_object_dtype(column.dtype) and infer_dtype(column, skipna=True) != "string":
        return pd.Series([*map(_type_of_cell, column)], index=column.index, dtype="str")
    return pd.Series(type_of(column), index=column.index, dtype="str")


def _type_of_cell(value: Any) -> str:
    return next((name for name, types in _OF_CELLS.items() if isinstance(value, types)), "text")


def typed_values(cells: pd.Series, type_: str) -> pd.Series:
    """Return a column of objects of one type, with gaps, as pandas has this type; booleans stay beside numbers."""
    if type_ == "number":
        return cells.map(_float, na_action="ignore").astype("float64")
    if type_ == "date":
        return pd.to_datetime(cells, errors="coerce", utc=True).dt.tz_convert(None)
    return pd.to_timedelta(cells) if type_ == "duration" else cells


def _float(value: Any) -> float:
    return float(value) if not isinstance(value, int) or abs(value) < 2**1023 else float("inf")
