"""Names and directions of the scores of each task; this module imports nothing."""

METRICS: dict[str, dict[str, bool | None]] = {
    "classification": {
        "error": False,
        "balanced_accuracy": True,
        "roc_auc": True,
        "average_precision": True,
        "f1": True,
        "log_loss": False,
        "clipped_log_loss": False,
        "brier": False,
    },
    "regression": {"rmse": False, "mae": False, "r2": True, "pinball": False, "interval_coverage": None},
}
"""Task -> score -> whether higher is better; a score with None has no better direction and is not ranked."""

PRIMARY = {"classification": "error", "regression": "rmse"}
"""Task -> the score that ranks methods in a study that names no score."""

IN_UNITS = ("rmse", "mae", "pinball")
"""Scores in units of the target; over data sets, multiples of the baseline's score are compared."""

DECIDED = ("error", "balanced_accuracy", "f1")
"""Scores of decisions for classes; the other scores of a classification are of probabilities."""

NAMES = {
    "error": "error",
    "balanced_accuracy": "balanced accuracy",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "f1": "F1",
    "log_loss": "log loss",
    "clipped_log_loss": "clipped log loss",
    "brier": "Brier score",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
    "pinball": "pinball loss of the 90 % interval",
    "interval_coverage": "coverage of the 90 % interval",
}
"""Score -> its name in texts and figures."""

BASELINE = dict.fromkeys(METRICS["classification"], "predicting the class frequencies")
BASELINE |= dict.fromkeys(DECIDED, "predicting the majority class")
BASELINE |= dict.fromkeys(METRICS["regression"], "predicting the mean")
"""Score -> prediction of the baseline, which reads no column."""

_SCORERS = {
    "accuracy": "error",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier",
    "roc_auc_ovr": "roc_auc",
    "f1_macro": "f1",
    "auc": "roc_auc",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
}
"""scikit-learn's name of a scorer -> the score, where the names differ."""


def higher_is_better(score: str) -> bool | None:
    """Return whether higher values of a score are better, or None for a score without a better direction."""
    return next(scores[score] for scores in METRICS.values() if score in scores)


def best_possible(score: str) -> float:
    """Return the best possible value of a score: 1 if higher is better, else 0."""
    return 1.0 if higher_is_better(score) else 0.0


def ranked_scores(task: str) -> list[str]:
    """Return the scores of a task by which methods can be ranked."""
    return [score for score, higher in METRICS[task].items() if higher is not None]


def score_named(name: str, task: str) -> str:
    """Return the score with this name, which may be that of scikit-learn's scorer; ValueError lists the ranked ones."""
    score = _SCORERS.get(name, name)
    if score not in ranked_scores(task):
        raise ValueError(f"{name!r} is not a score of a {task}; allowed: {', '.join(ranked_scores(task))}")
    return score
