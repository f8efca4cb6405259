"""Forests on rotations, grown by the compiled kernel."""
