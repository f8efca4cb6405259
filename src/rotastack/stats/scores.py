"""Scores of predicted class probabilities and of predicted numbers."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score, mean_pinball_loss, roc_auc_score

from rotastack.base.warned import ignoring
from rotastack.stats.metrics import METRICS

MEANS = ("error", "log_loss", "clipped_log_loss", "brier")
"""Scores of class probabilities that are means of the rows' losses."""

_CLIP = 1e-3


def score_probabilities(
    y: NDArray[np.integer], proba: NDArray[np.floating], positive: int = 1, weights: NDArray[np.float64] | None = None
) -> dict[str, float]:
    """Return the scores of predicted class probabilities of all rows of a data set.

    `y` are class numbers. Missing values of `proba` (a failed method) give missing scores. `positive` is the positive
    class of ``average_precision`` and ``f1`` if there are two. `weights` of rows are optional.

    Returns
    -------
    dict
        ``error`` (share of wrong decisions; ties go to the lower class number), ``balanced_accuracy``,
        ``roc_auc`` and ``average_precision`` (with more than two classes the mean over the classes in `y`, each against
        all others; NaN if `y` has one class), ``f1`` (with more than two classes the mean over the classes in `y` or in
        a decision), and the means of :func:`row_losses`. All but ``clipped_log_loss`` have the values of scikit-learn's
        functions.
    """
    if not np.isfinite(proba).all():
        return dict.fromkeys(METRICS["classification"], float("nan"))
    given = np.asarray(proba, dtype=np.float64)
    proba = given / given.sum(axis=1, keepdims=True)
    labels = np.arange(proba.shape[1])
    decision = proba.argmax(axis=1)
    with ignoring("y_pred contains classes not in y_true|A single label was found"):  # A class may have no test row.
        balanced = float(balanced_accuracy_score(y, decision, sample_weight=weights))
    means = {name: float(np.average(row_losses(name, y, proba), weights=weights)) for name in MEANS}
    two = {"pos_label": positive} if len(labels) == 2 else {"average": "macro"}
    return {
        "error": means["error"],
        "balanced_accuracy": balanced,
        **_rank_scores(y, with_ties(given), [positive] if len(labels) == 2 else labels, weights),
        "f1": float(f1_score(y, decision, zero_division=0, sample_weight=weights, **two)),
        **{name: means[name] for name in MEANS[1:]},
    }


def row_losses(score: str, y: NDArray[np.integer], proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the loss of each row by one of ``MEANS``; `proba` are class probabilities whose sum is 1.

    ``error`` is 1 for a wrong decision; ``log_loss`` has the natural logarithm. scikit-learn's log loss of a probability 0
    is 36. Forests often give probability 0, and a few such rows then decide the mean, so ``clipped_log_loss`` has
    probabilities that are clipped at 0.001 and renormalised. ``brier`` is the sum over classes of the squared differences
    from the row's class, 0 to 2, or with two classes half of that sum.
    """
    if score == "error":
        return (proba.argmax(axis=1) != y).astype(np.float64)
    if score == "brier":
        halves = 2 if proba.shape[1] == 2 else 1
        return ((proba - (y[:, None] == np.arange(proba.shape[1]))) ** 2).sum(axis=1) / halves
    if score == "log_loss":
        least = np.finfo(np.float64).eps
        return -np.log(np.clip(proba[np.arange(len(y)), y], least, 1 - least))
    clipped = np.clip(proba, _CLIP, 1)
    return -np.log(clipped[np.arange(len(y)), y] / clipped.sum(axis=1))


def with_ties(outputs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return class probabilities for ranks: those that differ by rounding alone are equal."""
    sums = outputs.sum(axis=1, keepdims=True)  # about 1 for single precision; equal shares divided by it would differ
    return (outputs / np.where(np.abs(sums - 1) < 1e-6, 1, sums)).round(12)


def _rank_scores(
    y: NDArray[np.integer], proba: NDArray[np.float64], classes: Iterable[int], weights: NDArray[np.float64] | None
) -> dict[str, float]:
    """Return the means over classes of the area under the ROC curve and of average precision."""
    middle, last = (rankdata(-proba, method, axis=0) for method in ("average", "max"))
    areas, precisions = [], []
    for k in classes:
        is_class = y == k
        n, others = is_class.sum(), (~is_class).sum()
        if n and others and weights is not None:
            areas.append(roc_auc_score(is_class, proba[:, k], sample_weight=weights))
            precisions.append(average_precision_score(is_class, proba[:, k], sample_weight=weights))
        elif n and others:
            # The area is the share of pairs (row of the class, other row) in the right order; ties count half.
            areas.append(1 - (middle[is_class, k].sum() - n * (n + 1) / 2) / (n * others))
            precisions.append(np.mean(rankdata(-proba[is_class, k], "max") / last[is_class, k]))
    missing = float("nan")
    return {
        "roc_auc": float(np.mean(areas)) if areas else missing,
        "average_precision": float(np.mean(precisions)) if precisions else missing,
    }


def score_numbers(y: NDArray[np.floating], outputs: NDArray[np.floating]) -> dict[str, float]:
    """Return the scores of predicted numbers and of their intervals.

    `outputs` has the prediction, and the lower and upper end of an interval, which may be missing. Missing predictions (a
    failed method) give missing scores.

    Returns
    -------
    dict
        ``rmse`` (root of the mean squared difference), ``mae`` (mean absolute difference), ``r2`` (1 - sum of squared
        differences / sum of squared differences of `y` from its mean; NaN if `y` is constant), ``pinball`` (mean
        pinball loss of the interval's ends as quantiles .05 and .95), ``interval_coverage`` (share of rows within their
        interval). The last two are NaN if the end of an interval is missing.
    """
    missing = float("nan")
    predicted, lower, upper = outputs.T
    if not np.isfinite(predicted).all():
        return dict.fromkeys(METRICS["regression"], missing)
    gaps, spread = y - predicted, np.sum((y - y.mean()) ** 2)
    pinball = coverage = missing
    if np.isfinite(outputs[:, 1:]).all():
        pinball = np.mean([mean_pinball_loss(y, lower, alpha=0.05), mean_pinball_loss(y, upper, alpha=0.95)]).item()
        coverage = float(np.mean((lower <= y) & (y <= upper)))
    return {
        "rmse": float(np.sqrt(np.mean(gaps**2))),
        "mae": float(np.mean(np.abs(gaps))),
        "r2": float(1 - np.sum(gaps**2) / spread) if spread > 0 else missing,
        "pinball": pinball,
        "interval_coverage": coverage,
    }


def constant_output(y: NDArray, n_classes: int | None) -> NDArray[np.float64]:
    """Return the output of the baseline that reads no column: class shares, or the mean and a 90 % interval.

    `y` are class numbers, or target numbers if `n_classes` is None, of the training rows.
    """
    if n_classes is None:
        return np.array([y.mean(), *np.quantile(y, [0.05, 0.95])])
    return np.bincount(y, minlength=n_classes) / len(y)
