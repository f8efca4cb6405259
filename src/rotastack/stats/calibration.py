"""Calibration, confusion matrix and counts by threshold of predicted class probabilities."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def calibration_curve(y: NDArray[np.integer], proba: NDArray[np.floating], n_bins: int = 10) -> pd.DataFrame:
    """Return the mean confidence and the accuracy of decisions, by bins of confidence; of two classes, of the rarer class.

    The confidence of a decision is the largest probability of its row. Unlike scikit-learn's function of this
    name, this function takes any number of classes. It also counts rows, so that curves of several data sets can be
    averaged. Of two classes, ``confidence`` is the probability of the rarer one, and ``accuracy`` the share of its rows.

    The bins have equal widths from 0 to 1, and a confidence on the border of two counts in the lower one; of two classes
    they are between quantiles, as a rare class has few large probabilities. The table has a row for each bin that is not
    empty: its number ``bin`` (from 0), its number of ``rows``, their mean ``confidence`` and
    their ``accuracy`` (Guo et al., On calibration of modern neural networks, ICML 2017, eqs. 2 and 3).
    """
    if proba.shape[1] == 2 and len(y):
        rarer = int(np.bincount(y, minlength=2).argmin())
        confidence, right = proba[:, rarer], y == rarer
        bins = np.searchsorted(np.quantile(confidence, np.arange(1, n_bins) / n_bins), confidence)
    else:
        confidence, right = proba.max(axis=1), proba.argmax(axis=1) == y
        bins = np.clip(np.ceil(confidence.round(12) * n_bins).astype(int) - 1, 0, n_bins - 1)
    rows = np.bincount(bins, minlength=n_bins)
    used = np.flatnonzero(rows)
    return pd.DataFrame(
        {
            "bin": used,
            "rows": rows[used],
            "confidence": np.bincount(bins, confidence, n_bins)[used] / rows[used],
            "accuracy": np.bincount(bins, right, n_bins)[used] / rows[used],
        }
    )


def calibration_error(curve: pd.DataFrame) -> float:
    """Return the expected calibration error: the mean distance of accuracy from confidence, by rows (Guo et al., eq. 5)."""
    return float(np.average((curve["accuracy"] - curve["confidence"]).abs(), weights=curve["rows"]))


def confusion(y: NDArray[np.integer], proba: NDArray[np.floating]) -> list[list[int]]:
    """Return the confusion matrix: numbers of rows, by true class (rows) and decision (columns)."""
    k = proba.shape[1]
    return np.bincount(y * k + proba.argmax(axis=1), minlength=k * k).reshape(k, k).tolist()


def threshold_counts(is_class: NDArray[np.bool_], proba: NDArray[np.floating]) -> dict[str, list]:
    """Return the numbers of rows at or above thresholds of a class probability, for the class and for the others.

    The numbers are enough for ROC and precision-recall curves. A hundred thresholds are at even steps among the
    different probabilities; the whole percents between the least and the largest probability are also thresholds.

    Thresholds are rounded down to four decimals; probabilities have six. The result has ``threshold``
    (falling), ``right`` (number of rows of the class) and ``wrong`` (number of other rows).
    """
    proba = proba.round(6)  # members vote in single precision
    values = np.unique(np.floor((proba * 1e4).round(2)) / 1e4)
    kept = values[np.unique(np.linspace(0, len(values) - 1, min(100, len(values))).round().astype(int))]
    percents = np.arange(1, 100) / 100
    inside = percents[(percents > values.min(initial=1)) & (percents < values.max(initial=0))]
    thresholds = np.unique(np.concatenate([kept, inside]))[::-1]
    above = [
        (len(part) - np.searchsorted(part, thresholds)).tolist()
        for part in (np.sort(proba[is_class]), np.sort(proba[~is_class]))
    ]
    return {"threshold": thresholds.tolist(), "right": above[0], "wrong": above[1]}
