"""What a column of a table is: numbers, categories, dates, an id or free text; and why."""

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype

__all__ = [
    "AS_MISSING", "AS_UNKNOWN", "DROPPED", "ColumnKind", "as_pandas", "column_kind", "date_numbers", "date_parts",
    "holds_dates", "new_category", "numbers_of", "refuse_missing_target", "unusable",
]  # fmt: skip

DROPPED = frozenset({"id", "text", "constant", "missing", "leak"})
"""Kinds of columns that nothing is learnt from."""

AS_MISSING = "it counts as missing, as training rows have missing values there"
AS_UNKNOWN = "training rows have none missing there, so it counts as no known category"
"""What a category that no training row has counts as."""

_DAY = pd.Timedelta(days=1)
_FEW = 20  # up to so many different texts, or rows, nothing but an id is told by its values
_ISO = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
_DAYS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%y", "%d %b %Y", "%d %B %Y",
    "%d-%b-%Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
_DATES = ("ISO8601", *(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S")))
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
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
_ID_NAMES = frozenset({"", "index", "row", "rownum", "rownumber", "row number", "no", "nr", "unnamed 0"})


class ColumnKind(NamedTuple):
    """What a column is.

    Attributes
    ----------
    kind : {"numeric", "categorical", "date", "id", "text", "constant", "missing", "leak"}
    reason : str
        Why, in words that stand beside the kind and do not repeat it.
    format : str or None
        How dates are written: "" where they are none of text.
    """

    kind: str
    reason: str
    format: str | None = None


def as_pandas(table: Any) -> pd.DataFrame:
    """Return a table of pandas, polars, Arrow, or anything that has ``to_pandas`` or is an array, as a DataFrame.

    Raises
    ------
    ValueError
        A package that is needed is not there.
    """
    if isinstance(table, pd.DataFrame):
        if not any(isinstance(dtype, pd.ArrowDtype) for dtype in table.dtypes):
            return table
        import pyarrow

        arrow = pyarrow.Table.from_pandas(table, preserve_index=False)
        return arrow.replace_schema_metadata().to_pandas().set_index(table.index)  # of NumPy's types
    if hasattr(table, "to_pandas"):
        try:
            return table.to_pandas()
        except ImportError as error:
            raise ValueError(
                f"tables of {type(table).__module__.partition('.')[0]} need {error.name}: install it"
            ) from None
    values = np.asarray(table)
    return pd.DataFrame(values, columns=[f"x{j + 1}" for j in range(values.shape[1])])


def numbers_of(column: pd.Series) -> NDArray[np.float64]:
    """Return a column as numbers, NaN where there is none; spans of time as days."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if is_timedelta64_dtype(column.dtype):
        return (column / _DAY).to_numpy(dtype=float)
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def column_kind(column: pd.Series, min_distinct: int = 10) -> ColumnKind:
    """Decide what a column is.

    - Nothing but missing values, or one value: "missing", "constant".
    - Dates by their type, or text every value of which is a date of one format (ISO 8601, 31.12.2024, 31/12/2024 or,
      where this does not fit, 12/31/2024, 31 Dec 2024, ...; each with a time or without): "date".
    - Text (more than half of the values are no numbers): if all of at least three values differ, "text" where most have
      several words, or they are of different lengths, 20 characters on average, and "id" otherwise; "text" if of more than 20
      different values most stand once (more than half as many as rows), or they are long (30 characters on average) and more than
      a tenth as many as rows; otherwise "categorical". Declared categories are categorical whatever they hold.
    - Whole numbers: "id" if more than half of the values differ, in at least 20 rows, and the column is called an id (``id``, ``customer_id``,
      ``PassengerId``, ``uuid``, ``index``, ``row``, ``no``, ...); or if they number the rows, as they stand, from 0 or 1. A
      column of other numbers that all differ is one of numbers.
    - Numbers: "numeric" with `min_distinct` or more different values, otherwise "categorical".

    Examples
    --------
    >>> column_kind(pd.Series([f"{day}.1.2024" for day in range(1, 31)]))
    ColumnKind(kind='date', reason='all such as 1.1.2024', format='%d.%m.%Y')
    >>> column_kind(pd.Series(range(100, 130), name="customer_id"))
    ColumnKind(kind='id', reason='by its name, and 30 values in 30 rows', format=None)
    >>> column_kind(pd.Series(range(100, 130), name="income")).kind
    'numeric'
    """
    known = column.dropna()
    if not len(known):
        return ColumnKind("missing", "all missing")
    try:
        distinct = known.nunique()
    except TypeError:
        return ColumnKind("text", f"holds {type(known.iloc[0]).__name__}s, which are neither numbers nor text")
    declared = isinstance(column.dtype, pd.CategoricalDtype)
    written = None if declared else _date_format(known)
    if written is not None and distinct > 1:
        return ColumnKind("date", f"all such as {known.iloc[0]}", written)
    numbers = numbers_of(known)
    textual = np.isnan(numbers).mean() > 0.5
    dropped = None if declared else _id_or_text(known, column, numbers, distinct) if textual else _id(column, numbers)
    if dropped is not None:
        return dropped
    different = np.unique(numbers[~np.isnan(numbers)])
    if not textual and len(different) >= min_distinct:
        return ColumnKind("numeric", f"{len(different)} different numbers")
    if distinct < 2 and len(known) == len(column):
        return ColumnKind("constant", "one value only")
    if textual:
        return ColumnKind("categorical", f"text of {distinct} different values")
    return ColumnKind("categorical", f"{len(different)} different numbers, fewer than {min_distinct}")


def unusable(column: pd.Series) -> ColumnKind | None:
    """Return why nothing should be learnt from a column, an id or free text; None if it is neither."""
    found = column_kind(column)
    return found if found.kind in ("id", "text") else None


def _id_or_text(known: pd.Series, column: pd.Series, numbers: NDArray, distinct: int) -> ColumnKind | None:
    texts = known.astype(str)
    lengths = texts.str.len()
    length = lengths.mean()
    told = f"{distinct} different values in {len(known)} rows, {length:.0f} characters on average"
    if distinct == len(known) > 2:
        several = texts.str.contains(r"\S\s+\S").mean() > 0.5
        if several or (length >= 20 and lengths.nunique() > 1):  # of one length are keys and hashes
            return ColumnKind("text", told)
        return ColumnKind("id", "text whose values all differ")
    if distinct > _FEW and (distinct > len(known) / 2 or (length >= 30 and distinct > len(known) / 10)):
        return ColumnKind("text", told)
    return None


def _id(column: pd.Series, numbers: NDArray[np.float64]) -> ColumnKind | None:
    n = len(numbers)
    if n < _FEW or is_bool_dtype(column.dtype) or not np.array_equal(numbers, np.round(numbers)):
        return None
    if n == len(column) and numbers[0] in (0, 1) and (np.diff(numbers) == 1).all():
        return ColumnKind("id", "it numbers the rows")
    distinct = len(np.unique(numbers))
    if distinct > n / 2 and _named_id(str(column.name)):
        return ColumnKind("id", f"by its name, and {distinct} values in {n} rows")
    return None


def _named_id(name: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(name)]
    return " ".join(words) in _ID_NAMES or words[-1] in _ID_WORDS


def named_group(name: str) -> bool:
    """Tell whether a column is called as ids, or as what has several rows in a table, are."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and (words[-1] in _ID_WORDS or words[0] in _GROUP_WORDS)


def holds_dates(values: Any) -> bool:
    """Tell whether values, missing ones aside, are dates, or text of one format of dates."""
    known = (values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))).dropna()
    return len(known) > 0 and _date_format(known) is not None


def refuse_missing_target(y: Any) -> None:
    """Raise a ValueError if a target is missing: NaN, None, NA or NaT."""
    values = y if hasattr(y, "__array__") else np.asarray(y, dtype=object)
    if y is not None and np.asarray(pd.isna(values)).any():
        raise ValueError("y holds missing values")


def new_category(column: Any, n_new: int, n_rows: int, example: Any, counts: str) -> str:
    """Return a warning of categories that no training row has; `counts` tells what they count as, and why."""
    return f"column {column!r}: {n_new} of {n_rows} rows hold a category that no training row has (such as {example!r}); {counts}"


def _date_format(known: pd.Series) -> str | None:
    """Return how dates are written, "" for those that are none of text, and None where there are none."""
    if is_datetime64_any_dtype(known.dtype) or isinstance(known.dtype, pd.PeriodDtype):
        return ""
    if is_numeric_dtype(known.dtype) or is_timedelta64_dtype(known.dtype):
        return None
    if infer_dtype(known) not in ("string", "date", "datetime", "datetime64"):
        return None
    texts = pd.Series(pd.unique(known.astype(str)))
    if not 4 < len(texts[0]) < 40 or not any(c.isdigit() for c in texts[0]):
        return None
    for written in _DATES:
        if written == "ISO8601" and not texts.str.fullmatch(_ISO).all():
            continue
        if all(_parsed(part, written).notna().all() for part in (texts.head(20), texts)):
            return written
    return None


def _parsed(texts: pd.Series, written: str) -> pd.Series:
    return pd.to_datetime(texts, format=written, errors="coerce", utc=True)


def _dates(column: pd.Series, written: str) -> pd.Series:
    """Return dates without a time zone (in UTC, where there is one); what is none is missing."""
    if isinstance(column.dtype, pd.PeriodDtype):
        return column.dt.to_timestamp()
    if not is_datetime64_any_dtype(column.dtype):
        column = _parsed(
            column.astype(object).where(column.notna(), None).map(str, na_action="ignore"), written or "ISO8601"
        )
    return column.dt.tz_convert(None) if getattr(column.dtype, "tz", None) is not None else column


def date_parts(column: pd.Series, written: str) -> list[str]:
    """Return the numbers that become of a column of dates: days, and the parts of a date that come again and vary.

    These are the month where dates span more than a year, the weekday where more than a week, the hour where more than
    a day.
    """
    dates = _dates(column, written).dropna()
    span = dates.max() - dates.min()
    repeats = {"month": 366, "weekday": 7, "hour": 1}
    varying = [p for p, days in repeats.items() if span > days * _DAY and _part(dates, p).nunique() > 1]
    return ["days", *varying]


def date_numbers(column: pd.Series, written: str, parts: list[str]) -> NDArray[np.float64]:
    """Return days since 1970-01-01, with fractions, and parts of dates; NaN where there is no date.

    Returns
    -------
    ndarray of shape (n_rows, n_parts)
    """
    dates = _dates(column, written)
    return np.column_stack([_part(dates, part).to_numpy(dtype=float, na_value=np.nan) for part in parts])


def _part(dates: pd.Series, part: str) -> pd.Series:
    if part == "days":
        return (dates - pd.Timestamp(0)) / _DAY
    return getattr(dates.dt, "day_of_week" if part == "weekday" else part)
