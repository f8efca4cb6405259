"""Calibration, confusion matrix and counts by threshold of predicted class probabilities."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["calibration_curve", "calibration_error", "confusion", "threshold_counts"]


def calibration_curve(y: NDArray[np.integer], proba: NDArray[np.floating], n_bins: int = 10) -> pd.DataFrame:
    """Return the mean confidence and the accuracy of decisions, by bins of confidence.

    The confidence of a decision is the largest probability of its row. Unlike scikit-learn's function of this
    name, this function takes any number of classes. It also counts rows, so that curves of several data sets can be
    averaged.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Class numbers.
    proba : ndarray of shape (n_rows, n_classes)
        Class probabilities; rows sum to 1.
    n_bins : int
        Number of bins, of equal width from 0 to 1. A confidence on the border of two bins counts in the lower bin.

    Returns
    -------
    DataFrame
        A row for each bin that is not empty: its number ``bin`` (from 0), its number of ``rows``, their mean
        ``confidence`` and their ``accuracy``.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger, On calibration of modern neural networks, ICML 2017, eqs. 2 and 3.

    Examples
    --------
    >>> import numpy as np
    >>> proba = np.array([[0.9, 0.1], [0.94, 0.06], [0.3, 0.7]])
    >>> calibration_curve(np.array([0, 1, 1]), proba).round(2).to_dict("records")
    [{'bin': 6, 'rows': 1, 'confidence': 0.7, 'accuracy': 1.0}, {'bin': 8, 'rows': 1, 'confidence': 0.9, 'accuracy': 1.0}, {'bin': 9, 'rows': 1, 'confidence': 0.94, 'accuracy': 0.0}]
    """
    confidence = proba.max(axis=1)
    right = proba.argmax(axis=1) == y
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
    """Return the expected calibration error: the mean distance of accuracy from confidence, weighted by rows.

    Parameters
    ----------
    curve : DataFrame
        From :func:`calibration_curve`: columns ``rows``, ``confidence`` and ``accuracy``.

    Returns
    -------
    float
        0 for perfect calibration, at most 1.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger, ICML 2017, eq. 5.

    Examples
    --------
    >>> import numpy as np
    >>> proba = np.array([[0.8, 0.2], [0.8, 0.2]])
    >>> round(calibration_error(calibration_curve(np.array([0, 1]), proba)), 6)
    0.3
    """
    return float(np.average((curve["accuracy"] - curve["confidence"]).abs(), weights=curve["rows"]))


def confusion(y: NDArray[np.integer], proba: NDArray[np.floating]) -> list[list[int]]:
    """Return the confusion matrix: numbers of rows, by true class (rows) and decision (columns).

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Class numbers.
    proba : ndarray of shape (n_rows, n_classes)
        Class probabilities; ties go to the lower class number.

    Examples
    --------
    >>> import numpy as np
    >>> confusion(np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]))
    [[1, 0], [1, 1]]
    """
    k = proba.shape[1]
    return np.bincount(y * k + proba.argmax(axis=1), minlength=k * k).reshape(k, k).tolist()


def threshold_counts(is_class: NDArray[np.bool_], proba: NDArray[np.floating]) -> dict[str, list]:
    """Return the numbers of rows at or above thresholds of a class probability, for the class and for the others.

    The numbers are enough for ROC and precision-recall curves. A hundred thresholds are at even steps among the
    different probabilities; the whole percents between the least and the largest probability are also thresholds.

    Parameters
    ----------
    is_class : ndarray of bool of shape (n_rows,)
    proba : ndarray of shape (n_rows,)
        Probability of the class, which is rounded to four decimals.

    Returns
    -------
    dict
        ``threshold`` (falling), ``right`` (number of rows of the class) and ``wrong`` (number of other rows).

    Examples
    --------
    >>> import numpy as np
    >>> threshold_counts(np.array([True, True, False]), np.array([0.93, 0.91, 0.92]))
    {'threshold': [0.93, 0.92, 0.91], 'right': [1, 1, 2], 'wrong': [0, 1, 1]}
    """
    proba = proba.round(4)
    values = np.unique(proba)
    kept = values[np.unique(np.linspace(0, len(values) - 1, min(100, len(values))).round().astype(int))]
    percents = np.arange(1, 100) / 100
    inside = percents[(percents > values.min(initial=1)) & (percents < values.max(initial=0))]
    thresholds = np.unique(np.concatenate([kept, inside]))[::-1]
    above = [
        (len(part) - np.searchsorted(part, thresholds)).tolist()
        for part in (np.sort(proba[is_class]), np.sort(proba[~is_class]))
    ]
    return {"threshold": thresholds.tolist(), "right": above[0], "wrong": above[1]}
