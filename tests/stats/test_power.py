"""Power by simulation, against distributions that are known."""

import sys

import numpy as np
import pytest
from scipy import stats as scipy_stats

from rotastack.errors import RotastackError
from rotastack.stats import corrected_t, power


def test_null_gives_about_alpha():
    """Differences symmetric around 0: the exact test has its level but for steps, and none with five data sets."""
    d = np.random.default_rng(0).normal(size=40)
    d = np.concatenate([d, -d])
    found = power(d, np.zeros(80), [5, 6, 20, 60], n_simulations=4000, at_most=60)
    assert found.power[5] == 0  # the smallest two-sided p of five is 1 / 16
    assert found.power[6] == pytest.approx(2 / 64, abs=0.01)
    assert found.power[20] == pytest.approx(0.05, abs=0.012)
    assert found.power[60] == pytest.approx(0.05, abs=0.012)
    assert found.needed is None
    assert power(d, np.zeros(80), [20], alpha=0.2, at_most=20).power[20] == pytest.approx(0.2, abs=0.03)


def test_one_sign_is_seen_from_six_data_sets_on():
    found = power([0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [1, 5, 6, 51, 60])
    assert found.power.to_dict() == {1: 0, 5: 0, 6: 1, 51: 1, 60: 1}
    assert found.needed == 6
    assert found.difference == pytest.approx(0.2)
    assert found.sd == pytest.approx(0.1)


def test_zeros_are_left_out():
    """Half of the differences are 0: what remains has one sign, and is seen if it is six or more."""
    found = power([0.0, 0.1], [0.0, 0.0], [10], n_simulations=20_000)
    assert found.power[10] == pytest.approx(scipy_stats.binom.sf(5, 10, 0.5), abs=0.012)
    assert power([0.1, 0.2], [0.1, 0.2], [10], at_most=20).power[10] == 0


@pytest.mark.parametrize("n", [4, 9, 25, 50])
def test_p_values_are_those_of_scipy(n):
    values = np.random.default_rng(n).normal(0.3, 1, (30, n))
    positive = (scipy_stats.rankdata(np.abs(values), axis=1) * (values > 0)).sum(axis=1)
    test = sys.modules["rotastack.stats.power"].signed_rank_test
    for exact, method in [(True, "exact"), (False, "asymptotic")]:
        expected = scipy_stats.wilcoxon(values, axis=1, method=method, correction=False).pvalue
        np.testing.assert_allclose(test(positive, np.full(30, n), exact), expected, rtol=1e-9)


@pytest.mark.parametrize(("mean", "ratio"), [(0.0, 0.25), (0.5, 0.25), (0.5, 1.0), (3.0, 0.25)])
def test_corrected_t_has_the_noncentral_t_distribution(mean, ratio):
    d = np.array([-1.0, 1, -1, 1]) * np.sqrt(0.75) + mean  # sd 1
    sizes = [2, 5, 30, 300]
    found = power(d, np.zeros(4), sizes, test="corrected_t", n_train=1, n_test=ratio, n_simulations=8000, at_most=300)
    for n in sizes:
        shift, cut = mean / np.sqrt(1 / n + ratio), scipy_stats.t.ppf(0.975, n - 1)
        exact = scipy_stats.nct.sf(cut, n - 1, shift) + scipy_stats.nct.cdf(-cut, n - 1, shift)
        assert found.power[n] == pytest.approx(exact, abs=0.02)
    if mean == 0.5:
        assert found.needed is None  # repeats do not help: the limit is far below
        assert found.power[300] < 0.3


def test_corrected_t_of_differences_that_are_all_equal():
    sure = power([0.2, 0.3], [0.1, 0.2], [1, 2], test="corrected_t", n_train=80, n_test=20)
    assert sure.power.to_dict() == {1: 0, 2: 1}
    assert sure.needed == 2
    equal = power([0.2, 0.3], [0.2, 0.3], [2], test="corrected_t", n_train=80, n_test=20, at_most=5)
    assert (equal.power[2], equal.needed) == (0, None)
    assert corrected_t([0.2, 0.3], [0.2, 0.3], 80, 20).p == 1


def test_seeded_and_independent_of_what_else_is_asked():
    d = np.random.default_rng(5).normal(0.3, 1, 20)
    one = power(d, np.zeros(20), [10, 20], at_most=20)
    assert power(d, np.zeros(20), [20], at_most=30).power[20] == one.power[20]
    assert power(d, np.zeros(20), [20], at_most=20, random_state=1).power[20] != one.power[20]
    mirrored = power(-d, np.zeros(20), [10, 20])
    assert mirrored.power.equals(one.power)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": [0.1], "y": [0.2]}, "at least 2 scores, got 1"),
        ({"x": [0.1, np.nan]}, "x has scores that are not finite, at 1"),
        ({"test": "t"}, "test must be wilcoxon or corrected_t, got 't'"),
        ({"test": "corrected_t", "n_train": 80}, "n_test must be a number above 0 .*, got None"),
        ({"n_train": 80}, "n_train is for test='corrected_t'"),
        ({"alpha": 0}, "alpha must lie between 0 and 1, got 0"),
        ({"wished": 80}, "wished must lie between 0 and 1, got 80"),
        ({"n_simulations": 0}, "n_simulations must be a whole number of at least 1"),
        ({"sizes": []}, "sizes must name"),
        ({"sizes": [2.5]}, "sizes must be a whole number of at least 1, got 2.5"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(RotastackError, match=message):
        power(**{"x": [0.1, 0.2], "y": [0.2, 0.2], **options})
