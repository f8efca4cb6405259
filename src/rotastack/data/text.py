"""Reading of delimited text: its encoding and its delimiter."""

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pandas as pd

from rotastack.errors import RotastackError

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SAMPLE = 100  # records that determine the delimiter
_EXCEL = re.compile(rb"(?:\xef\xbb\xbf)?sep=([,;\t|])\r?\n", re.IGNORECASE)
"""First line that Excel writes and reads, with the delimiter."""
_BYTE_ORDERS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"\xef\xbb\xbf": "utf-8-sig",
}
_LONGEST = 2**31 - 1
"""Characters in a field; the csv module allows 131,072 by default."""


@dataclass(frozen=True)
class Reading:
    """How a table was read: details and notes, the delimiter of delimited text, and the name and size of the table.

    Examples
    --------
    >>> print(Reading(("semicolons", "latin-1"), name="customers.csv", rows=500, columns=12))
    500 rows x 12 columns of customers.csv (semicolons, latin-1)
    """

    details: tuple[str, ...] = ()
    notes: Sequence[str] = ()
    delimiter: str | None = None
    name: str = ""
    rows: int = 0
    columns: int = 0

    def __str__(self) -> str:
        how = f" ({', '.join(self.details)})" if self.details else ""
        return f"{self.rows} rows x {self.columns} columns of {self.name}{how}"


def decoded_as(body: bytes) -> str:
    """Return the encoding of a text: UTF-8, -16 or -32, windows-1252 or latin-1; a RotastackError for bytes that are no text.

    A byte order mark determines the encoding. Without a mark, valid UTF-8 is UTF-8. Other text is assumed to be from a Western European system: ``windows-1252`` if it has bytes
    that are characters in this encoding alone, else ``latin-1``.
    """
    if marked := next((name for mark, name in _BYTE_ORDERS.items() if body.startswith(mark)), None):
        return marked
    if b"\0" in body[:1000]:
        raise RotastackError("the file is not text; save the table as CSV in UTF-8")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        if mixed := re.search(rb"\xc3[\x80-\xbf]", body):  # an accented letter of UTF-8
            line = body[: mixed.start()].count(b"\n") + 1
            raise RotastackError(f"line {line} is UTF-8, and other lines are not; save the file as UTF-8") from None
        return "windows-1252" if re.search(rb"[\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]", body) else "latin-1"
    return "utf-8"


def read_delimited(body: bytes, labels: str | None, delimiter: str = ",") -> tuple[pd.DataFrame, Reading]:
    """Return the table of delimited text with a header, and its reading; `labels` is the target, for error messages.

    The delimiter is the one of ``, ; tab |`` for which the header and the first records have equal numbers of fields,
    and the most fields; of equally good ones `delimiter`. Empty fields are missing values. A first line ``sep=;``, as
    Excel writes, names the delimiter.
    """
    encoding = decoded_as(body)
    named = _EXCEL.match(body)
    if named:
        body, delimiter = body[named.end() :], named[1].decode()
    csv.field_size_limit(_LONGEST)
    try:
        delimiter = delimiter if named else _delimiter(body, encoding, delimiter)
        header = next(_split(body, encoding, delimiter), [])
        if not header:
            raise RotastackError("the file is empty; a header and rows are needed")
        notes: list[str] = []
        is_blank = not io.TextIOWrapper(io.BytesIO(body), encoding=encoding).readline().strip()  # the first line
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                io.BytesIO(body),
                sep=delimiter,
                encoding=encoding,
                skipinitialspace=True,
                index_col=False,
                dtype="str",
                keep_default_na=False,
                na_values=[""],
                skip_blank_lines=len(header) > 1 or is_blank,
            )
    except UnicodeError as error:
        raise RotastackError(f"the text is not valid {encoding.upper()} ({error}); save the file as UTF-8") from None
    except (
        pd.errors.ParserWarning,
        pd.errors.ParserError,
    ) as error:  # of a first row that is too long, or of a later one
        counts = re.search(r"Expected (\d+) fields", str(error))
        if counts is None and isinstance(error, pd.errors.ParserError):
            raise
        lines, width = _reader(body, encoding, delimiter), int(counts[1]) if counts else 0
        n = next(len(row) for row in lines if (len(row) > width if counts else any(row[len(header) :])))
        raise RotastackError(
            f"line {lines.line_num + bool(named)} has {n} fields, the header has {len(header)}; "
            f"name each column, or put quotes around a field with {delimiter!r}"
        ) from None
    except csv.Error as error:
        raise RotastackError(f"{error}; save the table as CSV again") from None
    if len(header) > 1 and table.iloc[:, -1].isna().any():
        short = sum(len(record) < len(header) for record in _split(body, encoding, delimiter))
        if short:
            rows = "1 row has" if short == 1 else f"{short} rows have"
            notes.append(f"column {header[-1]!r}: {rows} fewer fields than the header; missing fields are empty")
    elif len(header) == 1:  # blank lines are rows, but for those at the end
        table = table.iloc[: len(table) - int(table.iloc[::-1, 0].isna().cumprod().sum())]
    if len(header) > 1 and body.count(b"\n") > len(table) + 1:
        notes += [note for name in table for note in _swallowed(table[name], delimiter, len(header))]
    table, header = without_row_numbers(table, header, notes)
    table.columns = check_names(header, labels)
    encoding = encoding.removesuffix("-sig")
    shown = encoding.upper() if encoding.startswith("utf") else encoding
    return table, Reading((_DELIMITERS[delimiter], shown), notes, delimiter)


def _swallowed(column: pd.Series, delimiter: str, width: int) -> Iterator[str]:
    """Yield a sentence on each text with lines that look like rows: a quote may have taken them into the text."""
    for text in column[column.str.contains("\n", na=False, regex=False)]:
        inner = text.splitlines()[1:-1]
        if inner and all(line.count(delimiter) == width - 1 for line in inner):
            yield f"column {str(column.name)!r}: {text[:20]!r} spans {len(inner) + 2} lines that look like rows; check its quotes"


def check_names(names: list, labels: str | None) -> list:
    """Return the names of the columns; a RotastackError if a name is missing or duplicate."""
    seen: dict = {}
    for number, name in enumerate(names, start=1):
        if name is None or name != name or not str(name).strip():
            raise RotastackError(f"column {number} has no name; name the column")
        if name in seen:
            leak = ", the name of the target" if str(name) == str(labels) else ""
            raise RotastackError(f"columns {seen[name]} and {number} are both named {name!r}{leak}; rename or drop one")
        seen[name] = number
    return names


def _split(body: bytes, encoding: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of each record that is not empty."""
    return (record for record in _reader(body, encoding, delimiter) if "".join(record))


def _reader(body: bytes, encoding: str, delimiter: str) -> Any:
    lines = io.TextIOWrapper(io.BytesIO(body), encoding=encoding, newline="")
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _delimiter(body: bytes, encoding: str, preferred: str) -> str:
    best, most = preferred, (False, 1)
    for delimiter in dict.fromkeys([preferred, *_DELIMITERS]):
        widths = [len(record) for record in islice(_split(body, encoding, delimiter), _SAMPLE)]
        even = sum(width == widths[0] for width in widths) > 0.9 * len(widths)
        if widths and widths[0] > 1 and (even, widths[0]) > most:
            best, most = delimiter, (even, widths[0])
    return best


def without_row_numbers(table: pd.DataFrame, header: list[str], notes: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return table and header without an empty last column and nameless row numbers, which R and spreadsheets write."""
    if len(header) > 1 and not header[-1].strip() and table.iloc[:, -1].isna().all():
        table, header = table.iloc[:, :-1], header[:-1]
        notes.append("the last column, without a name and values, is left out")
    if len(header) > 1 and not header[0].strip() and len(table):
        first = pd.to_numeric(table.iloc[:, 0], errors="coerce")
        if first.is_unique and (first % 1 == 0).all():  # also of a part of the rows
            table, header = table.iloc[:, 1:], header[1:]
            notes.append("the first column, row numbers without a name, is left out")
    return table.copy(deep=False), header
