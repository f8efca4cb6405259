"""How the text of a column is read: as numbers with their marks, as dates with their formats, or as text.

A model stores how its training table was read. New rows are read in the same way, whatever the format of their file, and
whatever rows are beside them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import (
    infer_dtype,
    is_bool_dtype,
    is_datetime64_any_dtype,
    is_integer_dtype,
    is_numeric_dtype,
    is_object_dtype,
    is_timedelta64_dtype,
)

from rotastack.base.quantities import numbers_in, units_of, without_unit
from rotastack.base.warned import warn

NO_VALUE = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
     "NaN", "None", "n/a", "nan", "null"}
)  # fmt: skip
"""Texts of missing values, which are those of pandas. No message counts them."""
_EXACT = 2**53
_MARKS = [(decimal, thousands) for decimal, other in (".,", ",.") for thousands in ("", other, " ", "'")]
"""Pairs of decimal mark and thousands mark, in the order of preference."""
PLACEHOLDER = r"[\W_]*|#.*"
_FEW = 10
_ODD = 0.05
"""Largest share of rows with other text in a column of few different numbers; with more, the column holds categories."""
_ISO = r"[12]\d{3}-\d{2}|\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?"
_DAYS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y",
    "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
_DATES = ("ISO8601", *(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S")))
_SAMPLE = 50
_WORDS = {"ISO8601": "YYYY-MM-DD", "%d": "DD", "%m": "MM", "%Y": "YYYY", "%y": "YY", "%b": "Mon", "%B": "Month",
          "%H": "hh", "%M": "mm", "%S": "ss"}  # fmt: skip
_OF_OBJECTS = {"integer": "number", "floating": "number", "mixed-integer-float": "number", "decimal": "number",
               "boolean": "boolean", "timedelta": "duration"}  # fmt: skip
_PLURAL = {"number": "numbers", "boolean": "booleans", "date": "dates", "duration": "durations"}


@dataclass
class ColumnReading:
    """How the text of a column is read. Values that are numbers or dates already stay as they are.

    The `type` is number, boolean, date, duration or text. Numbers have marks, `decimal` and `thousands`, and dates `formats`,
    tried in order, the last of them ISO 8601. Numbers may have a `unit`, such as kg or €: a number without it is read in the
    unit, one in another unit is missing; of text, `unit` names the several units that keep it from being numbers. With `blanks`, text such as "NA" is missing in a column of text; in other columns it always is. `example` is
    the first text of a column whose decimal mark, or order of day and month, no text shows.

    >>> ColumnReading("number", ",", ".").values(pd.Series(["1.234,5", "12 %", "?"])).tolist()
    [1234.5, 0.12, nan]
    >>> ColumnReading("number", unit="kg").values(pd.Series(["12.5 kg", "7", "300 g"])).tolist()
    [12.5, 7.0, nan]
    """

    type: str
    decimal: str = "."
    thousands: str = ""
    formats: list[str] = field(default_factory=list)
    blanks: bool = False
    example: str = ""
    unit: str = ""

    @property
    def in_unit(self) -> str:
        """The unit in words, such as " in kg": durations become numbers of days; empty without unit."""
        unit = {"number": self.unit, "duration": "days"}.get(self.type, "")
        return " in %, 12 % as 0.12" if unit == "%" else f" in {unit}" * bool(unit)

    def values(self, column: pd.Series) -> pd.Series:
        """Return a column with its text read. Text that cannot be read is missing."""
        held = _type_of(column)
        if self.type == "text":
            return column.mask(column.isin(NO_VALUE)) if self.blanks and held == "text" else column
        if held == self.type or {held, self.type} == {"number", "boolean"}:
            is_objects = held == "number" and is_object_dtype(column.dtype)  # of Python or the decimal module
            return column.where(column.notna(), np.nan).astype("float64") if is_objects else column
        if (self.type, self.decimal, self.thousands) == ("number", *_MARKS[0]) and column.dtype == "str":
            numbers = pd.to_numeric(column, errors="coerce")  # much faster, and enough for most columns
            if numbers.isna().sum() == column.isna().sum():
                return numbers
        values = column.astype(object)
        try:
            codes, distinct = pd.factorize(values)
        except TypeError:  # of lists
            codes, distinct = pd.factorize(values.map(str, na_action="ignore"))
        texts = _stripped(pd.Series(distinct, dtype=object))
        read = pd.Series(self._read(texts)).where(~texts.isin(NO_VALUE))
        return read.reindex(codes).set_axis(column.index).rename(column.name)

    def unread(self, column: pd.Series, values: pd.Series) -> str | None:
        """Return a sentence that counts the values of a column that could not be read; None if there are none."""
        if values is column or self.type == "text":
            return None
        lost = _stripped(column[values.isna() & column.notna()])
        lost = lost[~lost.isin(NO_VALUE)]
        if lost.empty:
            return None
        examples = ", ".join(repr(text) for text in lost.unique()[:3])
        formats = dict.fromkeys([*self.formats, "ISO8601"])
        dates = f" in the format {' or '.join(map(in_words, formats))}"
        how = {"date": dates, "number": self.in_unit}.get(self.type, "")
        return (
            f"column {str(column.name)!r}: {len(lost)} of {len(column)} values are not {_PLURAL[self.type]}{how} (such as "
            f"{examples}); these values become missing"
        )

    def _read(self, texts: pd.Series) -> Any:
        if self.type == "number":
            return numbers_in(without_unit(texts, self.unit), self.decimal, self.thousands)
        if self.type == "boolean":
            return texts.str.lower().map({"true": True, "false": False}).astype("boolean")
        if self.type == "duration":
            has_no_unit = numbers_in(texts, *_MARKS[0]).notna()
            return pd.to_timedelta(texts.mask(has_no_unit), errors="coerce")
        dates = pd.Series(pd.NaT, index=texts.index, dtype="datetime64[us]")
        for written in dict.fromkeys([*self.formats, "ISO8601"]):  # no other format reads ISO
            dates = dates.fillna(_parsed(texts, written))
        return dates


def readings_of(
    table: pd.DataFrame, delimiter: str | None = None, kinds: Mapping[str, str] | None = None, target: str | None = None
) -> dict[Any, ColumnReading]:
    """Return how each column of a table is read.

    - Numbers: more different numbers than other texts. If fewer than ten numbers differ, the other texts must be marks
      such as ``?`` and ``#DIV/0!``, or in at most a twentieth of the rows, and no two fractions may be equal, as ``1.1``
      and ``1.10`` are. A percentage is a number; so are numbers with one currency sign or unit, which more than half of the
      different texts have, if the column is no target of fewer than ten values. With several units they are text. Zeros in front (``007``) and more than 15 digits make codes, which are
      text. If a column such as ``42.745`` does not show which mark is decimal, the other columns decide, then the
      delimiter.
    - Truth values: ``true`` and ``false`` in delimited text.
    - Dates: more than half of the different texts have one format, or formats that cannot be confused.
    - All else is text.

    In a table without `delimiter`, and in the column `target`, "NA" is text. Of the `kinds` that a user declares,
    "numeric" makes numbers of any text, and in a "categorical" column ``1.1`` and ``1.10`` stay apart.

    >>> table = pd.DataFrame({"sales": ["42.745", "936"], "z": ["0,25", "7,5"], "ward": ["01", "02"]})
    >>> [(how.type, how.decimal, how.thousands) for how in readings_of(table, ";").values()]
    [('number', ',', '.'), ('number', ',', ''), ('text', '.', '')]
    """
    held = {name: _type_of(table[name]) for name in table}
    texts = {name: _Texts(table[name]) for name, type_ in held.items() if type_ == "text"}
    decimal = _decimal_mark(texts.values())
    found = {}
    for name, type_ in held.items():
        if type_ == "text" and not isinstance(table[name].dtype, pd.CategoricalDtype):
            found[name] = texts[name].reading(delimiter, decimal, (kinds or {}).get(name, "auto"), name == target)
        else:
            formats = ["ISO8601"] if type_ == "date" else []
            found[name] = ColumnReading("text" if beyond_floats(table[name]) else type_, formats=formats)
    return found


def read_columns(
    table: pd.DataFrame, readings: Mapping[Any, ColumnReading], note: Callable[[str], Any] = warn
) -> pd.DataFrame:
    """Return a table with its text read by name -> reading, which it holds in ``attrs``.

    Other columns stay. `note` is called with a sentence on each column with values that cannot be read.
    """
    read = {name: table[name] for name in table}
    for name, column in read.items():
        if name in readings:
            read[name] = readings[name].values(column)
            if text := readings[name].unread(column, read[name]):
                note(text)
    result = pd.DataFrame(read, index=table.index, columns=table.columns)
    # pandas copies attributes deeply with every column, so they are one text
    stated = {str(name): {k: v for k, v in vars(how).items() if v or k != "unit"} for name, how in readings.items()}
    result.attrs["readings"] = json.dumps(stated)
    return result


def stored_readings(table: pd.DataFrame) -> dict[str, ColumnReading]:
    """Return the readings in the ``attrs`` of a table, but for columns that hold another type since."""
    readings = {name: ColumnReading(**how) for name, how in json.loads(table.attrs.get("readings", "{}")).items()}
    return {name: how for name, how in readings.items() if name not in table or _holds(table[name], how.type)}


def _holds(column: pd.Series, type_: str) -> bool:
    held = _type_of(column)
    return held == type_ or {held, type_} == {"number", "boolean"} or (type_ == "text" and beyond_floats(column))


def is_dates(values: Any) -> bool:
    """Return whether all values that are not missing are dates, or text in one date format."""
    present = (values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))).dropna()
    if not len(present) or _type_of(present) not in ("date", "text"):
        return False
    reading = readings_of(present.to_frame("y"))["y"]
    return reading.type == "date" and bool(reading.values(present).notna().all())


def beyond_floats(column: pd.Series) -> bool:
    """Return whether a column holds whole numbers that floating-point numbers would merge."""
    held = "integer" if is_integer_dtype(column.dtype) else infer_dtype(column, skipna=True)
    present = column.dropna()
    if held == "decimal":
        known = present[present.map(lambda value: value.is_finite())]
        return len(known) > 0 and bool((known % 1 == 0).all()) and max(abs(known)) > _EXACT
    return held == "integer" and len(present) > 0 and max(abs(int(present.min())), abs(int(present.max()))) > _EXACT


class _Texts:
    """The different texts of a column, without those of missing values, and the number of rows of each."""

    def __init__(self, column: pd.Series):
        counts = _stripped(column.dropna()).value_counts()
        counts = counts[~counts.index.isin(NO_VALUE)]
        self.texts, self.counts = pd.Series(counts.index, dtype="str"), counts.to_numpy()
        self.written, self.units = self.texts, units_of(self.texts)
        if len(self.units) == 1:
            self.texts = without_unit(self.written, self.units[0])
        plain = numbers_in(self.texts, ".", "").notna().to_numpy()
        self.is_plain = bool(plain.all())
        self.numbers = {_MARKS[0]: plain}
        if not self.is_plain:
            self.numbers |= {marks: numbers_in(self.texts, *marks).notna().to_numpy() for marks in _MARKS[1:]}

    def best(self) -> list[tuple[str, str]]:
        """Return the pairs of marks that read the most rows as numbers."""
        rows = {marks: self.counts @ fits for marks, fits in self.numbers.items()}
        return [marks for marks in _MARKS if rows.get(marks) == max(rows.values()) > 0]

    def decimal(self) -> str | None:
        """Return the decimal mark that the column shows, if one mark alone reads most of its texts."""
        if self.is_plain:
            with_point = self.texts[self.texts.str.contains(".", regex=False)]
            return "." if len(with_point) and numbers_in(with_point, ",", ".").isna().any() else None
        best = self.best()
        marks = {decimal for decimal, _ in best}
        most = best and self.numbers[best[0]].mean() > 0.5
        return marks.pop() if most and len(marks) == 1 else None

    def reading(self, delimiter: str | None, decimal: str | None, kind: str, is_target: bool) -> ColumnReading:
        """Return how the column is read, by the decimal mark of the table and the kind that the user declares."""
        blanks = delimiter is not None and not is_target
        text = ColumnReading("text", blanks=blanks)
        named = self.units not in ([], ["%"]) and (kind == "categorical" or (is_target and len(self.texts) < _FEW))
        if not len(self.texts) or named or kind in ("id", "text", "leak"):
            return text
        if delimiter is not None and self.texts.str.lower().isin(["true", "false"]).all():
            return ColumnReading("boolean")
        best = self.best()
        if best:
            by_default = decimal or ("," if delimiter not in (None, ",") else ".")
            if self.is_plain and by_default == "," and decimal and numbers_in(self.texts, ",", ".").notna().all():
                best = [(",", "."), *best]
            marks = next((marks for marks in best if marks[0] == by_default), best[0])
            if self._holds_numbers(marks, kind, is_target):
                marked = self.texts[self.texts.str.contains("[.,]")]
                unsure = decimal is None and not self.is_plain and len({mark for mark, _ in best}) > 1 and len(marked)
                unit = self.units[0] if len(self.units) == 1 else ""
                return ColumnReading("number", *marks, example=marked.iloc[0] if unsure else "", unit=unit)
        formats = [] if kind in ("numeric", "categorical") else _date_formats(self.written)
        if formats:
            unsure = any(
                _swapped(f) in _DATES and self._reads(_swapped(f)) >= self._reads(f) for f in formats if "%d" in f
            )
            return ColumnReading("date", formats=formats, example=self.written.iloc[0] if unsure else "")
        text.unit = ", ".join(self.units) if len(self.units) > 1 else ""
        return text

    def _reads(self, written: str) -> int:
        """Return the number of texts that are dates in a format."""
        return int(_parsed(self.written, written).notna().sum())

    def _holds_numbers(self, marks: tuple[str, str], kind: str, is_target: bool) -> bool:
        """Return whether the column holds numbers, and not codes or categories."""
        if kind == "numeric":
            return True
        fits = self.numbers.get(marks, self.numbers[_MARKS[0]])
        numbers = numbers_in(self.texts[fits], *marks)
        coded = self.texts[fits].str.match(r"[+-]?0[\d ]").sum()
        digits = ~self.texts[fits].str.contains("[eE]")
        if coded > 1 or coded > 0.1 * len(numbers) or (digits & (numbers.abs() > _EXACT) & (numbers % 1 == 0)).any():
            return False
        if kind == "categorical":
            return bool(fits.all()) and numbers.is_unique
        if len(numbers) < 2 * _FEW and numbers.nunique() < _FEW and numbers[numbers % 1 != 0].duplicated().any():
            return False
        words = ~fits & ~self.texts.str.fullmatch(PLACEHOLDER).to_numpy()
        odd = 0 if is_target else max(1, _ODD * self.counts.sum())
        return len(numbers) > words.sum() and (len(numbers) >= _FEW or self.counts @ words <= odd)


def _type_of(column: pd.Series) -> str:
    """Return the type that the values of a column have, before any text is read."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _type_of(pd.Series(dtype.categories))
    if is_bool_dtype(dtype):
        return "boolean"
    if is_numeric_dtype(dtype):
        return "number"
    if is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return "date"
    if is_timedelta64_dtype(dtype):
        return "duration"
    return _OF_OBJECTS.get(infer_dtype(column, skipna=True), "text") if is_object_dtype(dtype) else "text"


def _stripped(column: pd.Series) -> pd.Series:
    """Return values as text, without blanks around them."""
    texts = column if column.dtype == "str" else column.map(str).astype("str")
    return texts.str.strip()


def _decimal_mark(columns: Any) -> str | None:
    """Return the decimal mark that most columns show; None if no column shows one, or all are plain numbers."""
    columns = list(columns)
    if all(texts.is_plain for texts in columns):
        return None
    shown = [texts.decimal() for texts in columns]
    points, commas = shown.count("."), shown.count(",")
    return None if points == commas == 0 else "," if commas > points else "."


def _date_formats(texts: pd.Series) -> list[str]:
    """Return the formats that read more than half of the texts as dates, those of the most texts first; else none."""
    sample = texts.head(_SAMPLE)
    if not ((sample.str.len() < 40) & sample.str.contains(r"\d\D+\d", regex=True)).mean() > 0.5:
        return []
    found: list[str] = []
    left = texts
    while len(left):
        counts = {written: _parsed(left.head(_SAMPLE), written).notna().sum() for written in _possible(found)}
        likely = [written for written, count in counts.items() if count > 0]
        counts = {written: _parsed(left, written).notna().sum() for written in likely}
        best = max(counts, key=lambda written: counts[written], default=None)
        if best is None or counts[best] <= 0.02 * len(texts):
            break
        found.append(best)
        left = left[_parsed(left, best).isna()]
    return found if 2 * len(left) < len(texts) else []


def _swapped(written: str) -> str:
    """Return a format of dates with day and month exchanged."""
    return "%m".join(part.replace("%m", "%d") for part in written.split("%d"))


def in_words(written: str) -> str:
    """Return a format of dates as people write it, such as DD.MM.YYYY."""
    for mark, words in _WORDS.items():
        written = written.replace(mark, words)
    return written


def _possible(found: list[str]) -> Iterator[str]:
    """Yield the formats that cannot be confused with the formats found: those of other marks, or with a time."""
    days = {written.split(" %H")[0] for written in found}
    taken = {"".join(sorted(day.upper())) for day in days}
    for written in _DATES:
        day = written.split(" %H")[0]
        if written not in found and (day in days or "".join(sorted(day.upper())) not in taken):
            yield written


def _parsed(texts: pd.Series, written: str) -> pd.Series:
    """Return texts as dates without a time zone, converted to UTC; NaT for other text."""
    if written == "ISO8601":
        texts = texts.where(texts.str.fullmatch(_ISO))
    return pd.to_datetime(texts, format=written, errors="coerce", utc=True).dt.tz_convert(None)
