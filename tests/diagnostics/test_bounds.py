"""Bounds on the error of a vote, by hand and against loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.diagnostics import c_bound, linear_bound, margin_bound
from rotastack.diagnostics.margin import margins


def test_c_bound_by_hand():
    assert (c_bound([1.0, 0.0, np.nan]), c_bound([-1.0, 0.5])) == (pytest.approx(1 - 0.25 / 0.5), 1.0)


@given(st.integers(0, 10_000))
def test_c_bound_holds_on_its_own_rows_with_any_number_of_classes(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, rng.integers(2, 5), 40)
    votes = np.where(rng.random((40, 9)) < rng.uniform(0.3, 0.9), y[:, None], rng.integers(0, 4, (40, 9)))
    values = margins(votes, y)
    assert (values <= 0).mean() <= c_bound(values) + 1e-12


def test_c_bound_is_that_of_gibbs_risk_and_disagreement():
    """Equation 10 with the square of its source: the moments are 1 - 2 R and 1 - 2 d, d over all pairs with repetition."""
    right = np.random.default_rng(0).random((50, 7)) < 0.7
    risk = 1 - right.mean()
    differ = np.mean([(right[:, a] != right[:, b]).mean() for a in range(7) for b in range(7)])
    found = c_bound(margins(right.astype(int), np.ones(50, dtype=int)))
    assert found == pytest.approx(1 - (1 - 2 * risk) ** 2 / (1 - 2 * differ))


def test_margin_bound_against_a_search_over_theta():
    values = np.random.default_rng(1).uniform(-0.2, 1, 300)
    found = margin_bound(values, 50, delta=0.1)
    tried = [
        (values <= theta).mean() + np.sqrt((np.log(300) * np.log(50) / theta**2 + np.log(10)) / 300)
        for theta in np.linspace(1e-3, 1.2, 20_001)
    ]
    assert found <= min(tried) + 1e-12
    assert found == pytest.approx(min(tried), abs=0.01)
    assert margin_bound([-0.5, -0.1], 50) == np.inf


def theorem(values, w, beta, room, delta):
    """Equations 13 and 14 as printed."""
    n = len(values)
    short = sum(max(0, beta - m) ** 2 for m in values)
    eta = 64.5 * (len(w) + room**2) * (sum(v**2 for v in w) + short / room**2) / beta**2
    if eta > np.e * n:
        return np.inf
    return 2 / n * (eta * np.log2(8 * np.e * n / eta) * np.log2(32 * n) + np.log2(8 * n / delta))


def test_linear_bound_is_the_theorem_at_its_best_beta_and_delta():
    rng = np.random.default_rng(2)
    values, w = rng.uniform(0.6, 1, 400), rng.dirichlet(np.ones(5))
    found = linear_bound(values, w)
    tried = [
        theorem(values, w, beta, room, 0.05)
        for beta in np.linspace(0.4, 0.8, 41)
        for room in np.geomspace(0.05, 5, 100)
    ]
    assert found == pytest.approx(min(tried), rel=1e-3)
    assert found <= min(tried) * (1 + 1e-9)


def test_linear_bound_is_infinite_where_the_theorem_has_none():
    assert linear_bound(np.full(100, 0.1), np.full(10, 0.1)) == np.inf
    assert linear_bound(np.ones(10**6), [0.5, 0.5]) < linear_bound(np.ones(10**6), [0.5, 0.5], delta=1e-9) < 1


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        (lambda: c_bound([np.nan]), "no row has a margin"),
        (lambda: margin_bound([np.nan], 10), "no row has a margin"),
        (lambda: linear_bound([np.nan], [1]), "no row has a margin"),
        (lambda: margin_bound([1.0], 1), "hypothesis_size must be more than 1, got 1"),
        (lambda: linear_bound([1.0], [1.0], delta=0), "delta must lie between 0 and 1, got 0"),
    ],
)
def test_no_margin_and_sizes_and_probabilities_outside_their_range_are_named(bound, message):
    with pytest.raises(ValueError, match=message):
        bound()
