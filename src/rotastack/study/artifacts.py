"""Read and write what the steps hand to each other: labelled arrays and tables."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import xarray as xr

from rotastack.errors import RotastackError
from rotastack.files import replacing

__all__ = [
    "Prepared",
    "member_means",
    "read_arrays",
    "read_frame",
    "read_prepared",
    "write_arrays",
    "write_frame",
]


def write_arrays(path: str | Path, dataset: xr.Dataset) -> None:
    """Write labelled arrays as netCDF; equal content gives equal bytes."""
    encoding = {name: {"zlib": True, "complevel": 4} for name, v in dataset.data_vars.items() if v.ndim}
    with replacing(path) as temporary:
        dataset.to_netcdf(temporary, engine="h5netcdf", encoding=encoding)


def read_arrays(path: str | Path) -> xr.Dataset:
    """Read labelled arrays into memory; RotastackError if the file is corrupt."""
    try:
        with xr.open_dataset(path, engine="h5netcdf") as dataset:
            return dataset.load()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise _corrupt(path, error) from None


def write_frame(path: str | Path, frame: pd.DataFrame, about: dict[str, Any] | None = None) -> None:
    """Write a table as Parquet, with a JSON description in its metadata."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if about is not None:
        table = table.replace_schema_metadata(
            {**(table.schema.metadata or {}), b"rotastack": json.dumps(about, sort_keys=True).encode()}
        )
    with replacing(path) as temporary:
        pq.write_table(table, temporary)


def read_frame(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a table and its description; RotastackError if the file is corrupt."""
    try:
        table = pq.read_table(path)
        return table.to_pandas(), json.loads((table.schema.metadata or {}).get(b"rotastack", b"{}"))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _corrupt(path, error) from None


class Prepared:
    """A prepared data set.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        Numeric columns (missing values NaN), then dummies.
    y : ndarray of shape (n_rows,)
        Class numbers.
    classes : list of str
    categorical : ndarray of bool of shape (n_features,)
        Which columns are dummies.
    owners : list of str
        The categorical column that each of these belongs to.
    """

    def __init__(self, frame: pd.DataFrame, about: dict[str, Any]):
        self.classes: list[str] = about["classes"]
        self.y = frame["target"].to_numpy(dtype=np.intp)
        self.X = frame.drop(columns="target").to_numpy(dtype=np.float64)
        self.categorical = np.asarray(about["categorical"], dtype=bool)
        self.owners: list[str] = about.get("owners", [])


def read_prepared(path: str | Path) -> Prepared:
    """Read a prepared data set."""
    return Prepared(*read_frame(path))


def member_means(table: np.ndarray) -> list[float | None]:
    """Average over trainings, per member; None where nothing is known."""
    return [
        round(float(np.nanmean(column)), 4) if np.isfinite(column).any() else None
        for column in table.reshape(-1, table.shape[-1]).T
    ]


def _corrupt(path, error) -> RotastackError:
    text = " ".join(str(error).split())
    return RotastackError(f"{path}: corrupt artifact ({text[:200]}); delete it and run again")
