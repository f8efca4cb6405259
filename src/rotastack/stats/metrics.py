"""Names of the scores of each task, and which way is better; nothing is imported."""

__all__ = ["BASELINE", "IN_UNITS", "METRICS", "NAMES", "PRIMARY"]

METRICS: dict[str, dict[str, bool | None]] = {
    "classification": {"error": False, "balanced_accuracy": True, "log_loss": False, "brier": False},
    "regression": {"rmse": False, "mae": False, "r2": True, "interval_coverage": None},
}
"""Task -> score -> whether more is better; None: neither, so that it is shown and not ranked."""

PRIMARY = {"classification": "error", "regression": "rmse"}
"""Task -> the score by which methods are ranked first, and the best one is chosen."""

IN_UNITS = ("rmse", "mae")
"""Scores in units of the target: over data sets they are compared as multiples of the baseline's."""

NAMES = {
    "error": "error", "balanced_accuracy": "balanced accuracy", "log_loss": "log loss", "brier": "Brier score",
    "rmse": "RMSE", "mae": "MAE", "r2": "R²", "interval_coverage": "coverage of the 90 % interval",
}  # fmt: skip
"""Score -> what people call it."""

BASELINE = {"classification": "always the largest class", "regression": "always the mean"}
"""Task -> what a method that looks at no column predicts; its probabilities are the class shares."""
