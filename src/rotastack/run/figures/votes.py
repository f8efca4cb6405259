"""The votes of a pool's members on the test rows of its first cell, from the file of its first block."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from rotastack.data.artifacts import read_arrays

__all__ = ["PoolVotes", "first_cell_votes"]


class PoolVotes(NamedTuple):
    """The votes of a pool's members on rows that they were not trained on.

    Attributes
    ----------
    votes : ndarray of int of shape (n_rows, n_members)
        Class numbers; -1 where a member has no vote.
    y : ndarray of int of shape (n_rows,)
        Classes of the rows.
    cell : str
        Name of the cell, such as ``S-01`` or ``RG-01, FG-01``.
    """

    votes: NDArray[np.int64]
    y: NDArray[np.int64]
    cell: str


def first_cell_votes(path: Path, y: NDArray[np.intp], folds: pd.DataFrame) -> PoolVotes | None:
    """Return the votes of the first cell; None if the pool failed.

    If the file has an ensemble's own votes, these are returned; else each member votes for its most probable class.
    In nested cross-validation a row's vote comes from the model trained without the row's fold alone.

    Parameters
    ----------
    path : Path
        File of the pool's first block.
    y : ndarray of int of shape (n_rows,)
        Classes of the data set's rows.
    folds : DataFrame
        The data set's folds, a column for each fold group.
    """
    block = read_arrays(path)
    if block.attrs["status"] != "ok":
        return None
    if "split" in block.dims:
        return _of_split(block, y)
    cell = block.isel(rotation_group=0, fold_group=0)
    group = str(cell.fold_group.values)
    fold = folds[group].to_numpy()
    outputs = cell["proba"].transpose("other_fold", "row", "member", "class").values
    votes = outputs[fold, np.arange(len(y))].argmax(axis=-1)
    return PoolVotes(votes, np.asarray(y), f"{cell.rotation_group.values}, {group}")


def _of_split(block: xr.Dataset, y: NDArray[np.intp]) -> PoolVotes:
    cell = block.isel(split=0)
    rows = cell["rows"].values
    is_row = rows >= 0
    if "votes" in cell:
        votes = cell["votes"].transpose("row", "voter").values[is_row].astype(np.int64)
        votes = votes[:, (votes >= 0).any(axis=0)]  # other splits may have more voters
    else:
        votes = cell["proba"].transpose("row", "member", "class").values[is_row].argmax(axis=-1)
    return PoolVotes(votes, np.asarray(y)[rows[is_row]], str(cell.split.values))
