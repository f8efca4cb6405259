"""Comparison of two methods on the same data by wins and ties."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.errors import RotastackError

__all__ = ["PairedComparison", "compare_pair", "paired_scores"]


def paired_scores(x: ArrayLike, y: ArrayLike, at_least: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scores of two methods as arrays, or raise RotastackError if they are not finite pairs."""
    pair = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    for name, scores in zip("xy", pair, strict=True):
        if scores.ndim != 1:
            raise RotastackError(f"{name} must have one dimension, got shape {scores.shape}")
        if not np.isfinite(scores).all():
            raise RotastackError(f"{name} has scores that are not finite, at {np.flatnonzero(~np.isfinite(scores))[0]}")
    if len(pair[0]) != len(pair[1]):
        raise RotastackError(f"x and y must be pairs of scores, got {len(pair[0])} and {len(pair[1])}")
    if len(pair[0]) < at_least:
        raise RotastackError(f"x and y need at least {at_least} scores, got {len(pair[0])}")
    return pair


class PairedComparison(NamedTuple):
    """Result of :func:`compare_pair`: shares of wins and ties of two methods.

    Attributes
    ----------
    n : int
        Number of cells with a score of both methods.
    wins_first, ties, wins_second : float
        Shares of these cells; they sum to 1.
    difference : float
        Mean score of the first method minus that of the second.
    """

    n: int
    wins_first: float
    ties: float
    wins_second: float
    difference: float


def compare_pair(first: ArrayLike, second: ArrayLike, higher_is_better: bool) -> PairedComparison:
    """Return a comparison of the scores of two methods, cell by cell.

    Parameters
    ----------
    first, second : array-like of shape (n_cells,)
        Scores on the same cells; NaN for a missing score.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.

    Returns
    -------
    PairedComparison

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 1.6.5 and tables 1.3 to 1.5, 3.1.

    Examples
    --------
    >>> from rotastack.stats.pairs import compare_pair
    >>> compare_pair([0.1, 0.2, 0.3, 0.2], [0.1, 0.1, 0.2, 0.3], higher_is_better=False)[:4]
    (4, 0.25, 0.25, 0.5)
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    complete = np.isfinite(a) & np.isfinite(b)
    difference = np.round(a[complete] - b[complete], 12)
    n = len(difference)
    if not n:
        return PairedComparison(0, *[float("nan")] * 4)
    gain = -difference if not higher_is_better else difference
    return PairedComparison(
        n, float((gain > 0).mean()), float((gain == 0).mean()), float((gain < 0).mean()), float(difference.mean())
    )
