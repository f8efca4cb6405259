"""Kinds of columns: numbers, categories, dates, free text or ids; and the reason for the kind."""

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_timedelta64_dtype

from rotastack.base.reading import ColumnReading, readings_of

DROPPED = frozenset({"id", "objects", "constant", "missing", "leak"})
"""Kinds of columns that no model is trained on."""

_DAY = pd.Timedelta(days=1)
_FEW = 20  # fewer rows cannot show an id of whole numbers, and so few different texts are categories unless all differ
_SEVERAL_WORDS = r"(?s)[^\W\d_].*\s\W*[^\W\d_]"
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_ID_WORDS = frozenset({"id", "ids", "uuid", "guid", "identifier"})
_GROUP_WORDS = frozenset(
    {
        "patient",
        "subject",
        "participant",
        "person",
        "customer",
        "client",
        "user",
        "member",
        "household",
        "family",
        "group",
    }
)
_ID_NAMES = frozenset({"index", "row", "rownum", "rownumber", "row number", "no", "nr", "unnamed 0"})


class ColumnKind(NamedTuple):
    """The kind of a column, and the reason for it, as text for people."""

    kind: str
    reason: str


def as_pandas(table: Any, **options: Any) -> pd.DataFrame:
    """Return a table as a DataFrame: a pandas, polars or Arrow table, an object with ``to_pandas``, or an array.

    `options` are those of ``to_pandas``.
    """
    if isinstance(table, pd.DataFrame):
        of_arrow = [j for j, dtype in enumerate(table.dtypes) if isinstance(dtype, pd.ArrowDtype)]
        if of_arrow:
            import pyarrow

            arrow = pyarrow.Table.from_pandas(table.iloc[:, of_arrow], preserve_index=False)
            plain = converted(arrow.replace_schema_metadata(), **options).set_index(table.index)  # NumPy dtypes
            table = table.copy(deep=False)
            for k, j in enumerate(of_arrow):
                table.isetitem(j, plain.iloc[:, k])
        return table
    if hasattr(table, "to_pandas"):
        return converted(table, **options)
    # of numbers beside text in a list, NumPy would make text
    values = np.asarray(table, dtype=None if hasattr(table, "dtype") else object)
    return pd.DataFrame(values, columns=[f"x{j + 1}" for j in range(values.shape[1])])


def converted(table: Any, **options: Any) -> pd.DataFrame:
    """Return ``table.to_pandas(**options)``; a ValueError names a missing package, or a column that pandas cannot hold."""
    try:
        return table.to_pandas(**options)
    except ImportError as error:
        package = type(table).__module__.partition(".")[0]
        raise ValueError(f"tables of {package} need {error.name}; install {error.name}") from None
    except TypeError as error:
        names = getattr(table, "column_names", [])
        if len(names) < 2:
            text = f"column {''.join(names)!r} cannot be converted to pandas ({error}); drop the column"
            raise ValueError(text) from None
        for name in names:
            converted(table.select([name]), **options)
        raise


def numbers_of(column: pd.Series) -> NDArray[np.float64]:
    """Return a column as numbers: NaN where a value is no number, time spans in days."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if is_timedelta64_dtype(column.dtype):
        return (column / _DAY).to_numpy(dtype=float)
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def column_kind(column: pd.Series, min_distinct: int = 10, reading: ColumnReading | None = None) -> ColumnKind:
    """Return the kind of a column, whose text is read by `reading`, or as :func:`~rotastack.base.reading.readings_of` says.

    A column of missing values alone is "missing". A column with one value and no missing ones is "constant". The other
    kinds follow from the values that are not missing:

    - "date": dates.
    - "categorical": declared categories, truth values, and text but for the following two.
    - "id": texts of which most differ (see "text"), and at most half have several words; whole numbers in at least 20 rows
      that count the rows in order from 0 or 1, or of which more than half differ in a column with the name of an id
      (``customer_id``, ``PassengerId``, ``uuid``, ``index``, ``no``, ...).
    - "text": texts of which most differ, and more than half have several words. Most differ if all do, of three or more; or
      if more than 20 differ, and more than half of the rows, or a tenth of the rows if texts average 30 characters.
    - "objects": other values than text, numbers and dates, such as lists.
    - Other numbers: "numeric" with `min_distinct` or more different values, otherwise "categorical".
    """
    reading = readings_of(column.to_frame("column"))["column"] if reading is None else reading
    column = reading.values(column)
    present = column.dropna()
    if not len(present):
        return ColumnKind("missing", "all missing")
    try:
        distinct = present.nunique()
    except TypeError:
        return ColumnKind("objects", f"holds {type(present.iloc[0]).__name__}s, which are neither numbers nor text")
    declared = isinstance(column.dtype, pd.CategoricalDtype)
    if distinct > 1 and reading.type == "date" and not declared:
        return ColumnKind("date", f"from {_day(present.min())} to {_day(present.max())}")
    is_text = declared or reading.type in ("text", "date")
    numbers = np.empty(0) if is_text else numbers_of(present)
    dropped = None if declared else _id_or_text(present, distinct) if is_text else _id(column, numbers)
    if dropped is not None:
        return dropped
    different = len(np.unique(numbers))
    if different >= min_distinct:
        return ColumnKind("numeric", f"{different} different numbers{reading.in_unit}")
    if distinct < 2 and len(present) == len(column):
        return ColumnKind("constant", "one value only")
    if is_text:
        return ColumnKind(
            "categorical", f"{'declared categories' if declared else 'text'} of {distinct} different values"
        )
    return ColumnKind("categorical", f"{different} different numbers{reading.in_unit}, fewer than {min_distinct}")


def _day(moment: Any) -> str:
    return str(moment)[:10]


def _id_or_text(known: pd.Series, distinct: int) -> ColumnKind | None:
    texts = known.astype(str)
    length, n = texts.str.len().mean(), len(known)
    all_differ = distinct == n > 2
    if not all_differ and not (distinct > _FEW and (distinct > n / 2 or (length >= 30 and distinct > n / 10))):
        return None
    summary = f"{distinct} different values in {n} rows, {length:.0f} characters on average"
    if texts.str.slice(0, 300).str.contains(_SEVERAL_WORDS).mean() > 0.5:
        return ColumnKind("text", summary)
    return ColumnKind("id", "text with unique values" if all_differ else f"{summary}, mostly single words")


def _id(column: pd.Series, numbers: NDArray[np.float64]) -> ColumnKind | None:
    n = len(numbers)
    if n < _FEW or is_bool_dtype(column.dtype) or not np.array_equal(numbers, np.round(numbers)):
        return None
    if n == len(column) and numbers[0] in (0, 1) and (np.diff(numbers) == 1).all():
        return ColumnKind("id", "row numbers")
    distinct = len(np.unique(numbers))
    if distinct > n / 2 and _named_id(str(column.name)):
        return ColumnKind("id", f"by its name and {distinct} different values in {n} rows")
    return None


def _named_id(name: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and (" ".join(words) in _ID_NAMES or words[-1] in _ID_WORDS)


def named_group(name: str) -> bool:
    """Return whether a column has the name of an id, or of a unit with several rows, such as a patient."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and (words[-1] in _ID_WORDS or words[0] in _GROUP_WORDS)


def date_parts(column: pd.Series) -> list[str]:
    """Return the names of the numbers that replace a date column: days, and the recurring parts of its dates that vary.

    The month is such a part if the dates span more than a year, the weekday if more than a week, the hour if more than a day.
    """
    dates = _plain(column).dropna()
    span = dates.max() - dates.min()
    repeats = {"month": 366, "weekday": 7, "hour": 1}
    varying = [p for p, days in repeats.items() if span > days * _DAY and _part(dates, p).nunique() > 1]
    return ["days", *varying]


def date_numbers(column: pd.Series, parts: list[str]) -> NDArray[np.float64]:
    """Return days since 1970-01-01, and other parts of dates, shape (n_rows, n_parts); NaN if missing."""
    dates = _plain(column)
    return np.column_stack([_part(dates, part).to_numpy(dtype=float, na_value=np.nan) for part in parts])


def _plain(column: pd.Series) -> pd.Series:
    """Return dates without a time zone, converted to UTC, in microseconds: nanoseconds end in 1678 and 2262."""
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    column = column.dt.tz_convert(None) if getattr(column.dtype, "tz", None) is not None else column
    return column.astype("datetime64[us]")


def _part(dates: pd.Series, part: str) -> pd.Series:
    if part == "days":
        return (dates - pd.Timestamp(0).as_unit("us")) / _DAY.as_unit("us")
    return getattr(dates.dt, "day_of_week" if part == "weekday" else part)
