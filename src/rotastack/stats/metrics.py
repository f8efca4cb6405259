"""Names of the scores, and which way is better; nothing is imported."""

__all__ = ["HIGHER_IS_BETTER"]

HIGHER_IS_BETTER = {"error": False, "balanced_accuracy": True, "log_loss": False, "brier": False}
"""Score -> whether more is better."""
