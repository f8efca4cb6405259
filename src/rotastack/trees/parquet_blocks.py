"""Rows of Parquet files in blocks that depend on nothing but the number of the row."""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.errors import RotastackError, without

__all__ = ["BLOCK_ROWS", "ParquetRows"]

BLOCK_ROWS = 1 << 14


class ParquetRows:
    """The rows of Parquet files, one file after the other.

    Parameters
    ----------
    paths : str, path, or sequence of these
        Files; of a folder all that end in ``.parquet``, by name.
    target : str
    read_rows : int
        Rows decoded at once.
    numeric_target : bool
        Whether the target, too, must hold numbers.

    Attributes
    ----------
    files : list of str
    columns : list of str
        All but the target, as the first file has them.
    n_rows : int

    Raises
    ------
    RotastackError
        No file, no rows, a column that is missing, or one that is neither number nor bool.
    """

    def __init__(
        self,
        paths: str | PathLike | Sequence[str | PathLike],
        target: str,
        read_rows: int = BLOCK_ROWS,
        *,
        numeric_target: bool = False,
    ):
        try:
            from pyarrow import types
        except ModuleNotFoundError as error:
            raise RotastackError(without(error.name) or str(error)) from None

        given = [paths] if isinstance(paths, (str, PathLike)) else list(paths)
        self.files = [str(file) for path in map(Path, given) for file in _files(path)]
        self.target, self.read_rows = target, read_rows
        self.columns: list[str] = []
        self.n_rows = 0
        for path in self.files:
            with _opened(path) as file:
                self.n_rows += file.metadata.num_rows
                schema = file.schema_arrow
            self.columns = self.columns or [name for name in schema.names if name != target]
            for name in [target, *self.columns]:
                if name not in schema.names:
                    raise RotastackError(f"{path}: there is no column {name!r}")
            for name in [*self.columns, target] if numeric_target else self.columns:
                kind = schema.field(name).type
                if not (
                    types.is_integer(kind)
                    or types.is_floating(kind)
                    or types.is_boolean(kind)
                    or types.is_decimal(kind)
                ):
                    raise RotastackError(f"{path}: column {name!r} holds {kind}, no numbers")
        if not self.n_rows or not self.columns:
            raise RotastackError(f"{', '.join(self.files) or paths}: no rows, or no columns beside {target!r}")

    def blocks(self) -> Iterator[tuple[int, NDArray[np.float32], NDArray]]:
        """Yield blocks of rows in order: number, float32 columns (NaN is missing), target.

        All but the last are of `BLOCK_ROWS` rows, however rows are spread over files and decoded.
        """
        waiting: list[tuple[NDArray[np.float32], NDArray]] = []
        number = 0
        for X, y in self._decoded():
            while len(X):
                room = BLOCK_ROWS - sum(len(part) for part, _ in waiting)
                waiting.append((X[:room], y[:room]))
                X, y = X[room:], y[room:]
                if len(waiting[-1][0]) == room:
                    yield number, *_joined(waiting)
                    number, waiting = number + 1, []
        if waiting:
            yield number, *_joined(waiting)

    def targets(self) -> Iterator[NDArray]:
        """Yield the target of all rows; nothing else is read."""
        for path, batch in self._batches([self.target]):
            yield _target(batch, path, self.target)

    def _decoded(self) -> Iterator[tuple[NDArray[np.float32], NDArray]]:
        for path, batch in self._batches([*self.columns, self.target]):
            X = np.empty((batch.num_rows, len(self.columns)), np.float32)
            for j, name in enumerate(self.columns):
                X[:, j] = _numbers(batch.column(name))
                if np.isinf(X[:, j]).any():
                    raise RotastackError(f"{path}: column {name!r} holds values beyond float32")
            yield X, _target(batch, path, self.target)

    def _batches(self, columns: list[str]) -> Iterator[tuple[str, Any]]:
        """Yield the file and some rows at a time; one row group after the other, as readers of several hold more than one."""
        for path in self.files:
            with _opened(path) as file:
                for group in range(file.num_row_groups):
                    for batch in file.iter_batches(self.read_rows, [group], columns, use_threads=False):
                        yield path, batch


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise RotastackError(f"{path}: there is no such file or folder")
    found = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not found:
        raise RotastackError(f"{path}: no file in it ends in .parquet")
    return found


def _opened(path: str) -> Any:
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path, buffer_size=1 << 16, pre_buffer=False)
    except ArrowInvalid as error:
        raise RotastackError(f"{path}: this is no Parquet file, or half of one ({error})") from None


def _numbers(column: Any) -> NDArray[np.float32]:
    from pyarrow import types

    if types.is_boolean(column.type):
        column = column.cast("uint8")
    with np.errstate(over="ignore"):
        return column.cast("float64", safe=False).to_numpy(zero_copy_only=False).astype(np.float32)


def _target(batch: Any, path: str, name: str) -> NDArray:
    column = batch.column(name)
    if column.null_count:
        raise RotastackError(f"{path}: the target {name!r} is missing in {column.null_count} rows or more")
    found = np.asarray(column.to_numpy(zero_copy_only=False))
    if found.dtype.kind == "f" and not np.isfinite(found).all():  # NaN, which is no null, would be in every leaf
        n_bad = int((~np.isfinite(found)).sum())
        raise RotastackError(f"{path}: the target {name!r} is missing or infinite in {n_bad} rows or more")
    return found


def _joined(parts: Sequence[tuple[NDArray, NDArray]]) -> tuple[NDArray[np.float32], NDArray]:
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])
