"""Uses of studies: the study of a user's own table, saved models, and explanations."""
