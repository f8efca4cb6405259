"""The user's own table and models: the study of a table, saved models, and explanations."""
