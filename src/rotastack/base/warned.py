"""Warn at the line of whoever called into the package."""

import warnings
from collections.abc import Sequence
from inspect import currentframe
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray

__all__ = ["warn", "warn_of_scales"]

_INSIDE = tuple(f"{Path(found).parent}/" for found in (Path(__file__).parent, np.__file__, sklearn.__file__))
"""Folders of the package, and of those whose decorators and pipelines stand between it and its callers."""
SCALE_RATIO = 1000.0
"""Columns whose spreads differ by more than this need scaling before they are mixed."""


def warn(message: str) -> None:
    """Warn of `message` at the innermost line outside of the package."""
    level, frame = 1, currentframe()
    while frame is not None and frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def warn_of_scales(X: NDArray[np.floating], names: Sequence[Any], what: str, advice: str) -> None:
    """Warn of columns whose spread is far from that of the others.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    names : sequence
        What to call the columns.
    what : str
        What is done with them: the beginning of the message.
    advice : str
        Its end.
    """
    spread = _standard_deviations(X)
    spread = np.where(spread > 0, spread, np.nan)
    if np.isnan(spread).all() or np.nanmax(spread) <= SCALE_RATIO * np.nanmin(spread):
        return
    middle = np.nanmedian(spread)
    far = spread > np.sqrt(SCALE_RATIO) * middle
    far |= spread < middle / np.sqrt(SCALE_RATIO)
    if not far.any():  # no middle to be far from: the two ends
        far = (spread == np.nanmax(spread)) | (spread == np.nanmin(spread))
    told = ", ".join(f"{names[j]!r} ({spread[j]:.3g})" for j in np.flatnonzero(far)[:10])
    more = f" and {far.sum() - 10} more" if far.sum() > 10 else ""
    warn(
        f"{what}, and their standard deviations differ by a factor of "
        f"{np.nanmax(spread) / np.nanmin(spread):.3g}: far from the others' ({middle:.3g}) are {told}{more}; {advice}"
    )


def _standard_deviations(X: NDArray[np.floating], block: int = 1024) -> NDArray[np.floating]:
    """Return ``X.std(axis=0)`` without a second table of the size of X."""
    mean = X.mean(axis=0)
    squares = sum(((X[i : i + block] - mean) ** 2).sum(axis=0) for i in range(0, len(X), block))
    return np.sqrt(squares / len(X))
