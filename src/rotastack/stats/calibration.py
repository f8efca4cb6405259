"""Calibration: the accuracy of decisions against their confidence."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["calibration_curve", "calibration_error"]


def calibration_curve(y: NDArray[np.integer], proba: NDArray[np.floating], n_bins: int = 10) -> pd.DataFrame:
    """Return the mean confidence and the accuracy of decisions, by bins of confidence.

    The confidence of a decision is the largest probability of its row. Unlike scikit-learn's function of this
    name it takes any number of classes, and counts rows, so that curves of several tables can be averaged.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Class numbers.
    proba : ndarray of shape (n_rows, n_classes)
        Class probabilities; rows sum to 1.
    n_bins : int
        Number of bins, of equal width from 0 to 1; a confidence on the border of two bins counts in the lower
        one.

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
        0 for perfect calibration, 1 at most.

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
