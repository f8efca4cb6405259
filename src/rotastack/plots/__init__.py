"""Plots: one function per figure; each returns a matplotlib Figure."""
