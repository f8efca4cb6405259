"""Protocols: how rows are divided, and what that means for folds, training, combining, files and sizes."""
