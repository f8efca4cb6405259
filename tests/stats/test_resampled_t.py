"""Two methods on one data set: the corrected t test, and wins and ties."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from rotastack.errors import RotastackError
from rotastack.stats import corrected_t
from rotastack.stats.pairs import compare_pair

A = np.array([0.12, 0.09, 0.13, 0.11, 0.10])
B = np.full(5, 0.10)


def test_by_hand():
    """Differences 2, -1, 3, 1, 0 in hundredths: mean 1, variance 2.5, squared error (1/5 + 1/4) 2.5."""
    found, half = corrected_t(A, B, n_train=80, n_test=20), 0.027764451 * np.sqrt(1.125)
    # baycomp 1.0.3, two_on_single: the second method is lower with probability 0.80042.
    assert found[:4] == pytest.approx((1 / np.sqrt(1.125), 4, 2 * 0.19958080877163975, 0.01))
    assert found.interval == pytest.approx((0.01 - half, 0.01 + half))


def test_without_the_correction_it_is_the_paired_t_test():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    theirs = scipy_stats.ttest_rel(x, y)
    ours = corrected_t(x, y, n_train=1, n_test=1e-15, alpha=0.1)
    assert ours[:3] == pytest.approx((theirs.statistic, theirs.df, theirs.pvalue))
    assert ours.interval == pytest.approx(tuple(theirs.confidence_interval(0.9)))


def test_properties():
    one, other = corrected_t(A, B, 80, 20), corrected_t(B, A, 80, 20)
    assert other == (-one.statistic, 4, one.p, -one.difference, (-one.interval[1], -one.interval[0]))
    assert corrected_t(A, B, 0.8, 0.2).p == pytest.approx(one.p)
    assert corrected_t(A, B, 50, 50).p > one.p  # the larger the test sets, the more training sets are alike
    assert corrected_t(A, B, 80, 20, alpha=one.p).interval[0] == pytest.approx(0, abs=1e-12)


def test_equal_differences_are_defined():
    assert corrected_t(B, B, 80, 20) == (0.0, 4, 1.0, 0.0, (0.0, 0.0))
    always = corrected_t(B + 0.1, B, 80, 20)
    assert (always.statistic, always.p, *always.interval) == pytest.approx((np.inf, 2 / 2**5, 0.1, 0.1))
    assert corrected_t([0.1 + 0.2, 0.3], [0.3, 0.3], 80, 20).p == 1  # equal but for rounding
    assert corrected_t([0.2, 0.3], [0.1, 0.2], 70, 30).p == 0.5, (
        "of two small test sets, one in ten pairs have equal differences by chance"
    )


@pytest.mark.parametrize(
    ("arguments", "alpha", "message"),
    [
        (([0.1], [0.2], 80, 20), 0.05, "at least 2 scores, got 1"),
        ((A, B[:3], 80, 20), 0.05, "got 5 and 3"),
        ((A, [0.1, 0.1, np.inf, 0.1, 0.1], 80, 20), 0.05, "y has scores that are not finite, at 2"),
        ((A, B, 0, 20), 0.05, "n_train must be a number above 0, got 0"),
        ((A, B, 80, np.nan), 0.05, "n_test must be a number above 0"),
        ((A, B, 80, -1), 0.05, "n_test must be a number"),
        ((A, B, 80, 20), 0.0, "alpha must lie between 0 and 1, got 0"),
        ((A, B, 80, 20), 1.0, "alpha must lie between 0 and 1, got 1"),
    ],
)
def test_nonsense_is_refused(arguments, alpha, message):
    with pytest.raises(RotastackError, match=message):
        corrected_t(*arguments, alpha=alpha)


def test_wins_and_ties_by_hand():
    a = np.array([0.10, 0.20, 0.30, 0.20, 0.05, np.nan])
    b = np.array([0.10, 0.10, 0.20, 0.30, 0.00, 0.1])
    assert compare_pair(a, b, False) == pytest.approx((5, 0.2, 0.2, 0.6, 0.03))


def test_all_ties_and_nothing_known():
    assert compare_pair([0.1, 0.2], [0.1, 0.2], False)[1:] == (0, 1, 0, 0)
    assert compare_pair([0.1 + 0.2], [0.3], False).ties == 1  # equal but for rounding
    assert compare_pair([np.nan], [0.1], False).n == 0
