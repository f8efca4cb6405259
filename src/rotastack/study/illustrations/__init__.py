"""Figures of the sources that show how methods work, on problems drawn anew.

Each file holds ``DRAW``: name of a figure -> function of a seed sequence that draws it.
"""
