"""Estimators that train members on many linear views of the same rows at once."""
