"""Studies: the typed document, the catalogue of classes, the protocols, and the specs of steps."""
