import numpy as np
import pytest

from rotastack.stats.pairs import compare_pair


def test_by_hand():
    a = np.array([0.10, 0.20, 0.30, 0.20, 0.05, np.nan])
    b = np.array([0.10, 0.10, 0.20, 0.30, 0.00, 0.1])
    pair = compare_pair(a, b, False)
    assert pair.n == 5
    assert (pair.wins_first, pair.ties, pair.wins_second) == pytest.approx((0.2, 0.2, 0.6))
    assert pair.difference == pytest.approx(0.03)


def test_all_ties_and_nothing_known():
    assert compare_pair([0.1, 0.2], [0.1, 0.2], False)[1:] == (0, 1, 0, 0)
    assert compare_pair([0.1 + 0.2], [0.3], False).ties == 1  # equal but for rounding
    assert compare_pair([np.nan], [0.1], False).n == 0
