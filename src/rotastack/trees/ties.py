"""Votes that are even."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["break_ties", "tied_rows"]


def tied_rows(shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows of (row, class) with more than one largest value."""
    return np.flatnonzero((shares == shares.max(axis=1, keepdims=True)).sum(axis=1) > 1)


def break_ties(shares: NDArray[np.float64], rows: NDArray[np.intp], sums: NDArray[np.float64], n_votes: int) -> None:
    """Put the class of the largest sum first where votes are even, by an amount that float32 keeps."""
    best = shares[rows] == shares[rows].max(axis=1, keepdims=True)
    sums = np.round(sums, 9)  # equal but for the order of adding
    winner = np.where(best, sums, -np.inf).argmax(axis=1)
    shares[rows, winner] += min(1e-5, 0.4 / n_votes)
    shares[rows] /= shares[rows].sum(axis=1, keepdims=True)
