"""Votes as diagnostics take them: labels of any kind, turned into class numbers."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["checked_ballots", "checked_labels"]


def checked_ballots(votes: ArrayLike, y: ArrayLike, mask: ArrayLike | None = None) -> tuple[Any, Any, Any]:
    """Return votes and classes as class numbers, and the mask as it is.

    Raises
    ------
    ValueError
        Shapes that do not fit, or numbers that are no labels.
    """
    said, truth = np.asarray(votes), np.asarray(y)
    if said.ndim != 2 or truth.shape != said.shape[:1]:
        raise ValueError(
            f"votes must be (row, member) and y (row,), got shapes {said.shape} and {truth.shape}"
        )
    if said.dtype.kind not in "biuUSO" or truth.dtype.kind not in "biuUSO":
        raise ValueError("votes and y must be class labels")
    _, codes = np.unique(np.concatenate([truth, said.ravel()]), return_inverse=True)
    return codes[len(truth) :].reshape(said.shape), codes[: len(truth)], _checked_mask(mask, said)


def checked_labels(votes: ArrayLike, mask: ArrayLike | None = None) -> tuple[Any, None, Any]:
    """Return the same where there are no classes to compare with."""
    said = np.asarray(votes)
    if said.ndim != 2:
        raise ValueError(f"votes must be (row, member), got shape {said.shape}")
    if said.dtype.kind not in "biuUSO":
        raise ValueError("votes must be class labels")
    _, codes = np.unique(said.ravel(), return_inverse=True)
    return codes.reshape(said.shape), None, _checked_mask(mask, said)


def _checked_mask(mask, votes):
    if mask is None:
        return None
    mask = np.asarray(mask, dtype=bool)
    if mask.shape != votes.shape:
        raise ValueError(f"mask is of shape {mask.shape}, votes of {votes.shape}")
    return mask
