import itertools
import math
import re
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from tests.refusals import refusal

from rotastack.stats import (
    average_ranks,
    compare,
    critical_difference,
    friedman,
    nemenyi,
    variance_components,
    wilcoxon_holm,
)
from rotastack.stats.comparison import cliques
from rotastack.stats.variance import kendall_w
from rotastack.stats.wilcoxon import holm, signed_rank_p

# Demsar (2006), table 6: AUC of four versions of C4.5 on 14 data sets.
DEMSAR = pd.DataFrame(
    {
        "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619, 0.972, 0.957],
        "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666, 0.981, 0.978],
        "C4.5+cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.000, 0.965, 0.614, 0.9751, 0.946],
        "C4.5+m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.000, 0.962, 0.669, 0.975, 0.970],
    }
)


def test_demsars_worked_example():
    ranks = average_ranks(DEMSAR, higher_is_better=True)
    np.testing.assert_allclose(ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.03)
    # He prints chi2 = 9.28 and F = 3.69 without the correction for ties.
    n, k = DEMSAR.shape
    chi2 = 12 * n / (k * (k + 1)) * ((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert chi2 == pytest.approx(9.28, abs=0.01)
    assert (n - 1) * chi2 / (n * (k - 1) - chi2) == pytest.approx(3.69, abs=0.01)


def test_demsars_wilcoxon_test():
    """His sums of ranks are 93 and 12, zeros split between both; we leave these out: 71.5 and 6.5 of 12 data sets."""
    d = np.round(DEMSAR["C4.5+m"] - DEMSAR["C4.5"], 12)
    assert scipy_stats.wilcoxon(d, zero_method="zsplit").statistic == 12
    row = wilcoxon_holm(DEMSAR[["C4.5+m", "C4.5"]], "C4.5", higher_is_better=True).loc["C4.5+m"]
    assert row[["wins", "ties", "losses"]].tolist() == [10, 2, 2]
    z = (6.5 - 12 * 13 / 4) / np.sqrt(12 * 13 * 25 / 24 - (2**3 - 2) / 48)
    assert row["p"] == pytest.approx(2 * scipy_stats.norm.cdf(z))


@pytest.mark.parametrize(("k", "n", "expected"), [(5, 20, 1.364), (8, 17, 2.546)])
def test_published_critical_differences(k, n, expected):
    assert critical_difference(k, n, 0.05) == pytest.approx(expected, abs=6e-4)


def test_friedman_agrees_with_scipy_ties_included():
    table = pd.DataFrame(np.random.default_rng(0).integers(0, 4, (12, 5)).astype(float))
    ours = friedman(table, higher_is_better=False)
    assert ours.chi2 == pytest.approx(scipy_stats.friedmanchisquare(*table.to_numpy().T).statistic)
    assert ours.df == (4, 44)
    assert pytest.approx(11 * ours.chi2 / (12 * 4 - ours.chi2)) == ours.F


def test_friedman_degenerate_tables_are_defined():
    agree = pd.DataFrame(np.tile([1.0, 2, 3], (4, 1)))
    assert friedman(agree, False)[1:] == (float("inf"), (2, 6), pytest.approx(1 / 6**3))
    assert friedman(pd.DataFrame(np.ones((4, 3))), False) == (0.0, 0.0, (2, 6), 1.0)


@pytest.mark.parametrize(("n", "k", "level"), [(2, 3, 0), (3, 3, 1 / 36), (3, 4, 19 / 576)])
def test_friedman_keeps_its_level_on_few_data_sets(n, k, level):
    orders = list(itertools.permutations(range(k)))
    tables = (pd.DataFrame([orders[0], *rest]) for rest in itertools.product(orders, repeat=n - 1))
    p = np.array([friedman(table, False).p for table in tables])
    assert (p < 0.05).mean() == pytest.approx(level)
    for value in np.unique(p.round(12)):  # a p-value is the share of tables with a p-value at most as large
        assert (p < value + 1e-9).mean() == pytest.approx(value)


def test_friedman_p_by_random_orders_agrees_with_scipy():
    table = pd.DataFrame(np.random.default_rng(4).random((3, 8)))
    ranks = table.rank(axis=1).to_numpy()
    theirs = scipy_stats.permutation_test(
        tuple(ranks.T),
        lambda *r, axis: (np.stack(r).sum(axis=axis) ** 2).sum(axis=0),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9999,
        alternative="greater",
        axis=-1,
        rng=0,
    )
    assert friedman(table, False).p == pytest.approx(theirs.pvalue, abs=0.01)
    assert friedman(table, False).p == pytest.approx(0.0541)  # the seed of the orders stays


@pytest.mark.parametrize(
    ("n", "k", "least"),
    [
        (2, 8, 1 / 40320),
        (2, 9, 1e-4),
        (10, 20, 1e-4),
        (2, 21, 1 / math.factorial(21)),
        (11, 9, math.factorial(9) ** -10.0),
        (40, 40, 2.2250738585072014e-308),
    ],
)
def test_friedman_p_is_never_0(n, k, least):
    """All orders are counted up to 8 methods; random ones drawn up to 10 data sets and 20 methods."""
    assert friedman(pd.DataFrame([range(k)] * n), False).p == pytest.approx(least)


def test_orders_are_counted_up_to_a_number_of_sums(monkeypatch):
    module = sys.modules[friedman.__module__]
    for most, n_sums in ((6, 5), (5, 10_000)):  # six orders of the second row, with five different sums
        monkeypatch.setattr(module, "_MOST_SUMS", most)
        squares, shares = module._null_squares.__wrapped__(((2, 4, 6), (2, 4, 6)))
        assert len(squares) == len(shares) == n_sums


@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_two_methods_differ_by_nemenyi_where_the_sign_test_finds_it(alpha):
    for n in (2, 4, 5, 6, 8, 20):
        for wins in range(n + 1):
            p = nemenyi(pd.DataFrame({"A": [0.0] * wins + [1.0] * (n - wins), "B": 0.5}), False).loc["A", "B"]
            assert p == pytest.approx(scipy_stats.binomtest(wins, n).pvalue)
            assert (p < alpha) == (abs(2 * wins - n) / n > critical_difference(2, n, alpha))


def test_a_comparison_is_printed_as_a_short_table_and_reported_in_sentences():
    errors = pd.DataFrame({"RF": [0.2, 0.3, 0.1] * 4, "RRE": [0.1, 0.2, 0.1] * 4, "GB": [0.4, 0.5, 0.6] * 4})
    comparison = compare(errors, higher_is_better=False)
    assert [line.split() for line in str(comparison).splitlines()[1:]] == [
        ["RRE", "1.167", "0.1333", "12", "1"],
        ["RF", "1.833", "0.2", "4", "0.2317"],
        ["GB", "3", "0.5", "0", "2.114e-05"],
    ]
    report = comparison.report()
    assert re.search(r"RRE .*\n.*p < 0.001\)\.\nRRE differs from GB .* 0.96\)\.$", report.text)
    assert str(report) == f"{report.text}\n\n{comparison}"
    tied = compare(errors[["RF", "RRE"]].assign(RF=errors["RRE"])[:1], higher_is_better=False).report(alpha=0.01)
    assert tied.text.startswith("RF, RRE share")
    assert "\nThat RF differs from another is not shown (Nemenyi's test at 0.01" in tied.text
    assert len(str(compare(pd.DataFrame([range(50)]), False)).splitlines()) < 25


def test_nemenyi_and_critical_difference_agree():
    """p crosses alpha exactly where the difference of ranks crosses the CD."""
    comparison = compare(DEMSAR, True)
    gap = np.abs(np.subtract.outer(*[comparison.average_ranks.to_numpy()] * 2))
    for alpha in (0.05, 0.1, 0.2, 0.5):
        np.testing.assert_array_equal(
            comparison.nemenyi_p.to_numpy() < alpha, gap > comparison.critical_difference(alpha)
        )


def test_holm_by_hand_and_wilcoxon():
    assert holm(pd.Series([0.2, 0.01, 0.03])).tolist() == pytest.approx([0.2, 0.03, 0.06])
    table = wilcoxon_holm(DEMSAR, "C4.5", higher_is_better=True)
    raw = {m: scipy_stats.wilcoxon(np.round(DEMSAR[m] - DEMSAR["C4.5"], 12)).pvalue for m in DEMSAR.columns[1:]}
    assert table["p"].to_dict() == raw
    assert table["p_holm"].to_dict() == holm(pd.Series(raw)).to_dict() == compare(DEMSAR, True).holm_p("C4.5").to_dict()
    assert len(wilcoxon_holm(DEMSAR, None, True)) == 6
    assert wilcoxon_holm(pd.DataFrame({"A": [1.0, 2], "B": [1.0, 2]}), None, True)["p_holm"].item() == 1


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 8])
def test_ties_and_zeros_have_the_p_values_of_scipy(n):
    rng = np.random.default_rng(n)
    for _ in range(5):
        d = rng.integers(-3, 4, n).astype(float)
        d[0] = 1.0
        assert signed_rank_p(d) == scipy_stats.wilcoxon(d).pvalue


def test_differences_tie_but_for_the_noise_of_subtraction():
    """Differences of 5, 1, -1, 2 and 7 points have the ranks 4, 1.5, -1.5, 3 and 5.

    Of 32 assignments of signs 3 have a negative sum of at most 1.5: none, or one of the tied two; and the mirror
    images of these 3 are as extreme.
    """
    scores = pd.DataFrame({"A": [0.3, 0.8, 0.05, 0.9, 0.95], "B": [0.25, 0.79, 0.06, 0.88, 0.88]})
    raw = scores["A"] - scores["B"]
    assert scipy_stats.wilcoxon(raw).pvalue == 4 / 32  # 0.05 - 0.06 is nearer to 0 than 0.8 - 0.79
    assert wilcoxon_holm(scores, "B", True)["p"].item() == pytest.approx(6 / 32)


def test_wins_and_improvement_by_hand():
    errors = pd.DataFrame({"A": [0.2, 0.4, 0.0], "B": [0.1, 0.4, 0.1]})
    comparison = compare(errors, higher_is_better=False)
    assert comparison.wins.loc["B", "A"] == comparison.wins.loc["A", "B"] == 1.5
    assert comparison.better("A").to_dict() == {"A": 0, "B": 1}
    assert compare(errors, higher_is_better=True).better("B").to_dict() == {"A": 1, "B": 0}
    assert comparison.improvement("A")["B"] == pytest.approx(25.0)  # 50 % and 0 %; the third has a control of 0


def test_cliques_are_maximal_runs():
    ranks = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0})
    different = pd.DataFrame(np.abs(np.subtract.outer(ranks.values, ranks.values)) > 1.5, ranks.index, ranks.index)
    assert cliques(ranks, different) == [["a", "b"], ["b", "c"], ["c", "d"]]
    assert cliques(ranks, different & False) == [["a", "b", "c", "d"]]


@pytest.mark.parametrize("sd", [0.0, 0.3, 1.0])
def test_variance_intervals_cover_in_small_tables(sd):
    """Three groups of each kind, as in the quickstart: the interval is wide, and may start at 0."""
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(300):
        parts = variance_components(sd * rng.normal(size=(1, 3)) + rng.normal(size=(3, 3)))
        variance, low, high = parts.rotation_groups
        assert low <= variance <= high or variance == low == 0
        assert (low > 0) == (parts.p_rotation_groups < 0.025)
        hits += low <= sd**2 <= high
    assert hits / 300 >= 0.93


@pytest.mark.parametrize(
    ("table", "verdict"),
    [
        (np.ones((3, 3)), "all cells are equal"),
        (np.tile([0.1, 0.2, 0.3], (3, 1)), "rotation groups differ on these rows; new rows"),
        (np.tile([[0.1], [0.2], [0.3]], (1, 3)), "no effect"),
        (np.tile([0.1, 0.2], (2, 1)), "no effect"),  # of two methods' errors by chance, one in ten tables is such
    ],
)
def test_variance_verdicts(table, verdict):
    assert variance_components(table).verdict.startswith(verdict)


def test_kendall_w_is_friedman_scaled():
    table = np.random.default_rng(2).normal(size=(6, 4))
    chi2 = scipy_stats.friedmanchisquare(*table.T).statistic
    assert kendall_w(table) == pytest.approx(chi2 / (6 * 3))


@pytest.mark.parametrize(("k", "n", "alpha"), [(1, 5, 0.05), (3, 0, 0.05), (3, -1, 0.05), (3, 5, 0.0), (3, 5, 1.0)])
def test_a_critical_difference_of_nonsense_is_refused(k, n, alpha):
    assert "needs k >= 2" in refusal(critical_difference, k, n, alpha)
