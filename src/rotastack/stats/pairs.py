"""Comparison of two methods on the same data by wins and ties."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.errors import RotastackError
from rotastack.stats.missing import gaps, tolerance


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
    """Cells with scores of both methods, shares of them that each wins, and the first mean minus the second."""

    n: int
    wins_first: float
    ties: float
    wins_second: float
    difference: float


def compare_pair(first: ArrayLike, second: ArrayLike, higher_is_better: bool) -> PairedComparison:
    """Return a comparison of two methods, cell by cell, without missing scores (Blaser's thesis, section 1.6.5)."""
    scores = np.array([first, second], dtype=float)
    a, b = scores[:, np.isfinite(scores).all(axis=0)]
    if not len(a):
        return PairedComparison(0, *[float("nan")] * 4)
    difference = np.where(np.abs(a - b) > tolerance(a, b), gaps(a, b), 0.0)
    gain = difference if higher_is_better else -difference
    wins, ties, losses = (float(part.mean()) for part in (gain > 0, gain == 0, gain < 0))
    return PairedComparison(len(difference), wins, ties, losses, float(difference.mean()))
