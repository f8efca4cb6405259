"""Tracking: records that every step writes, and the one writer that sends them to MLflow."""

import os

os.environ.setdefault(
    "MLFLOW_DISABLE_TELEMETRY", "true"
)  # MLflow reads this at its import: no usage data leaves this machine
