"""Warnings that point to the line of the user's code that called the package."""

import threading
import warnings
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import currentframe
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from numpy.typing import NDArray

from rotastack.base.categories import texts_of
from rotastack.errors import shortened

_INSIDE = tuple(f"{Path(found).parent}/" for found in (Path(__file__).parent, np.__file__, sklearn.__file__))
"""Folders of the package, NumPy and scikit-learn: their lines may come between the user's call and the warning."""
SCALE_RATIO = 1000.0
"""Columns whose standard deviations differ by more than this factor need scaling before a view mixes them."""
_BLOCK = 1024  # rows at once in `_standard_deviations`
_LOCK = threading.Lock()
_open: list[Any] = []  # the filter of each block of ``ignoring`` that runs


@contextmanager
def ignoring(message: str = "", category: type[Warning] = Warning) -> Iterator[None]:
    """Ignore warnings in the block, also if several threads run such blocks at once.

    Python's own block restores the filters that a thread found when it began, and those of another thread would stay for good.
    This block takes back its own filter alone, unless another thread needs an equal one; the comment in its pattern makes the
    filter differ from the user's filters.
    """
    with _LOCK:
        warnings.filterwarnings("ignore", f"(?#rotastack){message}", category)
        mine: Any = warnings.filters[0]
        _open.append(mine)
    try:
        yield
    finally:
        with _LOCK:
            _open.remove(mine)
            if mine not in _open and mine in warnings.filters:
                warnings.filters.remove(mine)  # type: ignore[attr-defined]


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the innermost line outside of the package."""
    level, frame = 1, currentframe()
    while frame is not None and frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


UNSEEN = "column .* ((no|every) training row has|outside of the order)"
"""Pattern of the messages of :func:`warn_of_unseen`."""


def warn_of_unseen(
    columns: Iterable[tuple[Any, pd.Series, NDArray[np.bool_]]], then: str = "", ordered: Container[Any] = ()
) -> None:
    """Warn of values that no training row has: of each column its name, its values and the mask of the rows.

    Values outside of the order of an `ordered` column may be in training rows, too. The message ends with `then`. Rows count from 0.
    """
    found = []
    for name, values, rows in columns:
        missing = values.isna().to_numpy(dtype=bool)
        new = "have a category outside of the order" if name in ordered else "have a category that no training row has"
        for mask, what in ((rows & ~missing, new), (rows & missing, "lack a value that every training row has")):
            if mask.any():
                such = "" if mask[missing].any() else f"such as {texts_of(values[mask].iloc[:1]).iloc[0]!r}; "
                places = shortened(np.flatnonzero(mask), 5)
                found.append(f"column {name!r}: {mask.sum()} of {len(mask)} rows {what} ({such}rows {places})")
    if found:
        more = f"; {len(found) - 10} more columns" if len(found) > 10 else ""
        warn(f"{'; '.join(found[:10])}{more}{then}")


def warn_of_scales(X: NDArray[np.floating], names: Sequence[Any], use: str, advice: str) -> None:
    """Warn of columns whose standard deviations are far from those of the other columns.

    The message begins with `use`, the use of the columns, and ends with `advice`.
    """
    spread = _standard_deviations(X)
    spread = np.where(spread > 0, spread, np.nan)
    if np.isnan(spread).all() or np.nanmax(spread) <= SCALE_RATIO * np.nanmin(spread):
        return
    middle = np.nanmedian(spread)
    far = spread > np.sqrt(SCALE_RATIO) * middle
    far |= spread < middle / np.sqrt(SCALE_RATIO)
    if not far.any():  # no column is far from the median: name both extremes
        far = (spread == np.nanmax(spread)) | (spread == np.nanmin(spread))
    listed = shortened((f"{names[j]!r} ({spread[j]:.3g})" for j in np.flatnonzero(far).tolist()), 10)
    warn(
        f"{use}; standard deviations differ by a factor of "
        f"{np.nanmax(spread) / np.nanmin(spread):.3g}; far from the median ({middle:.3g}) are {listed}; {advice}"
    )


def _standard_deviations(X: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return ``X.std(axis=0)`` without a temporary array of the size of X."""
    mean = X.mean(axis=0)
    squares = sum(((X[i : i + _BLOCK] - mean) ** 2).sum(axis=0) for i in range(0, len(X), _BLOCK))
    return np.sqrt(squares / len(X))
