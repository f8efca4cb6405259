"""The workshop above the library: studies, their runs and verdicts, the user's own table, saved models, and MLflow."""
