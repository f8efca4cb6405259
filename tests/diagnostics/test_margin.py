"""Margins by hand, and against brute force."""

import numpy as np
import pytest

from rotastack.diagnostics import chebyshev_bound, equilibrium_margin, margins, summarize_margins


def brute(votes, y, mask, n_classes):
    """Loop over rows and members: equations 1.9 to 1.16 and 1.21."""
    n, M = votes.shape
    big, raw = np.full(n, np.nan), np.full((n, M), np.nan)
    for i in np.flatnonzero(mask.any(axis=1)):
        counted = votes[i, mask[i]].tolist()
        rival = max((c for c in range(n_classes) if c != y[i]), key=lambda c: (counted.count(c), -c))
        big[i] = (counted.count(y[i]) - counted.count(rival)) / len(counted)
        raw[i, mask[i]] = [(vote == y[i]) - (vote == rival) * 1.0 for vote in counted]
    return big, np.nanvar(big) / np.mean(np.nanstd(raw, axis=0)) ** 2


@pytest.mark.parametrize("masked", [False, True])
def test_against_brute_force(masked):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 30)
    votes = np.where(rng.random((30, 12)) < 0.6, y[:, None], rng.integers(0, 4, (30, 12)))
    mask = rng.random(votes.shape) < 0.4 if masked else np.ones(votes.shape, dtype=bool)
    mask[3] = not masked
    expected, correlation = brute(votes, y, mask, 4)
    given = mask if masked else None
    np.testing.assert_allclose(margins(votes, y, given), expected)
    summary = summarize_margins(votes, y, given)
    known = expected[~np.isnan(expected)]
    assert (summary.mean, summary.variance) == (pytest.approx(known.mean()), pytest.approx(known.var()))
    assert summary.chebyshev_bound == pytest.approx(known.var() / known.mean() ** 2)
    assert summary.mean_correlation == pytest.approx(correlation)


def test_what_has_no_bound_or_correlation():
    assert chebyshev_bound([-0.2, 0.1]) == float("inf"), "without a positive mean"
    assert np.isnan(summarize_margins([[0, 0], [1, 1]], [0, 1]).mean_correlation), "members never err"


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (margins, ([0, 1], [0, 1]), "votes must have shape"),
        (margins, ([[0.5]], [0]), "class labels"),
        (margins, ([[0]], ["a"]), "both names or both numbers"),
        (margins, ([[0]], [0], [[True, True]]), "mask must have the shape of votes"),
        (summarize_margins, ([[0]], [0], [[False]]), "no row has a margin"),
    ],
)
def test_bad_shapes_are_named(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


def test_equilibrium_margin_where_every_bound_is_above_one():
    values = np.clip(np.random.default_rng(0).beta(5, 2, 482) * 1.2 - 0.2, -1, 1)
    found = equilibrium_margin(values, (200.0 * 14) ** 3)
    assert found.bound == 1.0
    assert 0.2 < np.mean(values <= found.margin) < 0.8  # of the smallest bound before it is cut at 1
