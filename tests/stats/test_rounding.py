"""Ties and rounding errors are relative to the scale of the scores."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.stats import average_ranks, compare, corrected_t, variance_components
from rotastack.stats.influence import row_test
from rotastack.stats.missing import gaps, rounded, tolerance
from rotastack.stats.pairs import compare_pair

SCORES = np.array([[0.3, 0.1 + 0.2, 0.5], [0.2, 0.1, 0.4], [0.6, 0.7, 0.9], [0.45, 0.15 * 3, 0.25]])


@given(st.sampled_from([1e-30, 1e-19, 1e-6, 1.0, 1e5, 1e12]))
def test_comparisons_depend_on_no_unit(scale):
    one, other = (compare(pd.DataFrame(SCORES * s, columns=[*"ABC"]), False) for s in (1.0, scale))
    assert one.average_ranks.equals(other.average_ranks)
    assert one.wins.equals(other.wins)
    assert one.p_value == other.p_value
    assert one.holm_p("A").equals(other.holm_p("A"))
    pair = compare_pair(SCORES[:, 0] * scale, SCORES[:, 1] * scale, False)
    assert (pair.wins_first, pair.ties, pair.wins_second) == (0.25, 0.5, 0.25)
    x, y = SCORES[:, 0], SCORES[:, 2]
    assert corrected_t(x * scale, y * scale, 4, 1).p == pytest.approx(corrected_t(x, y, 4, 1).p)
    assert variance_components(SCORES * scale).f_rotation_groups == pytest.approx(
        variance_components(SCORES).f_rotation_groups
    )


def test_scores_beside_one_that_diverged_are_told_apart():
    table = pd.DataFrame({"A": [0.1], "B": [0.2], "far": [1e15]})
    assert average_ranks(table, False).tolist() == [1, 2, 3]
    assert compare(table, False).wins.loc["A", "B"] == 1


@given(st.floats(1e-3, 9.99), st.floats(0, 1))
def test_usual_scores_keep_12_decimals(largest, share):
    table = pd.DataFrame([[largest, share * largest]])
    assert rounded(table).equals(table.round(12))
    assert tolerance([largest]) == 1e-12 * max(1, largest)


def test_rounding_errors_of_any_size_are_ties():
    assert gaps([0.3, 0.3e-19, 3e14 + 0.25], [0.1 + 0.2, 0.1e-19 + 0.2e-19, 3e14]).tolist() == [0, 0, 0]
    assert rounded(pd.DataFrame([[0.3, 1e-17, 0.0]])).iloc[0].tolist() == [0.3, 0, 0]
    assert np.isnan(gaps([np.nan], [1.0]))
    zeros = np.zeros(6)
    assert row_test(zeros, zeros, 1e-19).p == 2 / 64
