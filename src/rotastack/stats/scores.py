"""Scores of predicted class probabilities, and of predicted numbers."""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score, log_loss

from rotastack.stats.metrics import METRICS

__all__ = ["constant_output", "score_numbers", "score_probabilities"]

_CLIP = 1e-3


def score_probabilities(y: NDArray[np.integer], proba: NDArray[np.floating]) -> dict[str, float]:
    """Score predicted class probabilities of all rows of a data set.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Class numbers.
    proba : ndarray of shape (n_rows, n_classes)
        Missing values (a failed method) give missing scores.

    Returns
    -------
    dict
        ``error`` (share of wrong decisions; ties go to the lower class number),
        ``balanced_accuracy``, ``log_loss`` (natural logarithm; probabilities clipped at
        0.001 and renormalised, as forests often output 0), ``brier`` (sum over classes of squared
        differences from the one-hot class, averaged over rows, 0 to 2).

    Examples
    --------
    >>> import numpy as np
    >>> s = score_probabilities(np.array([0, 1]), np.array([[0.8, 0.2], [0.6, 0.4]]))
    >>> {name: round(value, 3) for name, value in s.items()}
    {'error': 0.5, 'balanced_accuracy': 0.5, 'log_loss': 0.57, 'brier': 0.4}
    """
    if not np.isfinite(proba).all():
        return dict.fromkeys(METRICS["classification"], float("nan"))
    proba = np.asarray(proba, dtype=np.float64)
    proba = proba / proba.sum(axis=1, keepdims=True)
    labels = np.arange(proba.shape[1])
    decision = proba.argmax(axis=1)
    clipped = np.clip(proba, _CLIP, 1)
    clipped /= clipped.sum(axis=1, keepdims=True)
    one_hot = y[:, None] == labels
    with warnings.catch_warnings():  # a rare class may have no test row, and be predicted all the same
        warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
        balanced = float(balanced_accuracy_score(y, decision))
    return {
        "error": float(np.mean(decision != y)),
        "balanced_accuracy": balanced,
        "log_loss": float(log_loss(y, clipped, labels=labels)),
        "brier": float(((proba - one_hot) ** 2).sum(axis=1).mean()),
    }


def score_numbers(y: NDArray[np.floating], outputs: NDArray[np.floating]) -> dict[str, float]:
    """Score predicted numbers, and the intervals around them.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
    outputs : ndarray of shape (n_rows, 3)
        Prediction, and the ends of an interval, which may be missing. Missing predictions (a failed method) give
        missing scores.

    Returns
    -------
    dict
        ``rmse`` (root of the mean squared difference), ``mae`` (mean absolute difference), ``r2`` (1 less the
        squared differences as a share of those to the mean of `y`; missing where `y` is constant),
        ``interval_coverage`` (share of rows within their interval; missing where one is).

    Examples
    --------
    >>> import numpy as np
    >>> s = score_numbers(np.array([1.0, 3.0]), np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 2.5]]))
    >>> {name: round(value, 3) for name, value in s.items()}
    {'rmse': 0.707, 'mae': 0.5, 'r2': 0.5, 'interval_coverage': 0.5}
    """
    missing = float("nan")
    predicted, lower, upper = outputs.T
    if not np.isfinite(predicted).all():
        return dict.fromkeys(METRICS["regression"], missing)
    gaps, spread = y - predicted, np.sum((y - y.mean()) ** 2)
    known = np.isfinite(lower).all() and np.isfinite(upper).all()
    return {
        "rmse": float(np.sqrt(np.mean(gaps**2))),
        "mae": float(np.mean(np.abs(gaps))),
        "r2": float(1 - np.sum(gaps**2) / spread) if spread > 0 else missing,
        "interval_coverage": float(np.mean((lower <= y) & (y <= upper))) if known else missing,
    }


def constant_output(y: NDArray, n_classes: int | None) -> NDArray[np.float64]:
    """Return the best output that looks at no column: the shares of the classes, or the mean without an interval.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Class numbers, or numbers, of training rows.
    n_classes : int or None
        None for numbers.

    Examples
    --------
    >>> import numpy as np
    >>> constant_output(np.array([0, 1, 1, 1]), 2).tolist(), constant_output(np.array([1.0, 2.0]), None).tolist()
    ([0.25, 0.75], [1.5, nan, nan])
    """
    if n_classes is None:
        return np.array([y.mean(), np.nan, np.nan])
    return np.bincount(y, minlength=n_classes) / len(y)
