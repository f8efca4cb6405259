"""Votes of members as class numbers, for the diagnostics."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def coded_votes(
    votes: ArrayLike, y: ArrayLike | None = None, mask: ArrayLike | None = None
) -> tuple[NDArray[np.integer], int, Any]:
    """Return votes as class numbers, -1 where the mask is False; the number of classes; the true class numbers or None."""
    labels = np.asarray(votes)
    given = [labels] if y is None else [labels, np.asarray(y)]
    if labels.ndim != 2 or (y is not None and given[1].shape != labels.shape[:1]):
        shapes = " and ".join(str(a.shape) for a in given)
        raise ValueError(f"votes must have shape (row, member) and y, if given, (row,), got {shapes}")
    kinds = {a.dtype.kind for a in given}
    if kinds - set("biuUSO") or (kinds & set("US") and kinds & set("biu")):  # NumPy would turn numbers into names
        raise ValueError("votes and y must be class labels, both names or both numbers")
    _, found = np.unique(np.concatenate([a.ravel() for a in given]), return_inverse=True)
    codes, truth = found[: labels.size].reshape(labels.shape), found[labels.size :]
    if mask is not None:
        counted = np.asarray(mask, dtype=bool)
        if counted.shape != labels.shape:
            raise ValueError(f"mask must have the shape of votes, {labels.shape}, got {counted.shape}")
        codes = np.where(counted, codes, -1)
    return codes, 1 + int(found.max(initial=-1)), None if y is None else truth
