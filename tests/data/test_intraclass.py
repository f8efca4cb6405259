"""The intraclass correlation against the analysis of variance, and its permutation test against all permutations."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import f_oneway

from rotastack.data.intraclass import intraclass_correlation


def test_the_f_test_is_that_of_scipy():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 5, 40)
    target = rng.standard_normal(40) + 0.3 * groups
    found = intraclass_correlation(target, groups, permutations=0)
    expected = f_oneway(*(target[groups == k] for k in range(5)))
    assert found.p == pytest.approx(expected.pvalue)
    n0 = (40 - (np.bincount(groups) ** 2).sum() / 40) / 4
    assert found.correlation == pytest.approx((expected.statistic - 1) / (expected.statistic + n0 - 1))


def test_the_p_value_is_the_share_of_permutations_that_are_as_alike():
    target, groups = np.array([1.0, 2, 4, 3, 8, 9]), np.array([0, 0, 1, 1, 2, 2])

    def between(values):
        return sum(values[groups == k].sum() ** 2 for k in range(3))

    drawn = [between(target[list(order)]) for order in permutations(range(6))]
    exact = np.mean(np.array(drawn) >= between(target) - 1e-9)
    assert intraclass_correlation(target, groups).p == pytest.approx(exact, abs=0.02)
    indicators = np.equal.outer(target > 3.5, [False, True]).astype(float)
    assert intraclass_correlation(indicators, groups).correlation == pytest.approx(
        intraclass_correlation(indicators[:, 1], groups).correlation
    )
