"""Numbers of groups, moments and folds, for protocols that divide rows by a column."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_datetime64_any_dtype, is_float_dtype
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from rotastack.base.categories import texts_of
from rotastack.base.columns import column_kind, date_numbers, numbers_of
from rotastack.base.reading import readings_of
from rotastack.data.artifacts import Prepared
from rotastack.errors import RotastackError, counted, nearest

READ = ("time", "series")
"""Keys of dividing columns that models read."""


def division_numbers(features: pd.DataFrame, column: str, key: str, where: str) -> NDArray[np.intp]:
    """Return the number of the group, series, moment or fold ("split 1", ...) of each row, for protocols that divide rows by a column.

    Numbers of folds are as in :class:`sklearn.model_selection.PredefinedSplit`: -1 is a row that no fold tests. In addition
    -2 is a row that is neither trained on nor tested. A RotastackError, which begins with `where`, names what is wrong with
    the column: it does not exist, has gaps, or holds no moments or folds.
    """
    if column not in features:
        raise RotastackError(f"{where}: protocol.{key}: column {column!r} not found{nearest(column, list(features))}")
    values = features[column]
    if key.startswith("split"):
        return _folds(values, f"{where}: protocol.columns: column {column!r}")
    if values.isna().any():
        raise RotastackError(
            f"{where}: protocol.{key}: column {column!r} is empty in {counted(int(values.isna().sum()), 'row')}"
        )
    if key in ("groups", "series"):
        return np.unique(texts_of(values).to_numpy(dtype=str), return_inverse=True)[1]
    read = readings_of(values.to_frame())[column].values(values)
    moments = date_numbers(read, ["days"])[:, 0] if column_kind(read).kind == "date" else numbers_of(read)
    if not np.isfinite(moments).all():
        wrong = values[~np.isfinite(moments)].iloc[0]
        raise RotastackError(
            f"{where}: protocol.time: column {column!r} holds {str(wrong)!r}, neither a number nor a date"
        )
    return np.unique(moments, return_inverse=True)[1]


def series_column(features: pd.DataFrame, moments: NDArray[np.intp]) -> str | None:
    """Return the column of categories or whole numbers that tells the rows of most moments apart, the values of several series.

    Each value occurs once in a moment, and on average in half of the moments or more.
    """
    n_moments, best = len(np.unique(moments)), (0.5, None)
    for name, column in features.items():
        if is_float_dtype(column.dtype) or is_datetime64_any_dtype(column.dtype) or column.isna().any():
            continue
        numbers = pd.factorize(texts_of(column))[0]
        share = len(moments) / (n_moments * (numbers.max() + 1)) if len(moments) >= 2 * n_moments else 0
        if share > best[0] and not pd.DataFrame({"series": numbers, "moment": moments}).duplicated().any():
            best = (share, str(name))
    return best[1]


def equal_rows(table: pd.DataFrame) -> NDArray[np.intp]:
    """Return a number for each row, the same for rows that are equal in all columns."""
    return np.unique(pd.util.hash_pandas_object(table, index=False), return_inverse=True)[1]


def copies_in(table: Prepared) -> NDArray[np.intp]:
    """Return a number for each row of a prepared data set, the same for rows that are equal in all columns."""
    return equal_rows(pd.DataFrame(np.hstack([table.numeric, table.codes])))


def united(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the smallest groups of rows that divide no group of either array.

    Examples
    --------
    >>> united(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]))
    array([0, 0, 0, 1], dtype=int32)
    """
    other = second + first.max() + 1
    pairs = coo_array((np.ones(len(first)), (first, other)), shape=(other.max() + 1,) * 2)
    return connected_components(pairs, directed=False)[1][first]


def _folds(values: pd.Series, where: str) -> NDArray[np.intp]:
    """Return the number of the fold that tests each row: -1 for "train", 0 for "test", -2 for an empty value."""
    names = {"train": -1, "test": 0}
    texts = values.dropna().astype(str).str.strip().str.lower()
    folds = texts.map(names) if texts.isin(names).any() else pd.to_numeric(texts, errors="coerce")
    bad = folds.isna() | (folds % 1 != 0) | (folds < -1)
    if bad.any():
        row = bad.idxmax()
        raise RotastackError(
            f"{where} holds {str(values[row])!r} in row {values.index.get_loc(row)}; allowed are train and test, or the number of the fold "
            "that tests the row (-1: none)"
        )
    if not len(folds):
        raise RotastackError(f"{where} is empty")
    if len(folds) < len(values) and not texts.isin(names).any():
        raise RotastackError(
            f"{where} is empty in {counted(len(values) - len(folds), 'row')}; write -1 for rows that no fold tests"
        )
    return folds.reindex(values.index, fill_value=-2).to_numpy(dtype=np.intp)
