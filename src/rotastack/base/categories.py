"""Names of categories, and their 0/1 dummies."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_scalar

MISSING = "(missing)"
"""Name of the category of missing values, which is the first category."""
DIFFERENCES = "spaces, capital letters or the coding of accents"


def alike(names: Iterable[str]) -> list[str]:
    """Return the names that differ from another one only in `DIFFERENCES`, side by side.

    >>> alike(["Ulm", "ULM", "Bonn", "K\u00f6ln", "Ko\u0308ln"])
    ['Ko\u0308ln', 'K\u00f6ln', 'ULM', 'Ulm']
    """
    bare = {name: " ".join(unicodedata.normalize("NFC", name).casefold().split()) for name in sorted(names)}
    keys = pd.Series(bare, dtype=object)
    return [*keys[keys.duplicated(keep=False)].sort_values(kind="stable").index]


def dummies(
    codes: NDArray[np.integer], counts: Sequence[int], without: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Return 0/1 dummies for category numbers, shape (n_rows, sum(counts) - sum(without)).

    `counts` are numbers of categories of each column, and `without` numbers of its first categories without a dummy, 1 by
    default. A number of `counts` or more is no category: all its dummies are 0.

    >>> dummies(np.array([[0], [2], [1]]), [3]).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    without = [1] * len(counts) if without is None else without
    firsts = zip(without, counts, strict=True)
    blocks = [codes[:, [k]] == np.arange(first, count) for k, (first, count) in enumerate(firsts)]
    return np.hstack([np.empty((len(codes), 0)), *blocks]).astype(np.float64)


def texts_of(column: pd.Series) -> pd.Series:
    """Return category names: text without blanks around, whole numbers without a decimal point, as 1 and 1.0 are one category."""
    return pd.Series(_by_value(column, _text, object), index=column.index, name=column.name, dtype=object)


def categories_of(column: pd.Series) -> list[str]:
    """Return the category names of a column: "(missing)", then text in alphabetical order.

    The categories of an ordered categorical column keep their order.
    """
    names = sorted(texts_of(column).unique(), key=lambda name: (name != MISSING, name))
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        names.sort(key=[MISSING, *map(_text, column.cat.categories)].index)
    return names


def category_numbers(column: pd.Series, categories: Sequence[str]) -> NDArray[np.intp]:
    """Return the place of each value among the category names; ``len(categories)`` for a value of another name.

    A number or truth value, whose text in the file is unknown, is also the only category of equal value, such as ``01``.
    """
    places = {name.strip(): place for place, name in enumerate(categories)}

    def place(value: Any) -> int:
        name = _text(value)
        if name in places or isinstance(value, str) or _is_missing(value):
            return places.get(name, len(places))
        equal = [place for other, place in places.items() if _same_value(name, other)]
        return equal[0] if len(equal) == 1 else len(places)

    return _by_value(column, place, np.intp)


def _same_value(text: str, other: str) -> bool:
    try:
        return float(text) == float(other)
    except ValueError:
        return text.lower() == other.lower()


def _by_value(column: pd.Series, convert: Callable[[Any], Any], dtype: Any) -> NDArray:
    """Return the converted values of a column; each distinct value is converted once.

    In a column of mixed types every value is converted, because equal values such as 1 and True have different names.
    """
    if infer_dtype(column, skipna=True).startswith("mixed"):
        return np.array([convert(value) for value in column], dtype=dtype)
    codes, values = pd.factorize(column)
    return np.array([*map(convert, values), convert(None)], dtype=dtype)[codes]


def _is_missing(value: Any) -> bool:
    return is_scalar(value) and bool(pd.isna(value))  # a list has an answer for each element


def _text(value: Any) -> str:
    if _is_missing(value):
        return MISSING
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()
