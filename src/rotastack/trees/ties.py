"""Ties between votes."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["break_ties", "tied_rows"]


def tied_rows(shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows of `shares`, (row, class), in which several classes have the largest share."""
    return np.flatnonzero((shares == shares.max(axis=1, keepdims=True)).sum(axis=1) > 1)


def break_ties(shares: NDArray[np.float64], rows: NDArray[np.intp], sums: NDArray[np.float64], n_votes: int) -> None:
    """Raise, in tied `rows`, the share of the tied class with the largest sum by an amount that float32 still holds."""
    best = shares[rows] == shares[rows].max(axis=1, keepdims=True)
    sums = np.round(sums, 9)  # sums that differ only by the order of addition are equal
    winner = np.where(best, sums, -np.inf).argmax(axis=1)
    shares[rows, winner] += min(1e-5, 0.4 / n_votes)
    shares[rows] /= shares[rows].sum(axis=1, keepdims=True)
