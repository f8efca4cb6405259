"""Checks of votes for the diagnostics, which turn labels of any kind into class numbers."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["checked_labels", "checked_member_votes"]


def checked_member_votes(votes: ArrayLike, y: ArrayLike, mask: ArrayLike | None = None) -> tuple[Any, Any, Any]:
    """Return checked votes and true classes as class numbers, and the mask as booleans or None.

    Raises
    ------
    ValueError
        Shapes that do not match, or floating-point numbers, which cannot be labels.
    """
    labels, truth = np.asarray(votes), np.asarray(y)
    if labels.ndim != 2 or truth.shape != labels.shape[:1]:
        raise ValueError(f"votes must have shape (row, member) and y (row,), got {labels.shape} and {truth.shape}")
    if labels.dtype.kind not in "biuUSO" or truth.dtype.kind not in "biuUSO":
        raise ValueError("votes and y must be class labels")
    _, codes = np.unique(np.concatenate([truth, labels.ravel()]), return_inverse=True)
    return codes[len(truth) :].reshape(labels.shape), codes[: len(truth)], _checked_mask(mask, labels)


def checked_labels(votes: ArrayLike, mask: ArrayLike | None = None) -> tuple[Any, None, Any]:
    """Return checked votes as class numbers, None in place of true classes, and the mask as booleans or None.

    Raises
    ------
    ValueError
        Shapes that do not match, or floating-point numbers, which cannot be labels.
    """
    labels = np.asarray(votes)
    if labels.ndim != 2:
        raise ValueError(f"votes must have shape (row, member), got {labels.shape}")
    if labels.dtype.kind not in "biuUSO":
        raise ValueError("votes must be class labels")
    _, codes = np.unique(labels.ravel(), return_inverse=True)
    return codes.reshape(labels.shape), None, _checked_mask(mask, labels)


def _checked_mask(mask, votes):
    """Return the mask as booleans; a ValueError if its shape is not that of the votes."""
    if mask is None:
        return None
    mask = np.asarray(mask, dtype=bool)
    if mask.shape != votes.shape:
        raise ValueError(f"mask must have the shape of votes, {votes.shape}, got {mask.shape}")
    return mask
