"""Tracking: records written by every step, and the one writer that brings them to MLflow."""
