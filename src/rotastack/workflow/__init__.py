"""The workshop above the library: studies, their runs, the verdict on them, a user's own table, and MLflow."""
