"""Estimators of one member."""
