"""Tracking: records that every step writes, and the one writer that sends them to MLflow."""
