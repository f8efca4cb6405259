"""Categories: their names, and their 0/1 columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype

__all__ = ["MISSING", "dummies", "texts_of"]

MISSING = "(missing)"
"""Name of the category of missing values; it comes first."""


def dummies(
    codes: NDArray[np.integer], counts: Sequence[int], without: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Return 0/1 columns for numbers of categories: one for each category but the first.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows, n_columns)
        A number of `counts` or more belongs to no category.
    counts : sequence of int of length n_columns
        Categories of each column.
    without : sequence of int of length n_columns, optional
        How many of the first categories of each column have none; by default 1.

    Returns
    -------
    ndarray of shape (n_rows, sum(counts) - sum(without))

    Examples
    --------
    >>> dummies(np.array([[0], [2], [1]]), [3]).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    without = [1] * len(counts) if without is None else without
    firsts = zip(without, counts, strict=True)
    blocks = [codes[:, [k]] == np.arange(first, count) for k, (first, count) in enumerate(firsts)]
    return np.hstack([np.empty((len(codes), 0)), *blocks]).astype(np.float64)


def texts_of(column: pd.Series) -> pd.Series:
    """Return category names: whole numbers without a decimal point, so that 1 and 1.0 are one.

    Each distinct value is looked at once. Where values of several types stand side by side, such as 1 and True, which
    are equal and named differently, every value is.
    """
    if infer_dtype(column, skipna=True).startswith("mixed"):
        texts = np.array([_text(value) for value in column], dtype=object)
    else:
        codes, values = pd.factorize(column)
        texts = np.array([*map(_text, values), MISSING], dtype=object)[codes]
    return pd.Series(texts, index=column.index, name=column.name, dtype=object)


def _text(value: Any) -> str:
    if pd.isna(value):
        return MISSING
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
