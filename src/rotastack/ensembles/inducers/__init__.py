"""Estimators of one member that train on many linear views of the same rows at once."""
