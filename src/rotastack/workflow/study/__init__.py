"""Studies: the typed configuration, the catalogue of classes, and the protocols."""
