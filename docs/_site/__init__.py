"""What the site makes of the project itself: reference pages, tables of results, formulas without scripts."""

__all__ = ["setup"]


def setup(app):
    """Add what Sphinx does not bring."""
    from _site import api, mathml, parts  # tests use them one by one, without Sphinx

    mathml.setup(app)
    app.connect("builder-inited", api.write_pages)
    app.connect("env-get-outdated", parts.with_parts)
    app.connect("source-read", parts.fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
