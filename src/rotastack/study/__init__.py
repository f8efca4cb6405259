"""Studies: typed configuration, artifacts, and one step per workflow rule."""
