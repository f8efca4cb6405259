"""Names of the scores of each task, and which way is better; nothing is imported."""

__all__ = ["BASELINE", "IN_UNITS", "METRICS", "NAMES", "OPTIMA", "PRIMARY", "higher_is_better", "score_named"]

METRICS: dict[str, dict[str, bool | None]] = {
    "classification": {
        "error": False, "balanced_accuracy": True, "roc_auc": True, "average_precision": True, "f1": True,
        "log_loss": False, "brier": False,
    },
    "regression": {"rmse": False, "mae": False, "r2": True, "pinball": False, "interval_coverage": None},
}  # fmt: skip
"""Task -> score -> whether more is better; None: neither, so that it is shown and not ranked."""

PRIMARY = {"classification": "error", "regression": "rmse"}
"""Task -> the score that methods are ranked by in a study that names none."""

IN_UNITS = ("rmse", "mae", "pinball")
"""Scores in units of the target: over data sets they are compared as multiples of the baseline's."""

OPTIMA = {"balanced_accuracy": 1.0, "roc_auc": 1.0, "average_precision": 1.0, "f1": 1.0, "r2": 1.0}
"""Score -> the best possible one; of the others it is 0."""

NAMES = {
    "error": "error", "balanced_accuracy": "balanced accuracy", "roc_auc": "ROC AUC",
    "average_precision": "average precision", "f1": "F1", "log_loss": "log loss", "brier": "Brier score",
    "rmse": "RMSE", "mae": "MAE", "r2": "R²", "pinball": "pinball loss of the 90 % interval",
    "interval_coverage": "coverage of the 90 % interval",
}  # fmt: skip
"""Score -> what people call it."""

BASELINE = {"classification": "always the largest class", "regression": "always the mean"}
"""Task -> what a method that looks at no column predicts; its probabilities are the class shares."""

_SCORERS = {
    "accuracy": "error", "neg_log_loss": "log_loss", "neg_brier_score": "brier", "roc_auc_ovr": "roc_auc",
    "f1_macro": "f1", "neg_root_mean_squared_error": "rmse", "neg_mean_absolute_error": "mae",
}  # fmt: skip
"""scikit-learn's name of a scorer -> the score, where the two differ."""


def higher_is_better(score: str) -> bool | None:
    """Return whether more of a score is better; None if neither is."""
    return next(scores[score] for scores in METRICS.values() if score in scores)


def score_named(name: str, task: str) -> str:
    """Return the score of a name: the score's own, or that of scikit-learn's scorer.

    Raises
    ------
    ValueError
        The task has no such score, or methods are not ranked by the score; with the names that there are.

    Examples
    --------
    >>> score_named("neg_log_loss", "classification"), score_named("rmse", "regression")
    ('log_loss', 'rmse')
    """
    score = _SCORERS.get(name, name)
    ranked = [score for score, higher in METRICS[task].items() if higher is not None]
    if score not in ranked:
        raise ValueError(f"{name!r} is no score of a {task}; there are {', '.join(ranked)}")
    return score
