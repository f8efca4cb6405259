"""Pairs of methods that a table of tests compares."""

import itertools

import pandas as pd

from rotastack.errors import RotastackError, nearest

__all__ = ["contrasts"]


def contrasts(methods: list, control: object | None) -> tuple[list[tuple], pd.Index]:
    """Return the pairs of methods to compare, and the index of the table of tests.

    Parameters
    ----------
    methods : list
        Names of the methods.
    control : object or None
        Compare every other method with this one; None compares all pairs.

    Raises
    ------
    RotastackError
        `control` is not a method.

    Examples
    --------
    >>> contrasts(["A", "B", "C"], "B")[0]
    [('A', 'B'), ('C', 'B')]
    """
    if control is None:
        pairs = list(itertools.combinations(methods, 2))
        return pairs, pd.MultiIndex.from_tuples(pairs)
    if control not in methods:
        suggestion = nearest(str(control), [str(m) for m in methods])
        raise RotastackError(f"control {control!r} is not a method{suggestion}")
    pairs = [(method, control) for method in methods if method != control]
    return pairs, pd.Index([method for method, _ in pairs])
