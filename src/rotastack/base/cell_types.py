"""Types of a column's cells: a number, boolean, date or duration stays what it is, and only a text is read."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_object_dtype

PLURAL = {"number": "numbers", "boolean": "booleans", "date": "dates", "duration": "durations", "text": "text"}
_INFERRED = {
    **dict.fromkeys(["integer", "floating", "mixed-integer-float", "decimal", "complex"], "number"),
    "boolean": "boolean",
    "datetime64": "date",
    "period": "date",
    "timedelta": "duration",
    "timedelta64": "duration",
}
_OF_CELLS = {
    "boolean": (bool, np.bool_),
    "duration": (timedelta, np.timedelta64),
    "number": (int, float, np.integer, np.floating, Decimal),
    "date": (date, np.datetime64),
}
"""Types of a cell's value, in the order of the search: Python's truth values are integers, NumPy's durations too."""


def type_of(column: pd.Series) -> str:
    """Return the type that the values of a column have, before any text is read; text also if they have several types."""
    values = pd.Series(column.dtype.categories) if isinstance(column.dtype, pd.CategoricalDtype) else column
    return _INFERRED.get(infer_dtype(values, skipna=True), "text")


def types_of_cells(column: pd.Series) -> pd.Series:
    """Return the type of each cell of a column; that of a missing cell has no meaning.

    >>> types_of_cells(pd.Series([12.345, "12,5", True], dtype=object)).tolist()
    ['number', 'text', 'boolean']
    """
    if not is_object_dtype(column.dtype) or infer_dtype(column, skipna=True) == "string":
        return pd.Series(type_of(column), index=column.index, dtype="str")
    types = [next((name for name, of in _OF_CELLS.items() if isinstance(value, of)), "text") for value in column]
    return pd.Series(types, index=column.index, dtype="str")


def typed_values(cells: pd.Series, type_: str) -> pd.Series:
    """Return a column of objects of one type, with gaps, as pandas has this type; booleans stay beside numbers."""
    return _CONVERSIONS[type_](cells) if type_ in _CONVERSIONS else cells


_CONVERSIONS: dict[str, Callable[[pd.Series], pd.Series]] = {
    "number": lambda cells: cells.map(
        lambda value: float(value) if not isinstance(value, int) or abs(value) < 2**1023 else float("inf"),
        na_action="ignore",
    ).astype("float64"),
    "date": lambda cells: pd.to_datetime(cells, errors="coerce", utc=True).dt.tz_convert(None),
    "duration": pd.to_timedelta,
}
