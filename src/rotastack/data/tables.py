"""Read tables of several formats, and write the one format that raw data are kept in."""

import gzip
import io
from pathlib import Path

import pandas as pd

from rotastack.data.formats import FORMATS
from rotastack.errors import RotastackError, nearest
from rotastack.files import replacing

__all__ = ["move_target_last", "read_frame", "read_raw", "read_table", "write_raw"]

_MARK = "="  # before each label while it is read, or pandas takes "NA" and "None" for missing values


def read_frame(path: str | Path, labels: str | None = None) -> pd.DataFrame:
    """Read a CSV, TSV, Parquet or ARFF file.

    Column `labels` of a text file is read as text, so that a class may be called "NA" or "None".

    Raises
    ------
    RotastackError
        The file is missing, empty, of another format, or cannot be parsed.
    """
    path = Path(path)
    name = path.name.lower()
    if not name.endswith(FORMATS):
        raise RotastackError(f"{path}: format not known; it must end in one of {', '.join(FORMATS)}")
    if not path.is_file():
        raise RotastackError(f"{path}: there is no such file")
    try:
        if name.endswith(".parquet"):
            return pd.read_parquet(path)
        if name.endswith(".arff"):
            return _read_arff(path)
        separator = "\t" if ".tsv" in name else ","
        as_text = {labels: _MARK.__add__} if labels else None
        table = pd.read_csv(path, sep=separator, skipinitialspace=True, converters=as_text)
        return _unmarked(table, labels)
    except (ValueError, OSError, EOFError, NotImplementedError) as error:
        raise RotastackError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None


def read_table(path: str | Path, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read one's own table.

    Parameters
    ----------
    path : path
        CSV, TSV (also .gz), Parquet or ARFF.
    target : str
        Name of the column with the class labels.

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
    table = move_target_last(read_frame(path, target), target, str(path))
    return table.drop(columns="target"), table["target"].rename(target)


def move_target_last(table: pd.DataFrame, target: str, where: str) -> pd.DataFrame:
    """Return the table with the target as its last column, named ``target``."""
    if target not in table.columns:
        names = [str(c) for c in table.columns]
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise RotastackError(
            f"{where}: target column {target!r} not found{nearest(target, names)}; columns are {shown}"
        )
    features = table.drop(columns=target)
    if "target" in features.columns:
        features = features.rename(columns={"target": "target_"})
    return features.assign(target=table[target])


def write_raw(table: pd.DataFrame, path: str | Path) -> None:
    """Write a raw table: gzipped CSV with header, last column ``target``; equal bytes for equal content.

    This is the format of a mirror folder, so ``data/raw`` of one machine serves another.
    """
    text = table.to_csv(index=False, lineterminator="\n")
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as stream:
        stream.write(text.encode())
    with replacing(path) as temporary:
        temporary.write_bytes(buffer.getvalue())


def read_raw(path: str | Path) -> pd.DataFrame:
    """Read a raw table; labels are text."""
    try:
        table = pd.read_csv(path, converters={"target": _MARK.__add__}, low_memory=False, compression="gzip")
    except (ValueError, OSError, EOFError) as error:
        raise RotastackError(f"{path}: corrupt raw table ({error}); delete it and run again") from None
    if len(table.columns) < 2 or table.columns[-1] != "target":
        raise RotastackError(f"{path}: the last column must be 'target', found {table.columns[-1]!r}")
    return _unmarked(table, "target")


def _unmarked(table: pd.DataFrame, labels: str | None) -> pd.DataFrame:
    """Take the mark off labels again; an empty label is a missing one."""
    if labels in table.columns:
        text = table[labels].str[len(_MARK) :]
        table[labels] = text.where(text != "", None)
    return table


def _read_arff(path: Path) -> pd.DataFrame:
    from scipy.io import arff

    with path.open(encoding="utf-8") as stream:
        records, _ = arff.loadarff(stream)
    table = pd.DataFrame(records)
    for column in table.select_dtypes("object").columns:
        table[column] = table[column].str.decode("utf-8").replace("?", None)
    return table
