"""Writing of tables in several formats."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from rotastack.data.column_types import settled
from rotastack.data.formats import format_of
from rotastack.errors import RotastackError, not_installed_message
from rotastack.files import write_bytes

PACKAGES = {".xlsx": "openpyxl", ".parquet": "pyarrow"}
"""Package that pandas needs to read and write a format."""


def check_writable(path: str | Path) -> None:
    """Raise a RotastackError, before any computation, if :func:`write_table` cannot write to a path."""
    path = Path(path)
    if format_of(path.name) not in _WRITERS:
        raise RotastackError(
            f"{path}: format unknown; allowed endings: {', '.join(_WRITERS)}, and .gz after a text format"
        )
    if path.is_dir():
        raise RotastackError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise RotastackError(f"{path}: folder {str(path.parent)!r} not found; create the folder, or correct the path")
    package = PACKAGES.get(str(format_of(path.name)))
    if package is not None and find_spec(package) is None:
        raise RotastackError(f"{path}: {not_installed_message(package)}")


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table in the format of the ending, in one step; for errors see :func:`check_writable`."""
    check_writable(path)
    buffer = io.BytesIO()
    try:
        _WRITERS[str(format_of(Path(path).name))](table, buffer)
    except (ValueError, TypeError, OverflowError) as error:  # such as dates with a time zone in Excel
        raise RotastackError(f"{path}: {' '.join(str(error).split())}; CSV has no such limit") from None
    body = buffer.getvalue()
    write_bytes(path, gzip.compress(body, mtime=0) if str(path).lower().endswith(".gz") else body)


def write_csv(table: pd.DataFrame, to: Any, sep: str = ",") -> None:
    """Write a table as delimited text; if a text has a carriage return, all text is in quotes, so that no row is split."""
    others = table.select_dtypes(exclude=["number", "datetime", "datetimetz", "timedelta"])
    texts = [table.columns.to_series(), *(column for _, column in others.items())]
    split = any(column.astype("str").str.contains("\r").any() for column in texts)
    table.to_csv(to, index=False, sep=sep, quoting=csv.QUOTE_NONNUMERIC if split else csv.QUOTE_MINIMAL)


def _write_lines(table: pd.DataFrame, to: io.BytesIO) -> None:
    """Write a table as JSON lines; pandas would cut numbers after some decimals."""
    single = table.select_dtypes("float32").columns
    table = table.astype(dict.fromkeys(single, "str")).astype(dict.fromkeys(single, "float64"))
    for record in table.to_dict("records"):
        known = {name: None if pd.isna(value) else value for name, value in record.items()}
        to.write(f"{json.dumps(known, ensure_ascii=False, default=_as_text)}\n".encode())


def _as_text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _write_excel(table: pd.DataFrame, to: io.BytesIO) -> None:
    """Write a table as an Excel file: text stays text, no formula or error value; whole numbers keep all digits, as text."""
    longest = max((int(c.str.len().max()) for _, c in table.select_dtypes("str").items() if c.notna().any()), default=0)
    if longest > _CELL:
        raise ValueError(f"a text has {longest:,} characters, but a cell of Excel holds at most {_CELL:,}")
    from openpyxl.utils.exceptions import IllegalCharacterError

    try:
        with pd.ExcelWriter(to, engine="openpyxl") as writer:
            table.to_excel(writer, index=False)
            for row in writer.sheets["Sheet1"].iter_rows():
                for cell in row:
                    if isinstance(cell.value, int | Decimal) and not -_EXACT <= cell.value <= _EXACT:
                        cell.value = str(cell.value)
                    cell.data_type = "s" if cell.data_type in "fe" else cell.data_type
                    cell.number_format = (
                        _DURATION if table.dtypes.iloc[cell.column - 1].kind == "m" else cell.number_format
                    )
    except IllegalCharacterError:
        raise ValueError("a text has a control character, which Excel cannot hold") from None


_CELL = 32_767
_EXACT = 2**53
"""Excel's numbers are floats: larger whole numbers lose digits."""
_DURATION = "[hh]:mm:ss"
"""Excel's format of durations; pandas writes them as fractions of a day."""
_WRITERS: dict[str, Callable[[pd.DataFrame, io.BytesIO], Any]] = {
    ".csv": write_csv,
    ".tsv": lambda table, to: write_csv(table, to, "\t"),
    ".jsonl": _write_lines,
    ".parquet": lambda table, to: settled(table)[0].to_parquet(to, index=False),
    ".xlsx": _write_excel,
}
