"""Power of a comparison of two methods, by the number of data sets or repeats."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata
from scipy.stats import t as t_distribution

from rotastack.errors import RotastackError
from rotastack.seeds import root_sequence
from rotastack.stats.pairs import paired_scores
from rotastack.stats.wilcoxon import shares_of_sums

__all__ = ["Power", "power"]

_EXACT = 50  # With more data sets the signed-rank test uses the normal approximation, as in scipy.


class Power(NamedTuple):
    """Result of :func:`power`.

    Attributes
    ----------
    power : Series
        Share of simulations in which the test is significant, by number of data sets or repeats.
    needed : int or None
        Smallest number with a power of at least `wished`; None if no number up to `at_most` has this power.
    difference, sd : float
        Mean and standard deviation of the observed differences.
    """

    power: pd.Series
    needed: int | None
    difference: float
    sd: float


def power(
    x: ArrayLike,
    y: ArrayLike,
    sizes: Sequence[int] = (5, 10, 20, 50, 100),
    *,
    test: str = "wilcoxon",
    n_train: float | None = None,
    n_test: float | None = None,
    alpha: float = 0.05,
    wished: float = 0.8,
    n_simulations: int = 2000,
    at_most: int = 1000,
    random_state: object = 0,
) -> Power:
    r"""Simulate the power of a test of two methods, by the number of data sets or repeats.

    The simulation assumes that differences of further scores are like the observed differences. So the power helps to
    plan the next study. It is no evidence on this study, because the power at an observed difference is a function
    of the p-value. A difference that is small by chance makes `needed` large, and the other way round.

    ``test="wilcoxon"``: x and y are scores on data sets. The differences on further data sets are drawn, with
    replacement, from the observed differences, and tested by Wilcoxon's signed-rank test. A difference that is
    drawn twice counts as two almost equal differences, not as a tie. Differences of 0 are left out.
    Fewer than about ten data sets give little information on the tails.

    ``test="corrected_t"``: x and y are scores on repeated splits of one data set. Differences of further
    repeats are normal, with the observed mean and standard deviation s, and share a part of variance
    :math:`s^2 n_{test} / n_{train}`, as the corrected resampled t test assumes. This part does not
    average out: the power rises with repeats to a limit that may be far below 1. More rows raise this limit,
    more repeats do not.

    Parameters
    ----------
    x, y : array-like of shape (n_pairs,)
        Observed scores of two methods on the same data sets, or on the same splits.
    sizes : sequence of int
        Numbers of data sets or repeats at which the power is returned.
    test : {"wilcoxon", "corrected_t"}, default="wilcoxon"
        The test: over data sets, or over repeated splits of one data set.
    n_train, n_test : float, optional
        For "corrected_t": rows in the training set and in the test set of each split, or their shares.
    alpha : float, default=0.05
        Level of the two-sided test.
    wished : float, default=0.8
        Power that `needed` should reach.
    n_simulations : int, default=2000
        Number of simulations. The standard error of a power p is ``sqrt(p (1 - p) / n_simulations)``, at most 0.011
        with 2000.
    at_most : int, default=1000
        Largest number of data sets or repeats that is tried for `needed`.
    random_state : None, int, SeedSequence, Generator or RandomState, default=0
        Seed.

    Returns
    -------
    Power

    Raises
    ------
    RotastackError
        Scores that are not finite, or not pairs; fewer than two pairs; or an option that makes no sense.

    Examples
    --------
    One method is better by half a point on average, and by chance worse on every third data set:

    >>> from rotastack.stats import power
    >>> first = [0.80, 0.75, 0.91, 0.66, 0.88, 0.72, 0.95, 0.83, 0.79]
    >>> second = [0.81, 0.77, 0.90, 0.67, 0.90, 0.71, 0.96, 0.84, 0.775]
    >>> found = power(first, second, sizes=[5, 20, 50])
    >>> found.power.round(1).to_dict(), found.needed > 20
    ({5: 0.0, 20: 0.3, 50: 0.7}, True)
    """
    x, y = paired_scores(x, y, at_least=2)
    _check(sizes, test, n_train, n_test, alpha, wished, n_simulations, at_most)
    differences = np.round(x - y, 12)
    mean, sd = float(differences.mean()), float(differences.std(ddof=1))
    rng = np.random.default_rng(root_sequence(random_state))
    if test == "wilcoxon":
        shares = _over_data_sets(differences, alpha, n_simulations, rng)
    else:
        assert n_train is not None
        assert n_test is not None
        shares = _over_repeats(mean, sd, n_test / n_train, alpha, n_simulations, rng)
    powers, needed = {}, None
    for number, share in enumerate(shares, 1):
        if number in sizes:
            powers[number] = share
        if needed is None and share >= wished and number <= at_most:
            needed = number
        if number >= max(sizes) and (needed is not None or number >= at_most):
            break
    return Power(pd.Series({size: powers[size] for size in sizes}, name="power"), needed, mean, sd)


def _check(sizes, test, n_train, n_test, alpha, wished, n_simulations, at_most) -> None:
    """Raise RotastackError for options of :func:`power` that make no sense."""
    if test not in ("wilcoxon", "corrected_t"):
        raise RotastackError(f"test must be wilcoxon or corrected_t, got {test!r}")
    for name, share in [("alpha", alpha), ("wished", wished)]:
        if not 0 < share < 1:
            raise RotastackError(f"{name} must lie between 0 and 1, got {share}")
    for name, number in [("n_simulations", n_simulations), ("at_most", at_most), *(("sizes", s) for s in sizes)]:
        if not isinstance(number, (int, np.integer)) or number < 1:
            raise RotastackError(f"{name} must be a whole number of at least 1, got {number!r}")
    if not len(sizes):
        raise RotastackError("sizes must name at least one number of data sets or repeats")
    for name, size in [("n_train", n_train), ("n_test", n_test)]:
        if test == "wilcoxon" and size is not None:
            raise RotastackError(f"{name} is for test='corrected_t' only")
        if test == "corrected_t" and (size is None or not (np.isfinite(size) and size > 0)):
            raise RotastackError(f"{name} must be a number above 0 for test='corrected_t', got {size}")


def _over_data_sets(
    differences: NDArray[np.float64], alpha: float, n_simulations: int, rng: np.random.Generator
) -> Iterator[float]:
    """Yield the share of simulations in which the signed-rank test is significant, for 1, 2, ... data sets.

    The rank of a draw follows from the numbers of draws of each distinct absolute difference.
    """
    sizes = rankdata(np.abs(differences), method="dense").astype(np.intp) - 1
    drawn = np.zeros((n_simulations, int(sizes.max()) + 1))
    positive = np.zeros_like(drawn)
    rows = np.arange(n_simulations)
    has_zero = bool((differences == 0).any())
    n = 0
    while True:
        n += 1
        picked = rng.integers(len(differences), size=n_simulations)
        drawn[rows, sizes[picked]] += 1
        positive[rows, sizes[picked]] += differences[picked] > 0
        counted = drawn[:, 1:] if has_zero else drawn
        mean_ranks = np.cumsum(counted, axis=1) - (counted - 1) / 2
        statistic = (mean_ranks * (positive[:, 1:] if has_zero else positive)).sum(axis=1)
        seen = signed_rank_test(statistic, counted.sum(axis=1).astype(int), exact=n <= _EXACT) <= alpha
        yield float(seen.mean())


def signed_rank_test(statistic: NDArray, n: NDArray[np.integer], exact: bool) -> NDArray[np.float64]:
    """Return two-sided p-values of sums of positive ranks of `n` differences without ties, and 1 for n = 0."""
    least = np.minimum(statistic, n * (n + 1) / 2 - statistic)
    p = np.ones(len(n))
    for number in np.unique(n[n > 0]):
        here = n == number
        if exact:
            p[here] = 2 * _cumulated(int(number))[np.ceil(least[here]).astype(int)]
        else:
            sd = np.sqrt(number * (number + 1) * (2 * number + 1) / 24)
            p[here] = 2 * norm.cdf((least[here] - number * (number + 1) / 4) / sd)
    return np.minimum(p, 1.0)


@cache
def _cumulated(n: int) -> NDArray[np.float64]:
    """Return the distribution function of the sum of positive ranks of n differences that are symmetric around 0."""
    return np.cumsum(shares_of_sums(range(1, n + 1)))


def _over_repeats(
    mean: float, sd: float, ratio: float, alpha: float, n_simulations: int, rng: np.random.Generator
) -> Iterator[float]:
    """Yield the share of simulations in which the corrected t test is significant, for 1, 2, ... repeats.

    One repeat has no variance, so its share is 0.
    """
    shared = np.sqrt(ratio) * rng.standard_normal(n_simulations)
    total = rng.standard_normal(n_simulations)
    squares = total**2
    yield 0.0
    n = 1
    while True:
        n += 1
        own = rng.standard_normal(n_simulations)
        total += own
        squares += own**2
        spread = sd * np.sqrt(np.maximum(squares - total**2 / n, 0) / (n - 1))
        error = spread * np.sqrt(1 / n + ratio)
        distance = np.abs(mean + sd * (shared + total / n))
        yield float((distance > t_distribution.ppf(1 - alpha / 2, n - 1) * error).mean())
