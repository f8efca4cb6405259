"""Pools of members, and the estimators over them."""
