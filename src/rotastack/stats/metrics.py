"""Names of the scores, and which way is better; nothing is imported."""

__all__ = ["HIGHER_IS_BETTER", "METRICS", "PRIMARY"]

HIGHER_IS_BETTER = {"error": False, "balanced_accuracy": True, "log_loss": False, "brier": False}
"""Score -> whether more is better."""

METRICS = {"classification": HIGHER_IS_BETTER, "regression": {"rmse": False, "mae": False, "r2": True}}
"""Task -> score -> whether more is better."""

PRIMARY = {"classification": "error", "regression": "rmse"}
"""Task -> the score that methods are chosen by."""
