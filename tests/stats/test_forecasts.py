"""Naive forecasts, by hand."""

import numpy as np
import pytest

from rotastack.stats.forecasts import naive_forecasts, season


def test_moments_of_several_rows_count_by_their_mean_and_spans_may_start_late():
    time = np.repeat(np.arange(40), 2)
    y = np.repeat([5.0, 1.0, 1.0, 3.0] * 10, 2) + np.tile([-0.5, 0.5], 40)
    found = naive_forecasts(y, time, (time >= 8) & (time < 32), (time >= 33) & (time < 38))
    assert list(found) == ["the last value", "the last season (4 time points)"]
    np.testing.assert_array_equal(found["the last value"], np.full(10, 3.0))
    np.testing.assert_allclose(found["the last season (4 time points)"], np.repeat([1, 1, 3, 5, 1], 2))


@pytest.mark.parametrize("n", [3, 9, 30, 500])
def test_noise_trends_and_constants_have_no_season(n):
    rng = np.random.default_rng(0)
    for series in (rng.standard_normal(n), np.arange(n) * 3.0, np.full(n, 1e9), np.arange(n) + rng.standard_normal(n)):
        assert season(series) is None


def test_a_level_that_wanders_has_no_season_and_hides_none():
    """The autocorrelations of such a level are high and fall slowly: noise on top makes small peaks of them."""
    rng, weekday = np.random.default_rng(0), 2 * (np.arange(200) % 7 == 0)
    levels = np.cumsum(rng.standard_normal((50, 200)) / 2, axis=1) + rng.standard_normal((50, 200))
    assert sum(season(level) is not None for level in levels) <= 2
    assert sum(season(level + 2 * weekday) == 7 for level in levels / 2) > 40


def test_forecasts_are_of_the_same_series():
    """Two stores with a period of four, on two levels; the third opens after the training rows, and the first misses a day."""
    time, store = np.repeat(np.arange(48), 2), np.tile([0, 1], 48)
    y = np.tile(np.repeat([5.0, 1.0, 1.0, 3.0], 2), 12) + 100 * store
    kept = ~((time == 39) & (store == 0))
    time, store, y = np.append(time[kept], 42), np.append(store[kept], 2), np.append(y[kept], 7)
    found = naive_forecasts(y, time, time < 40, (time >= 41) & (time < 43), store)
    assert list(found) == ["the last value", "the last season (4 time points)"]
    np.testing.assert_allclose(found["the last value"], [1, 103, 1, 103, 52])
    np.testing.assert_allclose(found["the last season (4 time points)"], [1, 101, 1, 101, 51])
