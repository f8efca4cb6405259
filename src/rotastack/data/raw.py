"""Raw copies of tables: what a study read, with the types of the columns."""

from pathlib import Path

import pandas as pd
from pyarrow.parquet import read_schema

from rotastack.base.reading import ColumnReading, read_columns, readings_of
from rotastack.data.arrays import read_arrays
from rotastack.data.column_types import settled, with_categories
from rotastack.data.frames import read_frame, write_frame
from rotastack.data.tables import read_as_written
from rotastack.errors import RotastackError


def write_raw(table: pd.DataFrame, path: str | Path) -> None:
    """Write a raw table as Parquet, which keeps the types of columns; equal content gives equal bytes.

    A mirror folder has the same format, so the folder ``data/raw`` of one computer can be the mirror of another.
    """
    write_frame(path, settled(table)[0])


def read_raw(path: str | Path) -> pd.DataFrame:
    """Return the raw table of a file: Parquet of :func:`write_raw`, arrays (.npz), or delimited text, whose labels stay text."""
    if Path(path).suffix == ".npz":
        return read_arrays(path)
    with Path(path).open("rb") as file:
        is_text = file.read(2) == b"\x1f\x8b"  # of gzip
    if is_text:
        written, reading = read_as_written(path, "target")
        readings = readings_of(written, reading.delimiter, target="target")
        table = read_columns(written, readings | {"target": ColumnReading("text")}, lambda note: None)
    else:
        table = with_categories(read_frame(path)[0], read_schema(path))
    if len(table.columns) < 2 or table.columns[-1] != "target":
        raise RotastackError(f"{path}: the last column must be 'target', found {table.columns[-1]!r}")
    return table
