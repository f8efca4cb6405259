"""Whole numbers in as few bytes as they take."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["narrow"]


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers as the narrowest type that holds them all.

    Examples
    --------
    >>> narrow(np.array([3, 255])).dtype, narrow(np.array([-1, 255])).dtype
    (dtype('uint8'), dtype('int16'))
    """
    if not len(array):
        return array.astype(np.uint8)
    low, high = int(array.min()), int(array.max())
    kinds = (np.uint8, np.uint16, np.uint32) if low >= 0 else (np.int8, np.int16, np.int32)
    for kind in kinds:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array.astype(np.int64)
