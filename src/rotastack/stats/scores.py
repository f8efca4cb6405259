"""Scores of predicted class probabilities: error, balanced accuracy, log loss and Brier score."""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score, log_loss

from rotastack.stats.metrics import HIGHER_IS_BETTER

__all__ = ["score_probabilities"]

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
        return dict.fromkeys(HIGHER_IS_BETTER, float("nan"))
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
