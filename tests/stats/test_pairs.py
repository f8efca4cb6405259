import numpy as np
import pytest
from scipy.stats import wilcoxon

from rotastack.stats.pairs import compare_pair


def test_by_hand_and_against_scipy():
    a = np.array([0.10, 0.20, 0.30, 0.20, 0.05, np.nan])
    b = np.array([0.10, 0.10, 0.20, 0.30, 0.00, 0.1])
    pair = compare_pair(a, b, False)
    assert pair.n == 5
    assert (pair.wins_first, pair.ties, pair.wins_second) == pytest.approx((0.2, 0.2, 0.6))
    assert pair.difference == pytest.approx(0.03)
    assert pair.p_value == pytest.approx(wilcoxon(np.round(a - b, 12)[:5]).pvalue)


def test_all_ties_and_nothing_known():
    assert compare_pair([0.1, 0.2], [0.1, 0.2], False).p_value == 1
    assert compare_pair([0.1 + 0.2], [0.3], False).ties == 1  # equal but for rounding
    assert compare_pair([np.nan], [0.1], False).n == 0
