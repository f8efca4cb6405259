"""Friedman's test, corrected for ties, and the F of Iman and Davenport."""

from typing import NamedTuple

import pandas as pd
from scipy.stats import f as f_distribution

from rotastack.errors import RotastackError
from rotastack.stats.ranks import rank_table

__all__ = ["FriedmanResult", "friedman"]


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
        p-value of F.
    """

    chi2: float
    F: float
    df: tuple[int, int]
    p: float


def friedman(scores: pd.DataFrame, higher_is_better: bool, *, missing: str = "raise") -> FriedmanResult:
    """Test by ranks whether all methods are equal over data sets.

    ``chi2`` is Friedman's statistic with the correction for ties. For N data sets and k methods,
    ``F = (N - 1) chi2 / (N (k - 1) - chi2)`` has k - 1 and (k - 1)(N - 1) degrees of freedom (Iman and Davenport,
    1980), and ``p`` is the p-value of F. If all data sets agree perfectly, F is infinite and p is 0. If all
    methods are tied on all data sets, both statistics are 0 and p is 1.

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
    >>> round(result.chi2, 3), round(result.F, 3), result.df
    (4.667, 7.0, (2, 4))
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
    if rest < 1e-9 * n * k:
        return FriedmanResult(chi2, float("inf"), df, 0.0)
    big_f = (n - 1) * chi2 / rest
    return FriedmanResult(chi2, big_f, df, float(f_distribution.sf(big_f, *df)))
