"""Reading and writing of the files that one step hands to the next: labelled arrays and tables."""

from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from rotastack.base.categories import MISSING, dummies
from rotastack.base.outputs import NUMBERS, positive_class
from rotastack.base.words import TextComponents
from rotastack.data.frames import read_frame, write_frame
from rotastack.files import unsealed, write_sealed

__all__ = ["Prepared", "read_arrays", "read_frame", "read_prepared", "write_arrays", "write_frame"]


def write_arrays(path: str | Path, dataset: xr.Dataset) -> None:
    """Write labelled arrays as netCDF; equal content gives equal bytes.

    The file is built in memory first, because HDF5 ends the process when the disk is full.
    """
    encoding = {name: {"zlib": True, "complevel": 4} for name, v in dataset.data_vars.items() if v.ndim}
    write_sealed(path, dataset.to_netcdf(engine="h5netcdf", encoding=encoding))


def read_arrays(path: str | Path) -> xr.Dataset:
    """Return labelled arrays, loaded into memory; a RotastackError if the file is damaged."""
    # A file is never written where it is read, so HDF5 needs no lock, which file systems may refuse.
    with unsealed(path), xr.open_dataset(path, engine="h5netcdf", driver_kwds={"locking": False}) as dataset:
        return dataset.load()


class Prepared:
    """A prepared data set: numeric columns, with NaN for missing values, category numbers, and free text.

    `texts` are columns of text with their numbers of components, the last places of `numeric`. Until :meth:`encoded`, these
    hold the number of each row's text, and zeros.

    `numeric` and `codes` have the shape (n_rows, number of such columns); in a column of `codes` with missing values,
    "missing" is number 0. `y` holds class numbers, or the target of a regression, which has no `classes`. `outputs` names
    a member's outputs, and `precision` is their stored type: float64 for a regression, since predictions may differ
    little. `groups`, `time` and `series` are numbers of each row's group, moment and series, or None, and `given` has for each column of
    splits the number of the fold that tests each row.
    """

    def __init__(self, frame: pd.DataFrame, about: dict[str, Any]):
        self.task: str = about["task"]
        self.classes: list[str] = about["classes"]
        numbers = self.task == "regression"
        self.y = frame["target"].to_numpy(dtype=np.float64 if numbers else np.intp)
        self.outputs = list(NUMBERS) if numbers else self.classes
        self.precision = np.float64 if numbers else np.float32
        self._n_without = int(about.get("encoding", "dummies") == "dummies")
        divided_by = about.get("divided_by", {})
        self.groups, self.time, self.series = (
            frame[divided_by[key]].to_numpy() if key in divided_by else None for key in ("groups", "time", "series")
        )
        self.series_name: str | None = about.get("series")
        splits = [key for key in divided_by if key.startswith("split")]  # a file sorts names: split 10 before split 2
        self.given = [frame[divided_by[key]].to_numpy() for key in sorted(splits, key=lambda key: int(key.split()[1]))]
        self.texts = [(frame[name], width) for name, width in about.get("texts", {}).items()]
        columns = frame.drop(columns=["target", *divided_by.values(), *about.get("texts", {})])
        categorical = columns.select_dtypes("category")
        self._numbers = columns.drop(columns=categorical.columns).to_numpy(dtype=np.float64)
        codes = [pd.factorize(text)[0][:, None] * np.eye(1, width) for text, width in self.texts]
        self.numeric = np.hstack([self._numbers, *codes])
        self.codes = (
            np.stack([categorical[c].cat.codes.to_numpy(dtype=np.intp) for c in categorical], axis=1)
            if categorical.shape[1]
            else np.empty((len(frame), 0), dtype=np.intp)
        )
        self.n_categories = [len(categorical[c].cat.categories) for c in categorical]
        self._has_missing = [categorical[c].cat.categories[0] == MISSING for c in categorical]
        self._unknown = (self.codes == 0) & np.array(self._has_missing, dtype=bool)

    def encoded(self, train: NDArray) -> "Prepared":
        """Return the data set with its text encoded by the words of the training rows, a mask or numbers."""
        if not self.texts:
            return self
        parts = [TextComponents(width).fit(text.iloc[train]).transform(text) for text, width in self.texts]
        result = copy(self)
        for name in ("X", "table"):
            vars(result).pop(name, None)
        result.numeric = np.hstack([self._numbers, *parts])
        return result

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None in a regression."""
        return len(self.classes) or None

    @property
    def positive(self) -> int:
        """Number of the positive class; 0 unless there are two classes."""
        return positive_class(self.y) if self.n_classes == 2 else 0

    @property
    def strata(self) -> NDArray[np.intp]:
        """Stratum of each row, to be spread evenly over folds: the class number, or 0 in a regression."""
        return self.y if self.classes else np.zeros(len(self.y), dtype=np.intp)

    @cached_property
    def X(self) -> NDArray[np.float64]:  # noqa: N802
        """The numeric columns, then 0/1 dummies: the input of estimators that need numbers."""
        without = [max(self._n_without, int(missing)) for missing in self._has_missing]
        return np.hstack([self.numeric, dummies(self.codes, self.n_categories, without)])

    @cached_property
    def is_dummy(self) -> NDArray[np.bool_]:
        """Mask of the columns of ``X`` that are dummies."""
        return np.arange(self.X.shape[1]) >= self.numeric.shape[1]

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The numeric columns, then category numbers (NaN if missing): the input of estimators that need categories."""
        return np.hstack([self.numeric, np.where(self._unknown, np.nan, self.codes)])

    @cached_property
    def is_category(self) -> NDArray[np.bool_]:
        """Mask of the columns of ``table`` that hold categories."""
        return np.arange(self.table.shape[1]) >= self.numeric.shape[1]


def read_prepared(path: str | Path) -> Prepared:
    """Return the prepared data set of a file."""
    return Prepared(*read_frame(path))
