"""Protocols: how a study divides rows into training and test rows, and the names and sizes that follow."""
