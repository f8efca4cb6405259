"""Tables of delimited text: their encoding, their delimiter, and decimal commas."""

import csv
import io
import re
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import pandas as pd
from pandas.api.types import is_object_dtype, is_string_dtype

from rotastack.errors import RotastackError

__all__ = ["DelimitedText", "decoded_as", "read_delimited", "without_row_numbers"]

_MARK = "="  # before each label while it is read, or pandas takes "NA" and "None" for missing values
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SAMPLE = 100  # records by which the delimiter is found
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?\s*")


class DelimitedText(NamedTuple):
    """A table of text, and what was found out about it."""

    table: pd.DataFrame
    delimiter: str
    encoding: str
    notes: list[str]


def decoded_as(body: bytes) -> str:
    """Return the encoding of a text: UTF-8, UTF-16, or latin-1 where it is neither.

    A mark at the beginning (BOM) says it, as do bytes of zero at every other place; a text that is valid UTF-8 is UTF-8. All
    other text is taken for that of Western European systems: ``windows-1252`` where it has bytes that only this knows.

    Raises
    ------
    RotastackError
        It is no text.

    Examples
    --------
    >>> decoded_as("Köln".encode()), decoded_as("Köln".encode("latin-1"))
    ('utf-8', 'latin-1')
    """
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if body.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    head = body[:1000]
    if b"\0" in head:
        for zeros, encoding in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
            if zeros.count(0) > 0.7 * len(zeros):
                return encoding
        raise RotastackError("it is no text; save it as CSV in UTF-8")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252" if re.search(rb"[\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]", body) else "latin-1"
    return "utf-8"


def read_delimited(body: bytes, labels: str | None = None, delimiter: str | None = None) -> DelimitedText:
    """Read delimited text with a header.

    The delimiter is that of ``, ; tab |`` by which the header and the first records have equally many fields, and most of
    them. Where it is no comma, columns of numbers with decimal commas become numbers.

    Parameters
    ----------
    body : bytes
    labels : str, optional
        A column that is read as text, so that a class may be called "NA" or "None".
    delimiter : str, optional
        One that is preferred, where it is possible.

    Raises
    ------
    RotastackError
        No header, or one in which names are missing or stand twice; broken text.
    """
    encoding = decoded_as(body)
    try:
        if not body.strip():
            raise RotastackError("it is empty; a header and rows are needed")
        delimiter = _delimiter(body, encoding, delimiter)
        header = next(_split(body, encoding, delimiter))
        notes: list[str] = []
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                io.BytesIO(body), sep=delimiter, encoding=encoding, skipinitialspace=True, low_memory=False, index_col=False,
                converters={labels: _MARK.__add__} if labels else None,
            )  # fmt: skip
    except UnicodeError as error:
        raise RotastackError(f"it is not {encoding.upper()} throughout ({error}); save it again as UTF-8") from None
    except pd.errors.ParserWarning:
        raise RotastackError(
            f"rows have more fields than the header has names ({len(header)}); each column needs a name"
        ) from None
    except pd.errors.ParserError as error:
        counts = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if counts is None:
            raise
        raise RotastackError(
            f"line {counts[2]} has {counts[3]} fields, where the header has {counts[1]}; is there a {delimiter!r} without quotes?"
        ) from None
    except csv.Error as error:
        raise RotastackError(f"{error}; save it again as CSV") from None
    table, header = without_row_numbers(unmarked(table, labels), header, notes)
    table.columns = check_names(header, labels)
    if delimiter != "," and (found := _decimal_commas(table)):
        notes.append(f"decimal commas in {', '.join(map(str, found[:3]))}{', ...' if len(found) > 3 else ''}")
    return DelimitedText(table, _DELIMITERS[delimiter], encoding.removesuffix("-sig"), notes)


def check_names(names: list, labels: str | None) -> list:
    """Return a header, if each column has a name of its own.

    Raises
    ------
    RotastackError
        A name is missing, or stands twice.
    """
    seen: dict = {}
    for number, name in enumerate(names, start=1):
        if name is None or name != name or not str(name).strip():
            raise RotastackError(f"column {number} has no name; give it one")
        if name in seen:
            leak = ", and a copy of the target as a feature would give it away" if str(name) == str(labels) else ""
            raise RotastackError(f"columns {seen[name]} and {number} are both named {name!r}{leak}; rename or drop one")
        seen[name] = number
    return names


def unmarked(table: pd.DataFrame, labels: str | None) -> pd.DataFrame:
    """Take the mark off labels again; an empty label is a missing one."""
    if labels in table.columns:
        text = table[labels].str[len(_MARK) :]
        table[labels] = text.where(text != "", None)
    return table


def marked(labels: str) -> dict:
    """Return the converter of pandas that marks labels."""
    return {labels: _MARK.__add__}


def _split(body: bytes, encoding: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of records."""
    lines = io.TextIOWrapper(io.BytesIO(body), encoding=encoding, newline="")
    return (record for record in csv.reader(lines, delimiter=delimiter, skipinitialspace=True) if "".join(record))


def _delimiter(body: bytes, encoding: str, preferred: str | None) -> str:
    best, most = preferred or ",", (False, 1)
    for delimiter in dict.fromkeys([best, *_DELIMITERS]):
        widths = [len(record) for record in islice(_split(body, encoding, delimiter), _SAMPLE)]
        even = sum(width == widths[0] for width in widths) > 0.9 * len(widths)
        if widths[0] > 1 and (even, widths[0]) > most:
            best, most = delimiter, (even, widths[0])
    return best


def without_row_numbers(table: pd.DataFrame, header: list[str], notes: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Leave out a last column of nothing, and a first one without a name that numbers the rows, as spreadsheets and R leave them."""
    if len(header) > 1 and not header[-1].strip() and table.iloc[:, -1].isna().all():
        table, header = table.iloc[:, :-1], header[:-1]
        notes.append("a last column without name and values is left out")
    if len(header) > 1 and not header[0].strip() and len(table):
        first = pd.to_numeric(table.iloc[:, 0], errors="coerce")
        if (first.diff().iloc[1:] == 1).all() and first.iloc[0] in (0, 1):
            table, header = table.iloc[:, 1:], header[1:]
            notes.append("a first column without a name, which numbers the rows, is left out")
    return table.copy(deep=False), header


def _decimal_commas(table: pd.DataFrame) -> list[str]:
    """Turn columns of numbers with decimal commas into numbers, in place, and return their names."""
    found = []
    for column in table.columns:
        if not (is_object_dtype(table[column]) or is_string_dtype(table[column])):
            continue
        known = table[column].dropna()
        if not len(known) or not isinstance(known.iloc[0], str) or not _DECIMAL_COMMA.fullmatch(known.iloc[0]):
            continue
        text = known.astype(str)
        if text.str.contains(",", regex=False).any() and text.str.fullmatch(_DECIMAL_COMMA).all():
            plain = text.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
            table[column] = pd.to_numeric(plain).reindex(table.index)
            found.append(column)
    return found
