"""What is made of results: one's own table, saved models, explanations."""
