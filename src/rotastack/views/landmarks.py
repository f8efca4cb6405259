"""Landmarks: random rows that a view is fitted on."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct_rows"]


def distinct_rows(X: NDArray, n_landmarks: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the numbers, ascending, of at most `n_landmarks` random rows, of which no two are equal."""
    order = rng.permutation(len(X))
    numbers_by_content: dict[bytes, int] = {}
    for start in range(0, len(order), n_landmarks):
        numbers = order[start : start + n_landmarks]
        block = np.ascontiguousarray(X[numbers]) + 0.0  # Adding 0 turns -0.0 into 0.0.
        size, content = block[0].nbytes, block.tobytes()
        for k, number in enumerate(numbers):
            numbers_by_content.setdefault(content[k * size : (k + 1) * size], number)
        if len(numbers_by_content) >= n_landmarks:
            break
    return np.sort(np.fromiter(numbers_by_content.values(), np.intp, len(numbers_by_content))[:n_landmarks])
