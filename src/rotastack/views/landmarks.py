"""Landmarks: the random rows that a view is fitted on."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct_rows"]


def distinct_rows(X: NDArray, n_landmarks: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the numbers of at most `n_landmarks` random rows, no two equal, ascending."""
    order = rng.permutation(len(X))
    found: dict[bytes, int] = {}
    for start in range(0, len(order), n_landmarks):
        numbers = order[start : start + n_landmarks]
        block = np.ascontiguousarray(X[numbers]) + 0.0  # -0.0 is 0.0
        size, content = block[0].nbytes, block.tobytes()
        for k, number in enumerate(numbers):
            found.setdefault(content[k * size : (k + 1) * size], number)
        if len(found) >= n_landmarks:
            break
    return np.sort(np.fromiter(found.values(), np.intp, len(found))[:n_landmarks])
