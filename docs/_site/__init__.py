"""What the site makes of the project itself: reference pages, tables of results, formulas without scripts."""

from _site import api, mathml, parts

__all__ = ["setup"]


def setup(app):
    """Add what Sphinx does not bring."""
    mathml.setup(app)
    app.connect("builder-inited", api.write_pages)
    app.connect("source-read", parts.fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
