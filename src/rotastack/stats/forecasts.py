"""Naive forecasts of a target in time, which any model must beat."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

EVIDENT = 0.3
"""Autocorrelation from which a period is evident; in short series three standard errors, if that is more. A level that wanders has
high autocorrelations, too: that of a period is three standard errors above that of a shorter lag."""


def season(series: NDArray[np.float64]) -> int | None:
    """Return the shortest evident period of a series without its linear trend; None if no period is evident."""
    n, t = len(series), np.arange(len(series))
    rest = series - np.polyval(np.polyfit(t, series, 1), t) if n > 8 else np.zeros(n)
    if np.abs(rest).max(initial=0) <= 1e-9 * np.abs(series).max(initial=0):
        return None
    products = np.fft.irfft(np.abs(np.fft.rfft(rest, 2 * n)) ** 2)
    correlation = products[: n // 3 + 2] / products[0]
    inner, shorter = correlation[2:-1], np.minimum.accumulate(correlation[1:-2])
    least = np.maximum(EVIDENT, shorter.clip(0) + 3 / np.sqrt(n))
    peaks = (inner > correlation[1:-2]) & (inner >= correlation[3:]) & (inner > least)
    return int(np.flatnonzero(peaks & (inner >= 0.9 * inner[peaks].max(initial=0)))[0]) + 2 if peaks.any() else None


def naive_forecasts(
    y: NDArray[np.float64],
    time: NDArray[np.intp],
    train: NDArray[np.bool_],
    test: NDArray[np.bool_],
    series: NDArray[np.intp] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Return forecasts of later rows by the target of earlier ones: its last value and, if a period is evident, its last season.

    `time` has the number of each row's moment, whose target is the mean of its rows; `train` and `test` are masks of rows.
    With the number of each row's `series`, forecasts are of the same series, and of the mean of all for one that is new.
    The season is that of the mean of all series, each without its own mean.
    """
    series = np.zeros(len(y), dtype=np.intp) if series is None else series
    means = pd.Series(y[train]).groupby([time[train], series[train]]).mean().unstack()
    period, known = season(means.sub(means.mean()).mean(axis=1).to_numpy()), means.ffill()
    last = known.reindex(columns=np.arange(series.max() + 1)).to_numpy(copy=True)
    last = np.where(np.isnan(last), known.mean(axis=1).to_numpy()[:, None], last)
    ahead = time[test] - time[train].max() - 1
    found = {"the last value": last[-1, series[test]]}
    if period:
        found[f"the last season ({period} time points)"] = last[ahead % period - period, series[test]]
    return found
