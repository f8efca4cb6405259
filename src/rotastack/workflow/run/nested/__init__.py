"""Repeated nested cross-validation over rotation groups and fold groups (thesis, section 3.3.2)."""
