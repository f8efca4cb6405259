"""Scores without rounding errors, which are relative to the scale of the scores."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

__all__ = ["gaps", "rounded", "tolerance"]


def tolerance(*scores: ArrayLike) -> float:
    """Return the largest difference of scores that counts as a rounding error.

    The difference is 1e-12 of the largest score, or of 1 if the largest score lies between 0.001 and 1; below, it is 1e-9 of
    the largest score.
    """
    largest = max(float(np.abs(np.asarray(part)).max(initial=0)) for part in scores)
    return min(1e-12 * max(1.0, largest), 1e-9 * largest)


def rounded(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores in which those of a row that differ by rounding errors alone are equal.

    Scores below 10 keep 12 decimals, and larger ones 13 digits. In a row whose largest score is below 0.001, scores keep
    10 digits of the largest.
    """
    values = scores.to_numpy(dtype=np.float64)
    sizes = np.where(np.isfinite(values), np.abs(values), 0)
    scale = np.minimum(sizes.max(axis=1, keepdims=True, initial=0), 1)
    return pd.DataFrame(_rounded(values, np.maximum(sizes, scale)), scores.index, scores.columns)


def gaps(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the first scores minus the second ones, in which those that differ by rounding errors alone are equal."""
    a, b = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    return _rounded(a - b, np.maximum(np.abs(a), np.abs(b)))


def _rounded(values: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values without the digits that scores of the `sizes` do not have."""
    values = values.copy()
    exponents = np.floor(np.log10(np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1))).astype(int)
    places = np.minimum(12 - np.where(exponents < 0, np.minimum(exponents + 3, 0), exponents), 300)
    for number in np.unique(places):
        values[places == number] = values[places == number].round(number)
    return values
