"""Forests on rotated features, grown by the compiled kernel."""
