"""What members that predict numbers give for a row. Nothing is imported here: steps that only read need no scikit-learn."""

__all__ = ["NUMBERS"]

NUMBERS = ("prediction", "lower", "upper")
"""Outputs of a regressor with an interval; the ends are missing where it has none."""
