"""Reading of tables in several formats and from several places, and writing of tables."""

import gzip
import hashlib
import io
import json
import urllib.parse
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from rotastack.base.columns import as_pandas
from rotastack.data.formats import FORMATS, format_of, is_address
from rotastack.data.net import download, reason
from rotastack.data.openml import openml_table
from rotastack.data.packed import gunzipped
from rotastack.data.target import move_target_last
from rotastack.data.text import (
    check_names,
    decoded_as,
    label_converters,
    read_delimited,
    without_label_marks,
    without_row_numbers,
)
from rotastack.errors import RotastackError, in_one_line, not_installed_message, unreadable
from rotastack.files import replacing

__all__ = [
    "Reading", "check_writable", "read_raw", "read_table", "read_with_notes", "write_raw",
    "write_table",
]  # fmt: skip

DOWNLOADS = Path("data/raw/addresses")
"""Folder of tables from the web, so that each table is downloaded once."""


@dataclass(frozen=True)
class Reading:
    """The name, size and format of a table that was read.

    Attributes
    ----------
    name : str
        Name of the file or the place.
    rows, columns : int
    details : tuple of str
        Format, or delimiter and encoding of delimited text.
    notes : tuple of str
        Remarks about the reading, such as left out columns.

    Examples
    --------
    >>> print(Reading("customers.csv", 500, 12, ("semicolons", "latin-1")))
    500 rows x 12 columns of customers.csv (semicolons, latin-1)
    """

    name: str
    rows: int
    columns: int
    details: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        how = f" ({', '.join(self.details)})" if self.details else ""
        return f"{self.rows} rows x {self.columns} columns of {self.name}{how}"


def read_with_notes(source: Any, labels: str | None = None) -> tuple[pd.DataFrame, Reading]:
    """Return a table from a `source` of :func:`read_table`, and notes on the reading.

    Column `labels` of a text file is read as text, so "NA" and "None" are possible names of classes.

    Raises
    ------
    RotastackError
        The file is missing, empty, of another format, or cannot be parsed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "t.csv")
    >>> _ = path.write_text("a;label\\n1,5;x\\n2,5;y\\n")
    >>> table, reading = read_with_notes(path, "label")
    >>> print(reading, reading.notes)
    2 rows x 2 columns of t.csv (semicolons, UTF-8) ('decimal commas in a',)
    """
    if not isinstance(source, str | Path):
        table, name, details, notes = _object(source, labels), type(source).__name__, (), ()
    elif str(source).startswith("openml:"):
        table, name, details, notes = _openml(str(source), labels), str(source), (), ()
    else:
        path = _fetched(str(source)) if is_address(source) else Path(source)
        table, details, notes = _file(path, labels, str(source))
        name = path.name if not is_address(source) else str(source)
    try:
        check_names(list(table.columns), labels)
    except RotastackError as error:
        raise RotastackError(f"{name}: {error}") from None
    if not len(table):
        raise RotastackError(f"{name}: the table has a header but no rows")
    return table, Reading(name, len(table), table.shape[1], tuple(details), tuple(notes))


def read_table(source: Any, target: str | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Return the columns and the target of a table of the user.

    Parameters
    ----------
    source : path, address, object
        A file: delimited text (CSV, TSV, with commas, semicolons, tabs or bars; UTF-8, UTF-16 or latin-1), JSON lines,
        a JSON list of records, or ARFF, each also gzipped; Parquet, Feather or Excel. The web address of a file
        (``https://...``), which is downloaded once to ``data/raw``. A data set of OpenML (``openml:61``). A table in
        memory: of pandas, polars or Arrow, or a Bunch of scikit-learn.
    target : str, optional
        Name of the column with the class labels, or the numbers to predict. OpenML and a Bunch have a default.

    Returns
    -------
    X : DataFrame of shape (n_rows, n_columns)
    y : Series of shape (n_rows,)

    Raises
    ------
    RotastackError
        The file cannot be read or has no such column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "t.csv")
    >>> _ = path.write_text("a,label\\n1,x\\n2,y\\n")
    >>> X, y = read_table(path, "label")
    >>> X.shape, y.tolist()
    ((2, 1), ['x', 'y'])
    """
    table, reading = read_with_notes(source, target)
    if target is None and (isinstance(source, dict) or str(source).startswith("openml:")):
        target = str(table.columns[-1])
    if target is None:
        raise RotastackError(f"{reading.name}: the parameter target is missing; name the column of the target")
    table = move_target_last(table, target, str(source) if isinstance(source, str | Path) else reading.name)
    return table.drop(columns="target"), table["target"].rename(target)


def check_writable(path: str | Path) -> None:
    """Raise an error, before any computation, if :func:`write_table` cannot write to a path.

    Raises
    ------
    RotastackError
        The ending is no format for writing, the folder does not exist, or a package is not installed.
    """
    path = Path(path)
    if format_of(path.name) not in _WRITERS:
        raise RotastackError(
            f"{path}: the ending names no format for writing; allowed: {', '.join(_WRITERS)}, and .gz after a text format"
        )
    if path.is_dir():
        raise RotastackError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise RotastackError(f"{path}: folder {str(path.parent)!r} not found; make the folder, or correct the path")
    package = _PACKAGES.get(str(format_of(path.name)))
    if package is not None and find_spec(package) is None:
        raise RotastackError(f"{path}: {not_installed_message(package)}")


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table in the format of the ending, in one step; for errors see :func:`check_writable`."""
    check_writable(path)
    buffer = io.BytesIO()
    try:
        _WRITERS[str(format_of(Path(path).name))](table, buffer)
    except (ValueError, TypeError) as error:  # such as dates with a time zone in Excel
        raise RotastackError(f"{path}: {' '.join(str(error).split())}; CSV has no such limit") from None
    body = buffer.getvalue()
    with replacing(path) as temporary:
        temporary.write_bytes(gzip.compress(body, mtime=0) if str(path).lower().endswith(".gz") else body)


def write_raw(table: pd.DataFrame, path: str | Path) -> None:
    """Write a raw table as gzipped CSV with a header; equal content gives equal bytes.

    A mirror folder has the same format, so the folder ``data/raw`` of one computer can be the mirror of another.
    """
    text = table.to_csv(index=False, lineterminator="\n")
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as stream:
        stream.write(text.encode())
    with replacing(path) as temporary:
        temporary.write_bytes(buffer.getvalue())


def read_raw(path: str | Path) -> pd.DataFrame:
    """Return the raw table of a file, with labels as text."""
    try:
        table = pd.read_csv(path, converters=label_converters("target"), low_memory=False, compression="gzip")
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from None
    if len(table.columns) < 2 or table.columns[-1] != "target":
        raise RotastackError(f"{path}: the last column must be 'target', found {table.columns[-1]!r}")
    return without_label_marks(table, "target")


_Found = tuple[pd.DataFrame, list[str], list[str]]


def _file(path: Path, labels: str | None, where: str) -> _Found:
    """Return the table of a file, its details and notes."""
    ending = format_of(path.name)
    if ending is None:
        raise RotastackError(f"{where}: format unknown; allowed endings: {', '.join(FORMATS)}")
    if not path.is_file():
        raise RotastackError(f"{where}: file not found")
    try:
        body = path.read_bytes()
        if body.startswith(b"\x1f\x8b"):
            body = gunzipped(body)
        known = next((what for start, what in _MAGIC.items() if body.startswith(start)), None)
        if known is not None and known != ending:
            raise RotastackError(f"the content is not {ending} but {known}; rename the file to {known}")
        return _READERS[ending](body, labels)
    except ImportError:  # the message of pandas does not name the package
        raise RotastackError(f"{where}: {not_installed_message(_PACKAGES[ending])}") from None
    except (ValueError, OSError, EOFError, NotImplementedError, ArithmeticError, zlib.error) as error:
        raise RotastackError(f"{where}: cannot be read: {' '.join(str(error).split())}") from None


_PACKAGES = {".xlsx": "openpyxl", ".parquet": "pyarrow", ".feather": "pyarrow"}
"""Package that pandas needs to read and write a format."""

_OLE = b"\xd0\xcf\x11\xe0"
"""First bytes of files of old Excel versions, and of Excel files locked by a password."""
_MAGIC = {b"PK\x03\x04": ".xlsx", b"PAR1": ".parquet", b"ARROW1": ".feather"}


def _csv(body: bytes, labels: str | None, delimiter: str = ",") -> _Found:
    text = read_delimited(body, labels, delimiter)
    encoding = text.encoding.upper() if text.encoding.startswith("utf") else text.encoding
    return text.table, [text.delimiter, encoding], text.notes


def _records(body: bytes, labels: str | None, lines: bool) -> _Found:
    text = body.decode(decoded_as(body))
    try:
        records = [json.loads(line) for line in text.splitlines() if line.strip()] if lines else json.loads(text)
    except json.JSONDecodeError as error:
        raise RotastackError(f"the content is not valid JSON{' lines' if lines else ''} ({error})") from None
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise RotastackError('the content must be a list of records, such as [{"a": 1, "b": "x"}, ...]')
    table = pd.DataFrame(records)
    for column in table.columns:
        nested = table[column].map(lambda value: isinstance(value, list | dict))
        if nested.any():
            raise RotastackError(
                f"column {column!r} contains lists or records in {int(nested.sum())} rows; one value per row is allowed"
            )
    return table, ["JSON lines" if lines else "JSON"], []


def _arff(body: bytes, labels: str | None) -> _Found:
    from rotastack.base.scikit import arff  # a late import: scikit-learn's takes as long as reading most tables

    try:
        content = arff.load(io.StringIO(body.decode(decoded_as(body))))
    except arff.ArffException as error:
        raise RotastackError(str(error)) from None
    table = pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])
    return table.infer_objects(), ["ARFF"], []


def _excel(body: bytes, labels: str | None) -> _Found:
    if body.startswith(_OLE):
        raise RotastackError(
            "the file has a password, or is from Excel before 2007; save the file as .xlsx without password"
        )
    try:
        sheets = pd.read_excel(io.BytesIO(body), sheet_name=None, header=None, engine="openpyxl")
    except ImportError:
        raise
    except Exception as error:  # openpyxl raises all kinds of exceptions for damaged files
        raise RotastackError(f"the file is damaged, or not an Excel file ({in_one_line(error)})") from None
    name, cells = next(iter(sheets.items()))
    if not len(cells):
        raise RotastackError(f"the first sheet, {name!r}, is empty")
    unread = f", the first of {len(sheets)} sheets; only this sheet is read" if len(sheets) > 1 else ""
    notes = [f"sheet {name!r}{unread}"]
    names = ["" if pd.isna(cell) else str(cell) for cell in cells.iloc[0]]
    table, header = without_row_numbers(cells.iloc[1:].reset_index(drop=True), names, notes)
    table = table.set_axis(check_names(header, labels), axis=1).infer_objects()
    return table, ["Excel"], notes


_READERS: dict[str, Callable[[bytes, str | None], _Found]] = {
    ".csv": _csv,
    ".tsv": lambda body, labels: _csv(body, labels, "\t"),
    ".json": lambda body, labels: _records(body, labels, lines=False),
    ".jsonl": lambda body, labels: _records(body, labels, lines=True),
    ".ndjson": lambda body, labels: _records(body, labels, lines=True),
    ".arff": _arff,
    ".parquet": lambda body, labels: (pd.read_parquet(io.BytesIO(body)), ["Parquet"], []),
    ".feather": lambda body, labels: (pd.read_feather(io.BytesIO(body)), ["Feather"], []),
    ".xlsx": _excel,
}


_WRITERS: dict[str, Callable[[pd.DataFrame, io.BytesIO], Any]] = {
    ".csv": lambda table, to: table.to_csv(to, index=False),
    ".tsv": lambda table, to: table.to_csv(to, index=False, sep="\t"),
    ".jsonl": lambda table, to: table.to_json(to, orient="records", lines=True, date_format="iso"),
    ".parquet": lambda table, to: table.to_parquet(to, index=False),
    ".xlsx": lambda table, to: table.to_excel(to, index=False, engine="openpyxl"),
}


def _fetched(address: str) -> Path:
    """Return the path of the downloaded file of an address, after a download if necessary."""
    name = Path(urllib.parse.urlparse(address).path).name or "table"
    name = name if format_of(name) else f"{name}.csv"
    path = DOWNLOADS / f"{hashlib.sha256(address.encode()).hexdigest()[:12]}-{name}"
    if not path.is_file():
        try:
            body = download(address)
        except (OSError, ValueError) as error:
            raise RotastackError(f"{address}: {reason(error)}") from None
        with replacing(path) as temporary:
            temporary.write_bytes(body)
    return path


def _openml(place: str, labels: str | None) -> pd.DataFrame:
    number = place.removeprefix("openml:")
    if not number.isdigit():
        raise RotastackError(f"{place}: the number of the data set is missing; example: openml:61")
    table = openml_table(int(number), place, labels or "default-target")
    return table.rename(columns={"target": labels}) if labels else table


def _object(source: Any, labels: str | None) -> pd.DataFrame:
    """Return the table of an object: a data frame, an array, or a Bunch of scikit-learn."""
    if not isinstance(source, dict):  # a Bunch is a dict
        return as_pandas(source)
    data, target = source["data"], source["target"]
    table = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    if table is not data:
        table.columns = list(source.get("feature_names") or [f"x{j + 1}" for j in range(table.shape[1])])
    if labels is not None and labels in table.columns:
        return table
    target = pd.Series(target, index=table.index)
    names = source.get("target_names")
    if target.dtype.kind in "iu" and names is not None and len(names) == target.max() + 1 > 1:
        target = pd.Series([str(names[k]) for k in target], index=table.index)
    return table.assign(**{labels or str(target.name or "target"): target})
