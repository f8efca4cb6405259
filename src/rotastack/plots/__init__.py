"""Plots: one function for each kind of figure; each returns a matplotlib Figure."""

from rotastack.errors import missing

try:
    import matplotlib as _matplotlib  # noqa: F401
except ModuleNotFoundError as error:
    raise missing(error) from None
