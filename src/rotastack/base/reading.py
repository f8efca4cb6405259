"""How the text of a column is read: as numbers with their marks, as dates with their formats, or as text.

A model stores how its training table was read. New rows are read in the same way, whatever the format of their file, and
whatever rows are beside them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_object_dtype

from rotastack.base.cell_types import PLURAL, type_of, typed_values, types_of_cells
from rotastack.base.date_formats import DATES, date_formats, dates_in, in_words, swapped
from rotastack.base.quantities import MULTIPLIERS, numbers_in, units_of, without_unit
from rotastack.base.warned import warn

NO_VALUE = frozenset(
    {
        "",
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-1.#IND",
        "-1.#QNAN",
        "-NaN",
        "-nan",
        "1.#IND",
        "1.#QNAN",
        "<NA>",
        "N/A",
        "NA",
        "NULL",
        "NaN",
        "None",
        "n/a",
        "nan",
        "null",
    }
)
"""Texts of missing values, which are those of pandas. No message counts them."""
_EXACT = 2**53
_MARKS = [(decimal, thousands) for decimal, other in (".,", ",.") for thousands in ("", other, " ", "'")]
"""Pairs of decimal mark and thousands mark, in the order of preference."""
PLACEHOLDER = r"[\W_]*|#.*"
_FEW = 10
_ODD = 0.05
"""Largest share of rows with other text in a column of few different numbers; with more, the column holds categories."""
_ALIKE = {"number": ["number", "boolean"], "boolean": ["number", "boolean"]}
"""Type of a reading -> types whose values stay what they are; by default the type itself."""


@dataclass
class ColumnReading:
    """How the text of a column is read. Numbers, booleans, dates and durations stay what they are, also beside text.

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
        """Return a column with its text read, each text by itself. Text that cannot be read is missing."""
        held, alike = type_of(column), _ALIKE.get(self.type, [self.type])
        if self.type == "text":
            is_texts = held == "text" and (is_object_dtype(column.dtype) or isinstance(column.dtype, pd.StringDtype))
            texts = column.map(_bare, na_action="ignore") if is_texts else column
            return texts.mask(texts.isin(NO_VALUE)) if self.blanks and held == "text" else texts
        if held in alike and not is_object_dtype(column.dtype):
            return column
        if (self.type, self.decimal, self.thousands) == ("number", *_MARKS[0]) and column.dtype == "str":
            numbers = pd.to_numeric(column, errors="coerce")  # much faster, and enough for most columns
            if numbers.isna().sum() == column.isna().sum():
                return numbers
        cells = column.astype(object)
        types = types_of_cells(cells)
        found = self._parsed(cells.where(types == "text"))
        if (types != "text").any():
            typed = typed_values(cells.where(types.isin(alike)), self.type)
            found = found.astype(typed.dtype).where(types == "text", typed)
        return found.convert_dtypes() if found.dtype == object else found

    def _parsed(self, values: pd.Series) -> pd.Series:
        """Return a column of texts as objects, read by their different texts."""
        try:
            codes, distinct = pd.factorize(values)
        except TypeError:  # of lists
            codes, distinct = pd.factorize(values.map(str, na_action="ignore"))
        texts = _stripped(pd.Series(distinct, dtype=object))
        read = pd.Series(self._read(texts)).where(~texts.isin(NO_VALUE))
        return read.reindex(codes).set_axis(values.index).rename(values.name)

    def remark(self, column: pd.Series, values: pd.Series) -> str | None:
        """Return a sentence that counts the values of a column that could not be read, or else names several types of its cells."""
        if values is column:
            return None
        lost = _stripped(column[values.isna() & column.notna()])
        lost = lost[~lost.isin(NO_VALUE)]
        if lost.empty:
            present = (
                column[column.notna() & ~column.map(_bare).isin(NO_VALUE)] if column.dtype == object else column.head(0)
            )
            held = [PLURAL[type_] for type_ in PLURAL if type_ in types_of_cells(present).unique()]
            one = f"column {str(column.name)!r}: {', '.join(held)} in one column, read as {PLURAL[self.type]}"
            return one if len(held) > 1 else None
        examples = ", ".join(repr(text) for text in lost.unique()[:3])
        dates = f" in the format {' or '.join(map(in_words, dict.fromkeys([*self.formats, 'ISO8601'])))}"
        numbers = f"{' with decimal commas' * (self.decimal == ',')}{self.in_unit}"
        how = {"date": dates, "number": numbers}.get(self.type, "")
        return (
            f"column {str(column.name)!r}: {len(lost)} of {len(column)} values are not {PLURAL[self.type]}{how} (such as "
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
            dates = dates.fillna(dates_in(texts, written))
        return dates


def readings_of(
    table: pd.DataFrame, delimiter: str | None = None, kinds: Mapping[str, Any] | None = None, target: str | None = None
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
    held = {name: type_of(table[name]) for name in table}
    texts = {name: _Texts(table[name]) for name, type_ in held.items() if type_ == "text"}
    decimal = _decimal_mark(texts.values())
    found = {}
    for name, type_ in held.items():
        if type_ == "text" and not isinstance(table[name].dtype, pd.CategoricalDtype):
            kind = (kinds or {}).get(name, "auto")
            kind = kind if isinstance(kind, str) else "categorical"  # the values in their order
            found[name] = texts[name].reading(delimiter, decimal, kind, name == target)
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
            if text := readings[name].remark(column, read[name]):
                note(text)
    result = pd.DataFrame(read, index=table.index, columns=table.columns)
    # pandas copies attributes deeply with every column, so they are one text
    stated = {str(name): {k: v for k, v in vars(how).items() if v or k != "unit"} for name, how in readings.items()}
    result.attrs["readings"] = json.dumps(stated)
    return result


def stored_readings(table: pd.DataFrame) -> dict[str, ColumnReading]:
    """Return the readings in the ``attrs`` of a table, but for columns that hold another type since."""
    readings = {name: ColumnReading(**how) for name, how in json.loads(table.attrs.get("readings", "{}")).items()}
    return {
        name: how
        for name, how in readings.items()
        if name not in table
        or type_of(table[name]) in _ALIKE.get(how.type, [how.type])
        or (how.type == "text" and beyond_floats(table[name]))
    }


def is_dates(values: Any) -> bool:
    """Return whether all values that are not missing are dates, or text in one date format."""
    present = (values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))).dropna()
    if not len(present) or type_of(present) not in ("date", "text"):
        return False
    reading = readings_of(present.to_frame("y"))["y"]
    return reading.type == "date" and bool(reading.values(present).notna().all())


def beyond_floats(column: pd.Series) -> bool:
    """Return whether a column holds whole numbers that floating-point numbers would merge.

    At least two values, or a tenth of them, are beyond: one such number among others is a number.
    """
    held, present = infer_dtype(column, skipna=True), column.dropna()
    if held == "decimal":
        present = present[present.map(lambda value: value.is_finite())]
    if held not in ("integer", "decimal") or not (present % 1 == 0).all():
        return False
    beyond = present[(present > _EXACT) | (present < -_EXACT)].nunique()
    return beyond > 1 or (beyond == 1 and present.nunique() < 10)


class _Texts:
    """The different values of a column as text, without missing ones, with their types and their numbers of rows.

    The text of a value that is no text helps to decide how the texts are read; the value stays what it is.
    """

    def __init__(self, column: pd.Series):
        cells = column.dropna()
        types = types_of_cells(cells)
        parts = {
            type_: _stripped(cells[types == type_]).value_counts()
            for type_ in [*types[types != "text"].unique(), "text"]
        }
        parts["text"] = parts["text"][~parts["text"].index.isin(NO_VALUE)]
        counts = pd.concat(parts.values())
        self.types = np.repeat([*parts], [len(part) for part in parts.values()])
        self.is_text = self.types == "text"
        self.texts, self.counts = pd.Series(counts.index, dtype="str"), counts.to_numpy()
        self.written, self.named = self.texts, units_of(self.texts)
        self.units = [] if set(self.named) <= MULTIPLIERS.keys() else self.named
        if len(self.units) == 1:
            self.texts = without_unit(self.written, self.units[0])
        plain = numbers_in(self.texts, *_MARKS[0])
        self.numbers, self.is_plain = {_MARKS[0]: plain}, bool(plain.notna().all())
        self.points = self.texts[
            self.is_text & self.texts.str.contains(".", regex=False, na=False).to_numpy(dtype=bool)
        ]
        self.may_group = self.is_plain and all(  # most columns show in few values that a point is no thousands mark
            numbers_in(part, ",", ".").notna().all() for part in (self.points.head(_FEW), self.points)
        )
        if not self.is_plain:
            self.numbers |= {marks: self._numbers(marks) for marks in _MARKS[1:]}

    def _numbers(self, marks: tuple[str, str]) -> pd.Series:
        """Return the values as numbers, texts by their marks."""
        return numbers_in(self.texts, *marks).where(self.types != "number", self.numbers[_MARKS[0]])

    def best(self) -> list[tuple[str, str]]:
        """Return the pairs of marks that read the most rows as numbers."""
        rows = {marks: self.counts @ numbers.notna().to_numpy() for marks, numbers in self.numbers.items()}
        return [marks for marks in _MARKS if rows.get(marks) == max(rows.values()) > 0]

    def decimal(self) -> str | None:
        """Return the decimal mark that the column shows, if one mark alone reads most of its texts."""
        if self.is_plain:
            return None if self.may_group else "."
        best = self.best()
        marks = {decimal for decimal, _ in best}
        most = best and self.numbers[best[0]].notna().mean() > 0.5
        return marks.pop() if most and len(marks) == 1 else None

    def reading(self, delimiter: str | None, decimal: str | None, kind: str, is_target: bool) -> ColumnReading:
        """Return how the column is read, by the decimal mark of the table and the kind that the user declares."""
        blanks = delimiter is not None and not is_target
        text = ColumnReading("text", blanks=blanks)
        named = self.named not in ([], ["%"]) and (kind == "categorical" or (is_target and len(self.texts) < _FEW))
        if not len(self.texts) or named or kind in ("id", "text", "leak"):
            return text
        if (delimiter is not None or "boolean" in self.types) and self.texts.str.lower().isin(["true", "false"]).all():
            return ColumnReading("boolean")
        if self.may_group and (decimal == "," or len(self.points)):
            self.numbers[",", "."] = self._numbers((",", "."))
        best = self.best()
        if best:
            by_default = decimal or ("," if delimiter not in (None, ",") else ".")
            marks = next((marks for marks in best if marks[0] == by_default), best[0])
            if self._holds_numbers(marks, kind, is_target):
                marked = self.texts[self.is_text & self.numbers[marks].notna() & self.texts.str.contains("[.,]")]
                unsure = decimal is None and len({mark for mark, _ in best}) > 1 and len(marked)
                unit = self.units[0] if len(self.units) == 1 else ""
                return ColumnReading("number", *marks, example=marked.iloc[0] if unsure else "", unit=unit)
        formats = [] if kind in ("numeric", "categorical") else date_formats(self.written)
        if formats:
            unsure = any(
                swapped(f) in DATES and self._reads(swapped(f)) >= self._reads(f) for f in formats if "%d" in f
            )
            return ColumnReading("date", formats=formats, example=self.written[self.is_text].iloc[0] if unsure else "")
        text.unit = ", ".join(self.units) if len(self.units) > 1 else ""
        return ColumnReading("duration") if (self.types == "duration").mean() > 0.5 else text

    def _reads(self, written: str) -> int:
        """Return the number of texts that are dates in a format."""
        return int(dates_in(self.written, written).notna().sum())

    def _holds_numbers(self, marks: tuple[str, str], kind: str, is_target: bool) -> bool:
        """Return whether the column holds numbers, and not codes or categories."""
        if kind == "numeric":
            return True
        fits = self.numbers[marks].notna()
        texts, numbers = self.texts[fits], self.numbers[marks][fits]
        is_long = texts.str.fullmatch(r"[+-]?\d[\d ]*") & (numbers.abs() > _EXACT)
        coded = (is_long | texts.str.match(r"[+-]?0[\d ]")).sum()
        if coded > 1 or coded > 0.1 * len(numbers):
            return False
        if kind == "categorical":
            return bool(fits.all()) and numbers.is_unique
        fractions = numbers[self.is_text[fits] & (numbers % 1 != 0)]
        if len(numbers) < 2 * _FEW and numbers.nunique() < _FEW and fractions.duplicated().any():
            return False
        words = (~fits & ~self.texts.str.fullmatch(PLACEHOLDER)).to_numpy()
        odd = 0 if is_target else max(1, _ODD * self.counts.sum())
        return len(numbers) > words.sum() and (len(numbers) >= _FEW or self.counts @ words <= odd)


def _stripped(column: pd.Series) -> pd.Series:
    """Return values as text, without blanks around them."""
    texts = column if column.dtype == "str" else column.map(str).astype("str")
    return texts.str.strip()


def _bare(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _decimal_mark(columns: Iterable[_Texts]) -> str | None:
    """Return the decimal mark that most columns show; None if no column shows one."""
    shown = [texts.decimal() for texts in columns]
    points, commas = shown.count("."), shown.count(",")
    return None if points == commas == 0 else "," if commas > points else "."
