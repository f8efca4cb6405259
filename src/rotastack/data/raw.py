"""Raw copies of tables: what a study read, with the types of the columns."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pyarrow.parquet import read_schema

from rotastack.base.reading import ColumnReading, read_columns, readings_of
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
        try:
            with np.load(path) as arrays:
                return _table_of(dict(arrays))
        except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise RotastackError(f"{path}: cannot be read: {error}") from None
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


def _table_of(arrays: Mapping[str, NDArray]) -> pd.DataFrame:
    """Return a table of the arrays ``X`` and ``y``, and of the splits in ``f0, f1, f2, ...``; ``columns`` may name the columns.

    Split s trains on the rows ``f(2s - 2)`` and tests the rows ``f(2s - 1)``. Its column, ``split s``, holds train, test or None.
    """
    missing = [name for name in ("X", "y") if name not in arrays]
    if missing or arrays["X"].ndim != 2 or arrays["y"].shape != arrays["X"].shape[:1]:
        raise RotastackError("arrays X of shape (rows, columns) and y of shape (rows,) are needed")
    width = arrays["X"].shape[1]
    names = [str(name) for name in arrays.get("columns", [f"x{j + 1}" for j in range(width)])]
    if len(names) != width or len(set(names)) < width:
        raise RotastackError(f"columns: X needs {width} different names; found {', '.join(names)}")
    table = pd.DataFrame(arrays["X"], columns=names)
    n_folds = sum(name not in ("X", "y", "columns") for name in arrays)
    if n_folds % 2 or any(f"f{k}" not in arrays for k in range(n_folds)):
        raise RotastackError(
            f"the arrays besides X, y and columns must be f0, f1, ..., two per split; found {', '.join(arrays)}"
        )
    for s in range(n_folds // 2):
        parts = np.full(len(table), None, dtype=object)
        for fold, part in ((f"f{2 * s}", "train"), (f"f{2 * s + 1}", "test")):
            rows = arrays[fold]
            unknown = [rows.dtype] if rows.dtype.kind not in "iu" else rows[(rows < 0) | (rows >= len(table))]
            if len(unknown):
                raise RotastackError(f"{fold}: {unknown[0]} is not a row number; allowed are 0 to {len(table) - 1}")
            if any(parts[rows]) or len(np.unique(rows)) < len(rows):
                raise RotastackError(f"{fold}: a row occurs twice in f{2 * s} and f{2 * s + 1}")
            parts[rows] = part
        table[f"split {s + 1}"] = parts
    return table.assign(target=arrays["y"].astype(str))
