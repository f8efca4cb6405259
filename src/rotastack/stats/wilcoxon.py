"""Wilcoxon's signed-rank test of two methods, and of many methods with Holm's correction."""

import itertools
from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from rotastack.errors import RotastackError, nearest
from rotastack.stats.missing import checked_scores, gaps


def contrasts(methods: list, control: object | None) -> tuple[list[tuple], pd.Index]:
    """Return the pairs of methods to compare (all without a control), and the index of the table of tests."""
    if control is None:
        pairs = list(itertools.combinations(methods, 2))
        return pairs, pd.MultiIndex.from_tuples(pairs)
    if control not in methods:
        suggestion = nearest(str(control), [str(m) for m in methods])
        raise RotastackError(f"control {control!r} is not a method{suggestion}")
    pairs = [(method, control) for method in methods if method != control]
    return pairs, pd.Index([method for method, _ in pairs])


_EXACT_TIES = 13
"""Largest number of differences with an exact p-value if there are ties or zeros, as in scipy."""


def signed_rank_p(differences: NDArray[np.floating]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; 1 if all differences are 0.

    Differences of 0 are left out. The p-value is exact for up to 50 differences without ties and zeros, and for up to 13
    with them; for more it is that of the normal approximation, as in `scipy.stats.wilcoxon`, which takes seconds for up to
    13 differences with ties or zeros: these are counted here, with the same result.
    """
    kept = differences[differences != 0]
    if not len(kept):
        return 1.0
    ranks = rankdata(np.abs(kept))
    if len(differences) > _EXACT_TIES or len(np.unique(ranks)) == len(differences):
        return float(wilcoxon(differences).pvalue)
    doubled = (2 * ranks).astype(int)  # Ties share mean ranks, so twice a rank is a whole number.
    shares, positive = shares_of_sums(doubled), doubled[kept > 0].sum()
    return float(min(1.0, 2 * min(shares[: positive + 1].sum(), shares[positive:].sum())))


def rank_biserial(differences: NDArray[np.floating]) -> float:
    """Return the matched-pairs rank-biserial correlation: the direction of the signed-rank test, from -1 to 1.

    This is the sum of the ranks of positive differences, minus that of negative ones, over the sum of all ranks; 0 if
    all differences are 0.

    References
    ----------
    Kerby, D. S. (2014). The simple difference formula: an approach to teaching nonparametric correlation. Comprehensive
    Psychology 3.
    """
    kept = differences[differences != 0]
    ranks = rankdata(np.abs(kept))
    return float(np.sign(kept) @ ranks / ranks.sum()) if len(kept) else 0.0


def shares_of_sums(ranks: Iterable[int]) -> NDArray[np.float64]:
    """Return the shares of all assignments of signs that have a sum of positive ranks of 0, 1, 2, ..."""
    shares = np.ones(1)
    for rank in ranks:
        gap = np.zeros(rank)
        shares = (np.concatenate([shares, gap]) + np.concatenate([gap, shares])) / 2
    return shares


def holm(p: pd.Series) -> pd.Series:
    """Return p-values adjusted by Holm's step-down procedure.

    The i-th smallest of m p-values is multiplied by m - i + 1. An adjusted value is at most 1, and at least as large
    as the adjusted values of all smaller p-values.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6.
    """
    order = np.argsort(p.to_numpy(), kind="stable")
    stepped = p.to_numpy()[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return pd.Series(adjusted, p.index)


def wilcoxon_holm(
    scores: pd.DataFrame, control: str | None, higher_is_better: bool, *, missing: str = "raise"
) -> pd.DataFrame:
    """Return two-sided signed-rank tests of methods over data sets, corrected by Holm's procedure.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    control : str or None
        Compare every other method with this one; None compares all pairs.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors. It only swaps wins and losses.
    missing : {"raise", "block", "pairs"}, default="raise"
        A missing score is an error; data sets that lack one are left out; or each pair of methods is compared on
        the data sets that have both.

    Returns
    -------
    DataFrame of shape (n_comparisons, 6)
        Index: methods, or pairs of methods. ``wins``, ``ties`` and ``losses`` are the numbers of data sets on which
        the method is better than, equal to and worse than the control (or the first of a pair than the second);
        ``effect`` is the :func:`rank_biserial` correlation, above 0 if the test favours the method, whose direction the mean
        need not have; ``p`` is the p-value of the test, and ``p_holm`` is adjusted for all comparisons of the table. Two methods with
        equal scores on every data set have p = 1; two methods that share no data set have p = NaN. Scores
        and differences that differ by rounding errors alone are ties.

    Raises
    ------
    RotastackError
        `control` is not a method; see also :func:`rotastack.stats.missing.checked_scores`.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1. Demsar, J. (2006).
    Statistical comparisons of classifiers over multiple data sets. JMLR 7, sections 3.1.3 and 3.2.2.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame(
    ...     {"A": [0.1, 0.2, 0.3, 0.4, 0.5], "B": [0.2, 0.4, 0.6, 0.8, 1.0], "C": [0.1, 0.2, 0.3, 0.4, 0.5]}
    ... )
    >>> wilcoxon_holm(errors, "A", higher_is_better=False)
       wins  ties  losses  effect       p  p_holm
    B     0     0       5    -1.0  0.0625   0.125
    C     0     5       0     0.0  1.0000   1.000
    """
    table = checked_scores(scores, missing, pairs=True, at_least=1)
    pairs, index = contrasts(list(table.columns), control)
    # 0.3 - 0.2 and 0.2 - 0.1 are a tie; without rounding, the noise of subtraction would rank them.
    differences = [d[~np.isnan(d)] for d in (gaps(table[one], table[other]) for one, other in pairs)]
    sign = 1 if higher_is_better else -1
    tests = pd.DataFrame(
        {
            "wins": [int((sign * d > 0).sum()) for d in differences],
            "ties": [int((d == 0).sum()) for d in differences],
            "losses": [int((sign * d < 0).sum()) for d in differences],
            "effect": [rank_biserial(sign * d) if len(d) else np.nan for d in differences],
            "p": [signed_rank_p(d) if len(d) else np.nan for d in differences],
        },
        index,
    )
    return tests.assign(p_holm=holm(tests["p"].dropna()))
