"""Figures of a study, of its data sets, and of members."""
