"""Arrays of integers in the narrowest type."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["narrow"]


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in the narrowest integer type that holds all numbers; other arrays are returned unchanged.

    Examples
    --------
    >>> narrow(np.array([3, 255])).dtype, narrow(np.array([-1, 255])).dtype
    (dtype('uint8'), dtype('int16'))
    >>> narrow(np.array([0.0, 2.0])).dtype, narrow(np.array([0.5])).dtype, narrow(np.array([-0.0])).dtype
    (dtype('uint8'), dtype('float64'), dtype('float64'))
    """
    if array.dtype.kind == "f" and not _whole(array):
        return array
    if not array.size:
        return array.astype(np.uint8)
    low, high = int(array.min()), int(array.max())
    kinds = (np.uint8, np.uint16, np.uint32) if low >= 0 else (np.int8, np.int16, np.int32)
    for kind in kinds:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array.astype(np.int64)


def _whole(array: NDArray[Any]) -> bool:
    """Return whether integers up to 2^32 represent all numbers exactly; no integer represents -0.0."""
    return not (np.signbit(array).any() or (array != np.rint(array)).any() or array.max(initial=0) > 2**32)
