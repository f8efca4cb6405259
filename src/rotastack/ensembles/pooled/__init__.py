"""Pools of members, and the estimators on pools."""
