"""Friedman's test, corrected for ties, and the F of Iman and Davenport."""

from functools import lru_cache
from itertools import permutations
from math import exp, lgamma
from sys import float_info
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import f as f_distribution

from rotastack.errors import RotastackError
from rotastack.stats.ranks import rank_table


class FriedmanResult(NamedTuple):
    """Result of :func:`friedman`.

    Attributes
    ----------
    chi2 : float
        Friedman's statistic, corrected for ties.
    F : float
        Iman and Davenport's statistic.
    df : tuple of int
        Degrees of freedom of F.
    p : float
        p-value of Friedman's test, above 0.
    """

    chi2: float
    F: float
    df: tuple[int, int]
    p: float


def friedman(scores: pd.DataFrame, higher_is_better: bool, *, missing: str = "raise") -> FriedmanResult:
    """Test by ranks whether all methods are equal over data sets.

    ``chi2`` is Friedman's statistic with the correction for ties. For N data sets and k methods,
    ``F = (N - 1) chi2 / (N (k - 1) - chi2)`` has k - 1 and (k - 1)(N - 1) degrees of freedom (Iman and Davenport,
    1980). If all data sets agree perfectly, F is infinite. If all methods are tied on all data sets, both statistics
    are 0 and p is 1.

    If the methods are equal, all orders of the ranks of a data set are equally probable. ``p`` is the share of orders
    with a statistic at least as large: exact where this takes at most 300,000 sums of ranks (6 data sets with 5 methods,
    15 with 4, 60 with 3), else, for up to 10 data sets and 20 methods, of 9,999 random orders, always the same. For
    larger tables it is the p-value of F, which is too small for few data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    missing : {"raise", "block"}, default="raise"
        A missing score is an error, or data sets that lack one are left out.

    Raises
    ------
    RotastackError
        Fewer than 2 data sets; see also :func:`rotastack.stats.missing.checked_scores`.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [1, 2, 1.0], "B": [2, 1, 2.0], "C": [3, 3, 3.0]})
    >>> result = friedman(errors, higher_is_better=False)
    >>> round(result.chi2, 3), round(result.F, 3), result.df, round(result.p, 3)
    (4.667, 7.0, (2, 4), 0.194)
    """
    ranks = rank_table(scores, higher_is_better, missing=missing).to_numpy()
    n, k = ranks.shape
    if n < 2:
        raise RotastackError(f"Friedman's test needs at least 2 data sets, got {n}")
    spread = (ranks**2).sum() - n * k * (k + 1) ** 2 / 4
    df = (k - 1, (k - 1) * (n - 1))
    if spread < 1e-9:
        return FriedmanResult(0.0, 0.0, df, 1.0)
    between = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
    chi2 = float((k - 1) * between / spread)
    rest = n * (k - 1) - chi2
    big_f = (n - 1) * chi2 / rest if rest > 1e-9 * n * k else float("inf")
    # Ties share mean ranks, so twice a rank is a whole number.
    told_apart = (2 * ranks[np.ptp(ranks, axis=1) > 0]).astype(np.int64)
    null = _null_squares(tuple(sorted(tuple(sorted(row)) for row in told_apart.tolist())))
    if null is None:  # 1 / k! to the power of n - 1 is the least p-value
        p = max(float(f_distribution.sf(big_f, *df)), exp((1 - n) * lgamma(k + 1)), float_info.min)
    else:
        squares, shares = null
        p = float(shares[squares >= (told_apart.sum(axis=0) ** 2).sum()].sum())
    return FriedmanResult(chi2, big_f, df, min(p, 1.0))


_MOST_SUMS, _DRAWS = 300_000, 9_999
"""Largest number of sums of ranks for an exact p-value, and the number of random orders."""


@lru_cache(maxsize=32)
def _null_squares(rows: tuple[tuple[int, ...], ...]) -> tuple[NDArray, NDArray[np.float64]] | None:
    """Return sums of squared rank sums of equal methods and their shares; None if the table is too large.

    If orders are drawn, the observed one is another one of them, with an infinite sum.
    """
    n, k = len(rows), len(rows[0])
    sums, shares, work = np.array(rows[:1]), np.ones(1), 0 if k <= 8 else _MOST_SUMS + 1
    # Methods may be renamed: so the first row stays as it is, and sums are sorted.
    for row in reversed(rows[1:] if k <= 8 else ()):
        orders = np.array(list(set(permutations(row))))
        work += len(sums) * len(orders)
        if work > _MOST_SUMS:
            break
        added = np.sort((sums[:, None] + orders).reshape(-1, k), axis=1)
        counted = pd.Series(np.repeat(shares / len(orders), len(orders))).groupby(list(added.T)).sum()
        sums, shares = counted.index.to_frame().to_numpy(), counted.to_numpy()
    if work <= _MOST_SUMS:
        return (sums**2).sum(axis=1), shares
    if n > 10 or k > 20:
        return None
    drawn = np.random.default_rng(0).permuted(np.tile(rows, (_DRAWS, 1, 1)), axis=2).sum(axis=1)
    return np.append((drawn**2).sum(axis=1), np.inf), np.full(_DRAWS + 1, 1 / (_DRAWS + 1))
