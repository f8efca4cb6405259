"""scikit-learn's values of scores."""

import numpy as np
from sklearn import metrics


def scikit_learns(score, y, outputs, positive=1, weights=None):
    """Return scikit-learn's value of a score of weighted rows; with two classes `positive` is the one looked for."""
    two, labels, decided = outputs.shape[1] == 2, range(outputs.shape[1]), outputs.argmax(axis=1)
    options = {"sample_weight": weights}
    if score in ("roc_auc", "average_precision"):
        area = getattr(metrics, f"{score}_score")  # differences by rounding are ties
        return np.mean([area(y == k, outputs[:, k].round(12), **options) for k in ([positive] if two else labels)])
    if score == "clipped_log_loss":  # scikit-learn has none
        clipped = np.clip(outputs, 1e-3, 1)
        return np.average(-np.log(clipped[np.arange(len(y)), y] / clipped.sum(axis=1)), weights=weights)
    by_name = {
        "error": lambda: 1 - metrics.accuracy_score(y, decided, **options),
        "balanced_accuracy": lambda: metrics.balanced_accuracy_score(y, decided, **options),
        "f1": lambda: metrics.f1_score(y, decided, pos_label=positive, average="binary" if two else "macro", **options),
        "log_loss": lambda: metrics.log_loss(y, outputs, **options),
        "brier": lambda: metrics.brier_score_loss(y, outputs[:, 1] if two else outputs, labels=list(labels), **options),
        "rmse": lambda: metrics.root_mean_squared_error(y, outputs[:, 0], **options),
        "mae": lambda: metrics.mean_absolute_error(y, outputs[:, 0], **options),
        "r2": lambda: metrics.r2_score(y, outputs[:, 0], **options),
        "pinball": lambda: sum(
            metrics.mean_pinball_loss(y, outputs[:, k], alpha=a, **options) / 2 for k, a in [(1, 0.05), (2, 0.95)]
        ),
    }
    return by_name[score]()
