"""Elo, win matrix, improvability and resamples: by hand, by other ways of computing, and as they were."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import log_expit
from tests.refusals import refusal

from rotastack.stats import average_ranks, bootstrap_means, bootstrap_ranks, elo, improvability, win_matrix
from rotastack.stats.resamples import resample_counts

NAN = float("nan")


def random_table(n=12, k=5, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (n, k)) / 10 if ties else rng.random((n, k)) + np.arange(k) / 10
    return pd.DataFrame(values, columns=list("ABCDEFGHIJ")[:k])


def resampled(table, count, seed=0):
    """Yield the resamples of a table, with a row for each draw of a data set."""
    for counts in resample_counts(len(table), count, seed):
        yield table.iloc[np.repeat(range(len(table)), counts)].reset_index(drop=True)


def test_resamples_are_drawn_evenly():
    counts = resample_counts(20, 5000, 3)
    assert (counts.sum(axis=1) == 20).all()
    assert ((counts.sum(axis=0) - 5000) ** 2 / 5000).sum() < 45  # chi2 of 19 degrees of freedom: 0.9993
    np.testing.assert_array_equal(counts, resample_counts(20, 5000, 3))


def test_elo_maximises_the_penalised_likelihood():
    table = random_table(ties=True)
    wins = len(table) * win_matrix(table, False).to_numpy()
    np.fill_diagonal(wins, 0)

    def loss(theta):
        games = (wins * log_expit(theta[:, None] - theta)).sum()
        return -games - (log_expit(theta) + log_expit(-theta)).sum() / 2

    theta = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    expected = 1000 + 400 / np.log(10) * (theta - theta.mean())
    np.testing.assert_allclose(elo(table, False)["elo"], expected, atol=1e-4)


def test_intervals_are_fits_of_resamples():
    table = random_table()
    fits = [elo(drawn, False, n_bootstraps=1)["elo"] for drawn in resampled(table, 40, 9)]
    found = elo(table, False, n_bootstraps=40, alpha=0.2, seed=9)
    np.testing.assert_allclose(found[["lower", "upper"]], np.quantile(fits, [0.1, 0.9], axis=0).T, atol=1e-9)
    ranks = [average_ranks(drawn, False) for drawn in resampled(table, 40, 9)]
    found = bootstrap_ranks(table, False, n_bootstraps=40, alpha=0.2, seed=9)
    np.testing.assert_allclose(found[["lower", "upper"]], np.quantile(ranks, [0.1, 0.9], axis=0).T, atol=1e-12)
    assert found["average_rank"].tolist() == average_ranks(table, False).tolist()


def test_methods_that_always_win_stay_finite():
    found = elo(pd.DataFrame(np.tile(np.arange(20.0), (200, 1))), False, n_bootstraps=20)
    assert np.isfinite(found).all(axis=None)
    assert found["elo"].is_monotonic_decreasing
    np.testing.assert_allclose(found["lower"], found["elo"], atol=1e-9)
    np.testing.assert_allclose(found["elo"] + found["elo"][::-1].to_numpy(), 2000, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(arrays(float, (7, 4), elements=st.integers(0, 4).map(float)), st.permutations(range(4)), st.booleans())
def test_order_of_methods_and_data_sets_does_not_matter(values, order, higher):
    table = pd.DataFrame(values, columns=list("ABCD"))
    turned = table.iloc[:, order]
    one, other = (elo(t, higher, n_bootstraps=5) for t in (table, turned))
    np.testing.assert_allclose(other.loc[one.index], one, atol=1e-9)
    for same in (elo(table[::-1], higher, n_bootstraps=1), elo(-table, not higher, n_bootstraps=1)):
        np.testing.assert_allclose(same["elo"], one["elo"], atol=1e-9)
    np.testing.assert_allclose(elo(table, not higher, n_bootstraps=1)["elo"], 2000 - one["elo"], atol=1e-9)


def test_missing_scores_by_pairs():
    """A and B share three data sets, A and C none, B and C one."""
    table = pd.DataFrame({"A": [1, 2, 3, NAN], "B": [2, 1, 4, 5], "C": [NAN, NAN, NAN, 5.0]})
    wins = win_matrix(table, False, missing="pairs").to_numpy()[[0, 1, 0], [1, 2, 2]]
    np.testing.assert_allclose(wins, [2 / 3, 0.5, NAN])
    found = elo(table, False, missing="pairs", n_bootstraps=20)
    assert np.isfinite(found["elo"]).all()
    assert found["elo"].idxmax() == "A"
    block = table.drop(columns="C")
    assert elo(block, False, missing="block").equals(elo(block[:3], False))
    assert elo(block, False, missing="pairs", n_bootstraps=1)["elo"].equals(elo(block[:3], False)["elo"])


def test_win_matrix_by_hand():
    table = pd.DataFrame({"A": [1, 2, 2, 4], "B": [2, 2, 1, 5], "C": [0, 3, 3, 5]})
    assert win_matrix(table, higher_is_better=False).to_numpy().tolist() == [
        [0.5, 0.625, 0.75],
        [0.375, 0.5, 0.625],
        [0.25, 0.375, 0.5],
    ]
    higher = win_matrix(table, higher_is_better=True)
    pd.testing.assert_frame_equal(higher, 1 - win_matrix(table, higher_is_better=False))


def test_improvability_by_hand():
    accuracies = pd.DataFrame({"A": [0.9, 1.0, 0.5], "B": [0.8, 1.0, 0.5], "C": [0.6, 0.9, 1.0]})
    found = improvability(accuracies, higher_is_better=True)
    np.testing.assert_allclose(found, [[0, 50, 75], [0, 0, 100], [100, 100, 0]], atol=1e-9)
    pd.testing.assert_frame_equal(improvability(1 - accuracies, higher_is_better=False), found)
    pd.testing.assert_frame_equal(improvability(100 * accuracies, higher_is_better=True, optimum=100), found)
    means = bootstrap_means(found, n_bootstraps=50, alpha=0.3)
    assert means["mean"].tolist() == pytest.approx([100 / 3, 50, 175 / 3])
    drawn = [part.mean() for part in resampled(found, 50)]
    np.testing.assert_allclose(means[["lower", "upper"]], np.quantile(drawn, [0.15, 0.85], axis=0).T)


@pytest.mark.parametrize(
    ("table", "higher", "message"),
    [
        ({"A": [90.0], "B": [0.8]}, True, "score 90 of method 'A' on data set 0 .*set optimum=100"),
        ({"A": [0.1], "B": [-0.2]}, False, "score -0.2 of method 'B' on data set 0 is beyond the optimum 0$"),
        ({"A": [0.1], "B": [NAN]}, False, "methods without any score: 'B'"),
    ],
)
def test_improvability_refuses_what_makes_no_sense(table, higher, message):
    assert re.search(message, refusal(improvability, pd.DataFrame(table), higher))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bootstraps": 0}, "n_bootstraps of at least 1, got 12 and 0"),
        ({"alpha": 1.0}, "alpha must lie between 0 and 1"),
        ({"seed": 0.5}, "seed must be an integer of at least 0, got 0.5"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"missing": "fill"}, "missing must be one of raise, block, pairs, got 'fill'"),
    ],
)
def test_nonsense_options_are_refused(options, message):
    assert re.search(message, refusal(elo, random_table(), False, **options))


def test_too_few_data_sets_have_no_intervals():
    """All of n data sets lie on one side of the median with probability 2^(1 - n)."""
    for n, alpha, known in [(1, 0.05, False), (5, 0.05, False), (6, 0.05, True), (4, 0.1, False), (5, 0.1, True)]:
        errors = random_table(n=n, k=3)
        for intervals in (
            elo(errors, False, n_bootstraps=20, alpha=alpha),
            bootstrap_ranks(errors, False, n_bootstraps=20, alpha=alpha),
            bootstrap_means(improvability(errors, False), n_bootstraps=20, alpha=alpha),
        ):
            assert (intervals[["lower", "upper"]].notna() == known).all(axis=None)
