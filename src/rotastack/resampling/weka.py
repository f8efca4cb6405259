"""The folds of WEKA's cross-validation, for studies that repeat published results."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.errors import RotastackError


def weka_folds(y: ArrayLike, n_folds: int = 10, seed: int = 1) -> NDArray[np.int16]:
    """Return the stratified folds that WEKA draws (``-x n_folds -s seed``).

    WEKA shuffles the rows, groups the rows of each class by swaps, and deals the rows out to the folds in turn.

    This is WEKA 3.6's ``weka.core.Instances`` (randomize, stratify, testCV), with rows in the order of WEKA's file.
    """
    _, codes = np.unique(np.asarray(y), return_inverse=True)
    n = len(codes)
    if n_folds < 2:
        raise RotastackError(f"n_folds must be at least 2, got {n_folds}")
    if n < n_folds:
        raise RotastackError(f"{n} rows cannot be split into {n_folds} folds")
    order, random = list(range(n)), _JavaRandom(seed)
    for j in range(n - 1, 0, -1):
        k = random.below(j + 1)
        order[j], order[k] = order[k], order[j]
    place = 1
    while place < n:
        of_first = codes[order[place - 1]]
        for j in range(place, n):
            if codes[order[j]] == of_first:
                order[place], order[j] = order[j], order[place]
                place += 1
        place += 1
    dealt = np.concatenate([order[start::n_folds] for start in range(n_folds)])
    folds = np.empty(n, dtype=np.int16)
    for fold, rows in enumerate(np.array_split(dealt, n_folds)):
        folds[rows] = fold
    return folds


class _JavaRandom:
    """A generator of the random numbers of ``java.util.Random``: linear congruential, with 48 bits."""

    def __init__(self, seed: int):
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def bits(self) -> int:
        """Return 31 random bits."""
        self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return self.state >> 17

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to `bound` - 1."""
        if bound & (bound - 1) == 0:
            return (bound * self.bits()) >> 31
        while True:
            drawn = self.bits()
            rest = drawn % bound
            if drawn - rest + (bound - 1) < 1 << 31:
                return rest
