"""Plots: one function for each kind of figure; each returns a matplotlib Figure."""

from rotastack.errors import not_installed_error

try:
    import matplotlib as _matplotlib  # noqa: F401
except ModuleNotFoundError as error:
    raise not_installed_error(error) from None
