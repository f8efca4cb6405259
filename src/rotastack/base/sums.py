"""Sums over members, member by member: NumPy's order of adding depends on how many rows stand beside each other."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["mean_of", "weighted_sum"]


def weighted_sum(weights: Iterable[float], members: Iterable[ArrayLike]) -> NDArray[np.float64]:
    """Return the sum of members of any one shape, each times its weight; a row's is the same in whatever company.

    Examples
    --------
    >>> weighted_sum([2.0, 0.5], np.array([[1.0, 2.0], [4.0, 6.0]]))
    array([4., 7.])
    """
    terms = (weight * np.asarray(member) for weight, member in zip(weights, members, strict=True))
    total = next(terms)
    for term in terms:
        total += term
    return total


def mean_of(members: Sequence[NDArray] | NDArray) -> NDArray[np.float64]:
    """Return the mean over members."""
    return weighted_sum([1.0] * len(members), members) / len(members)
