"""Writing of tables in several formats."""

import gzip
import io
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from rotastack.data.formats import format_of
from rotastack.errors import RotastackError, not_installed_message
from rotastack.files import replacing

__all__ = ["PACKAGES", "check_writable", "write_table"]

PACKAGES = {".xlsx": "openpyxl", ".parquet": "pyarrow", ".feather": "pyarrow"}
"""Package that pandas needs to read and write a format."""


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
    package = PACKAGES.get(str(format_of(path.name)))
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


_WRITERS: dict[str, Callable[[pd.DataFrame, io.BytesIO], Any]] = {
    ".csv": lambda table, to: table.to_csv(to, index=False),
    ".tsv": lambda table, to: table.to_csv(to, index=False, sep="\t"),
    ".jsonl": lambda table, to: table.to_json(to, orient="records", lines=True, date_format="iso"),
    ".parquet": lambda table, to: table.to_parquet(to, index=False),
    ".xlsx": lambda table, to: table.to_excel(to, index=False, engine="openpyxl"),
}
