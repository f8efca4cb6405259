"""Reading of tables in several formats and from several places."""

import io
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from rotastack.base.cell_types import types_of_cells
from rotastack.base.columns import as_pandas, converted
from rotastack.base.date_formats import in_words
from rotastack.base.reading import read_columns, readings_of, stored_readings
from rotastack.base.warned import warn
from rotastack.data.column_types import EXACTLY, settled, with_categories
from rotastack.data.formats import FORMATS, format_of
from rotastack.data.net import openml_table
from rotastack.data.packed import GZIP, unpacked
from rotastack.data.target import free_name, move_target_last
from rotastack.data.text import Reading, check_names, decoded_as, read_delimited, without_row_numbers
from rotastack.data.writing import PACKAGES
from rotastack.errors import RotastackError, in_one_line, nearest, not_installed_message, shortened


def read_as_written(source: Any, labels: str | None = None) -> tuple[pd.DataFrame, Reading]:
    """Return a table from a `source` of :func:`read_table`, and notes on the reading; delimited text stays text."""
    if not isinstance(source, str | Path):
        name = type(source).__name__
        try:
            found, reading = _object(source, labels), Reading()
        except (ValueError, TypeError) as error:  # such as an Arrow dictionary of records
            raise RotastackError(f"{name}: cannot be read: {in_one_line(error)}") from None
    elif str(source).startswith("openml:"):
        found, reading, name = _openml(str(source), labels), Reading(), str(source)
    else:
        (found, reading), name = _file(Path(source), labels, str(source)), Path(source).name
    try:
        check_names([None if pd.isna(column) else str(column) for column in found.columns], labels)
        table, left_out = settled(found, mixed=True)
    except RotastackError as error:
        raise RotastackError(f"{name}: {error}") from None
    except ArithmeticError:  # of the decimal module
        raise RotastackError(f"{name}: a decimal number is a signaling NaN; drop the value") from None
    if not len(table):
        raise RotastackError(f"{name}: the table has a header but no rows")
    notes = (*reading.notes, *left_out)
    return table, replace(reading, name=name, rows=len(table), columns=table.shape[1], notes=notes)


def read_with_notes(
    source: Any,
    labels: str | None = None,
    kinds: Mapping[str, Any] | None = None,
    like: pd.DataFrame | None = None,
    test: Any = None,
) -> tuple[pd.DataFrame, Reading]:
    """Return a table from a `source` of :func:`read_table` with its text read as numbers and dates, and notes.

    In the column `labels`, "NA" and "None" are possible names of classes; `kinds` are what the user declares. Columns of
    a table `like` that was read before are read in the same way. Rows of another source, `test`, follow those of `source`, and a
    last column ``part`` then says train or test. A RotastackError names what cannot be read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "t.csv")
    >>> _ = path.write_text("a;label\\n1,5;x\\n2,5;y\\n")
    >>> table, reading = read_with_notes(path, "label")
    >>> print(reading, reading.notes, table["a"].tolist())
    2 rows x 2 columns of t.csv (semicolons, UTF-8) ('decimal commas in a',) [1.5, 2.5]
    """
    written, reading = read_as_written(source, labels)
    if test is not None:
        written, reading = _with_test(written, reading, *read_as_written(test, labels))
    for column in kinds or {}:
        if column not in written:
            near = nearest(column, list(map(str, written.columns)))
            raise RotastackError(f"{reading.name}: kinds: column {column!r} not found{near}")
    readings = readings_of(written, reading.delimiter, kinds, labels)
    if like is not None:
        readings |= {name: how for name, how in stored_readings(like).items() if name in written}
    marked: dict[str, list[str]] = {"decimal commas": [], "thousands separators": []}
    for name, how in readings.items():
        if how.type == "number" and (how.decimal == "," or how.thousands):
            texts = written[name][types_of_cells(written[name]) == "text"].astype("str")
            if how.decimal == "," and texts.str.contains(",").any():
                marked["decimal commas"].append(str(name))
            if how.thousands and texts.str.contains(r"\d[.,'’\s]\d{3}").any():
                marked["thousands separators"].append(str(name))
    notes = [*reading.notes, *(f"{mark} in {shortened(names, 3)}" for mark, names in marked.items() if names)]
    for name, how in readings.items():
        column, shown = f"column {str(name)!r}:", " or ".join(map(in_words, how.formats))
        if how.example and how.type == "number":
            notes.append(
                f"{column} {how.example!r} is read with the decimal mark {how.decimal!r}, because no column shows which mark is meant"
            )
        elif how.example:
            notes.append(f"{column} {how.example!r} is read as {shown}, because no value shows which number is the day")
        elif how.type == "text" and how.unit:
            notes.append(f"{column} text, because its numbers have several units ({how.unit}); use one unit")
        if "%y" in "".join(how.formats):
            notes.append(f"{column} two-digit years ({shown}) are read as 1969 to 2068")
    table = read_columns(written, readings, notes.append)
    return settled(table, mixed=like is not None)[0], replace(reading, notes=tuple(notes))


def _with_test(
    train: pd.DataFrame, reading: Reading, test: pd.DataFrame, of_test: Reading
) -> tuple[pd.DataFrame, Reading]:
    """Return the rows of two tables with the columns of the first, and a last column that says which are which."""
    if lacking := [str(column) for column in train if column not in test]:
        raise RotastackError(f"{of_test.name}: columns of the training rows are missing: {shortened(lacking)}")
    more = [str(column) for column in test if column not in train]
    ignored = [f"columns that the training rows lack are ignored: {shortened(more)}"] * bool(more)
    notes = (*reading.notes, *(f"{of_test.name}: {note}" for note in [*of_test.notes, *ignored]))
    table = pd.concat([train, test[train.columns]], ignore_index=True)
    table[free_name(train, "part")] = ["train"] * len(train) + ["test"] * len(test)
    return table, replace(reading, name=f"{reading.name} and {of_test.name}", rows=len(table), notes=notes)


def read_table(source: Any, target: str | None = None, like: pd.DataFrame | None = None) -> tuple[pd.DataFrame, Any]:
    """Return the columns and the target of a table of the user.

    Parameters
    ----------
    source : path, str, object
        A file: delimited text (CSV, TSV, with commas, semicolons, tabs or bars; UTF-8, latin-1, or UTF-16 or UTF-32 with
        a byte order mark), JSON lines or ARFF, each also gzipped; Parquet or Excel. A data set of OpenML (``openml:61``). A
        table in memory: of pandas, polars or Arrow, or a Bunch of scikit-learn.
    target : str, optional
        Name of the column with the class labels, or the numbers to predict. OpenML and a Bunch have a default.
    like : DataFrame, optional
        A table that was read before, such as the training table: formats of dates and marks of numbers are its own. By
        default they follow from the values of this table.

    Returns
    -------
    X : DataFrame of shape (n_rows, n_columns)
        Numbers, truth values, dates and text. ``attrs["readings"]`` holds how the text of each column was read.
    y : Series of shape (n_rows,)
        None for new rows without a target: with `like`, no target need be named.

    Raises
    ------
    RotastackError
        The file cannot be read or has no such column.

    Warns
    -----
    UserWarning
        Values of a column that are no numbers or dates, and are missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "t.csv")
    >>> _ = path.write_text("a,label\\n1,x\\n2,y\\n")
    >>> X, y = read_table(path, "label")
    >>> X.shape, y.tolist()
    ((2, 1), ['x', 'y'])
    """
    table, reading = read_with_notes(source, target, like=like)
    if target is None and (isinstance(source, dict) or str(source).startswith("openml:")):
        target = str(table.columns[-1])
    if target is None and like is None:
        raise RotastackError(f"{reading.name}: the parameter target is missing; name the column of the target")
    for note in reading.notes:
        if note.startswith("column "):
            warn(note)
    if target is None:
        return table, None
    table = move_target_last(table, target, str(source) if isinstance(source, str | Path) else reading.name)
    return table.drop(columns="target"), table["target"].rename(target)


def _file(path: Path, labels: str | None, where: str) -> tuple[pd.DataFrame, Reading]:
    """Return the table of a file, and its reading."""
    ending = format_of(path.name)
    if ending is None:
        raise RotastackError(f"{where}: format unknown; allowed endings: {', '.join(FORMATS)}")
    if not path.is_file():
        raise RotastackError(f"{where}: file not found{'; download the file and name the copy' * ('://' in where)}")
    try:
        body = path.read_bytes()
        if body.startswith(GZIP):
            body = unpacked(body)
        known = next((what for start, what in _MAGIC.items() if body.startswith(start)), None)
        if known is not None and known != ending:
            raise RotastackError(f"the content is not {ending} but {known}; rename the file to {known}")
        return _READERS[ending](body, labels)
    except RotastackError as error:
        raise RotastackError(f"{where}: cannot be read: {error}") from None
    except ImportError:  # the message of pandas does not name the package
        raise RotastackError(f"{where}: {not_installed_message(PACKAGES[ending])}") from None
    except (ValueError, TypeError, OSError, EOFError, NotImplementedError, ArithmeticError, zlib.error) as error:
        raise RotastackError(f"{where}: cannot be read: {' '.join(str(error).split())}") from None


_OLE = b"\xd0\xcf\x11\xe0"
"""First bytes of files of old Excel versions, and of Excel files locked by a password."""
_MAGIC = {b"PK\x03\x04": ".xlsx", b"PAR1": ".parquet"}


def _records(body: bytes, labels: str | None) -> tuple[pd.DataFrame, Reading]:
    try:
        records = [json.loads(line) for line in body.decode(decoded_as(body)).split("\n") if line.strip()]
    except json.JSONDecodeError as error:
        raise RotastackError(f"the content is not valid JSON lines ({error})") from None
    if not all(isinstance(record, dict) for record in records):
        raise RotastackError('each line must be a record, such as {"a": 1, "b": "x"}')
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: pd.Series([record.get(name) for record in records], dtype=object) for name in names}
    return pd.DataFrame(columns), Reading(("JSON lines",))


_INTEGER = re.compile(
    r"^[ \t]*@attribute[ \t]+(\".*\"|'.*'|[^{}%,\s]+)[ \t]+integer[ \t\r]*$", re.IGNORECASE | re.MULTILINE
)
"""A line of ARFF that declares integers. WEKA reads fractions there, scikit-learn's reader would cut them off."""


def _arff(body: bytes, labels: str | None) -> tuple[pd.DataFrame, Reading]:
    from rotastack.base.scikit import arff  # a late import: scikit-learn's takes as long as reading most tables

    text = body.decode(decoded_as(body))
    integers = [name.strip("\"'") for name in _INTEGER.findall(text)]
    try:
        content = arff.load(io.StringIO(_INTEGER.sub(r"@attribute \1 real", text)))
    except arff.ArffException as error:
        raise RotastackError(str(error)) from None
    table = pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]], dtype=object)
    for name in integers:
        table[name] = pd.to_numeric(table[name]).convert_dtypes().astype(object)
    nominal = {name: pd.CategoricalDtype(values) for name, values in content["attributes"] if isinstance(values, list)}
    return table.astype(nominal), Reading(("ARFF",))


def _excel(body: bytes, labels: str | None) -> tuple[pd.DataFrame, Reading]:
    if body.startswith(_OLE):
        raise RotastackError(
            "the file has a password, or its format is older than Excel 2007; save the file as .xlsx without a password"
        )
    try:
        sheets = pd.read_excel(
            io.BytesIO(body),
            sheet_name=None,
            header=None,
            engine="openpyxl",
            dtype=object,
            keep_default_na=False,
            na_values=[""],
        )
    except ImportError:
        raise
    except Exception as error:  # openpyxl raises all kinds of exceptions for damaged files
        raise RotastackError(f"the file is damaged, or not an Excel file ({in_one_line(error)})") from None
    name, cells = next(iter(sheets.items()))
    if not len(cells):
        raise RotastackError(f"the first sheet, {name!r}, is empty")
    cells = pd.DataFrame(  # Excel's numbers are floats; pandas makes integers of any length of them
        [[float(c) if isinstance(c, int) and abs(c) >= 2**63 else c for c in row] for row in cells.to_numpy()],
        dtype=object,
    )
    unread = f", the first of {len(sheets)} sheets; only this sheet is read" if len(sheets) > 1 else ""
    notes = [f"sheet {name!r}{unread}"]
    names = ["" if pd.isna(cell) else str(cell) for cell in cells.iloc[0]]
    table, header = without_row_numbers(cells.iloc[1:].reset_index(drop=True), names, notes)
    return table.set_axis(check_names(header, labels), axis=1), Reading(("Excel",), notes)


def _parquet(body: bytes, labels: str | None) -> tuple[pd.DataFrame, Reading]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(body), page_checksum_verification=True)
    frame = with_categories(table.to_pandas(**EXACTLY), table.schema)
    named = [name for name in frame.index.names if name is not None]
    return frame.reset_index(named) if named else frame, Reading(("Parquet",))


_READERS: dict[str, Callable[[bytes, str | None], tuple[pd.DataFrame, Reading]]] = {
    ".csv": read_delimited,
    ".tsv": lambda body, labels: read_delimited(body, labels, "\t"),
    ".jsonl": _records,
    ".ndjson": _records,
    ".arff": _arff,
    ".parquet": _parquet,
    ".xlsx": _excel,
}


def _openml(place: str, labels: str | None) -> pd.DataFrame:
    number = place.removeprefix("openml:")
    if not number.isdigit():
        raise RotastackError(f"{place}: the number of the data set is missing; example: openml:61")
    table = openml_table(int(number), place, labels or "default-target")
    return table.rename(columns={"target": labels}) if labels else table


def _object(source: Any, labels: str | None) -> pd.DataFrame:
    """Return the table of an object: a data frame, an array, or a Bunch of scikit-learn."""
    if not isinstance(source, dict):  # a Bunch is a dict
        if isinstance(source, pd.DataFrame):
            return source
        arrow = source.to_arrow() if hasattr(source, "to_arrow") else source
        return converted(arrow, **EXACTLY) if hasattr(arrow, "schema") else as_pandas(source)
    data, target = source["data"], source["target"]
    table = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    if table is not data:
        table.columns = list(source.get("feature_names") or [f"x{j + 1}" for j in range(table.shape[1])])
    if labels is not None and labels in table.columns:
        return table
    target = pd.Series(target).set_axis(table.index)  # row by row, whatever its own index
    names = source.get("target_names")
    if target.dtype.kind in "iu" and names is not None and len(names) == target.max() + 1 > 1:
        target = target.map(lambda k: str(names[k]))
    return pd.concat([table, target.rename(labels or str(target.name or "target"))], axis=1)
