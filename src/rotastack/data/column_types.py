"""Types of columns that Parquet keeps, so that a table is the same after each writing and reading."""

import datetime
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from rotastack.base.categories import texts_of
from rotastack.base.cell_types import typed_values, types_of_cells
from rotastack.base.columns import as_pandas
from rotastack.base.reading import beyond_floats

EXACTLY = {"integer_object_nulls": True}
"""Arrow turns whole numbers with gaps into floating-point numbers by default."""
_KEPT = (datetime.date, datetime.time, Decimal)
"""Types of objects that Parquet keeps."""
_PLAIN = (str, int, float, np.generic, datetime.timedelta, pd.Period, pd.Interval, uuid.UUID, *_KEPT)


def settled(table: pd.DataFrame, mixed: bool = False) -> tuple[pd.DataFrame, list[str]]:
    """Return a table whose columns have types that Parquet keeps, and notes on columns that are left out.

    Columns of values of several types become text, or with `mixed` stay as they are. Columns of lists, records, bytes or complex numbers are left out.
    """
    table = as_pandas(table, **EXACTLY)
    columns: dict[str, pd.Series] = {}
    notes = []
    for name in table.columns:
        column = table[name]
        kinds = set(map(type, column[column.notna()])) if column.dtype == object else set()
        other = next((kind.__name__ for kind in kinds if not issubclass(kind, _PLAIN)), None)
        other = "complex" if column.dtype.kind == "c" else other
        if other is not None:
            notes.append(f"column {str(name)!r} is left out: values of type {other} are neither numbers nor text")
        else:
            columns[str(name)] = _of_objects(column, kinds, mixed) if column.dtype == object else _of_dtype(column)
    result = pd.DataFrame(columns, index=table.index).reset_index(drop=True)
    result.attrs = table.attrs
    return result, notes


def _of_objects(column: pd.Series, kinds: set[type], mixed: bool) -> pd.Series:
    """Return a column of Python objects as a column of one type: the type of all objects, or text."""
    column = column.where(column.notna(), None)  # not NaT, and no NaN of the decimal module
    if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        merged = beyond_floats(column)
        if column.dropna().map(lambda value: -(2**63) <= value < 2**63).all():
            return column.astype("Int64" if merged or column.isna().any() else "int64")
        return column.map(str, na_action="ignore").astype("str") if merged else typed_values(column, "number")
    if kinds and all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return column.astype("boolean" if column.isna().any() else "bool")
    inferred = column.infer_objects()
    if inferred.dtype != object:
        return _of_dtype(inferred)
    if len(kinds) == 1 and issubclass(next(iter(kinds)), _KEPT):
        return inferred
    if mixed and (types_of_cells(column.dropna()) != "text").any():
        return column
    return texts_of(column).where(column.notna(), None).astype("str")


def _of_dtype(column: pd.Series) -> pd.Series:
    """Return a column with a data type that Parquet gives back."""
    dtype = column.dtype
    if isinstance(dtype, pd.SparseDtype):
        return column.sparse.to_dense()
    if isinstance(dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories() if dtype.categories.dtype != "str" else column
        is_sorted = column.cat.categories.dtype.kind in "iuf" and column.cat.categories.is_monotonic_increasing
        is_text = column.cat.categories.dtype == "str"
        if is_text or is_sorted:
            return column
        return column.cat.rename_categories([str(value).removesuffix(" 00:00:00") for value in column.cat.categories])
    if isinstance(dtype, pd.StringDtype | pd.IntervalDtype):
        return column.map(str, na_action="ignore").astype("str") if dtype != "str" else column
    if dtype.kind in "mM" and not isinstance(dtype, pd.PeriodDtype) and column.dt.unit in ("s", "ms"):
        return column.dt.as_unit("us")
    return column.astype("float64") if dtype in (np.float16, np.longdouble) else column


def with_categories(table: pd.DataFrame, schema: Any) -> pd.DataFrame:
    """Return a table of Arrow with the categories of numbers that pandas noted: Parquet keeps those of text alone."""
    for noted in (schema.pandas_metadata or {}).get("columns", []):
        name = noted["name"]
        if (
            noted["pandas_type"] == "categorical"
            and name in table
            and not isinstance(table[name].dtype, pd.CategoricalDtype)
        ):
            codes = table[name].astype("category")
            dtype = schema.field(name).type.to_pandas_dtype()  # with gaps pandas has floating-point numbers
            codes = codes.cat.rename_categories(codes.cat.categories.astype(dtype))
            table[name] = codes.cat.as_ordered() if (noted["metadata"] or {}).get("ordered") else codes
    return table
