"""Ensembles: pools of members and the estimators over them. Their public names are those of ``rotastack``."""
