"""Formulas as MathML, which browsers draw themselves: no script, and nothing that is fetched."""

import re

from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

__all__ = ["setup"]

LOGGER = logging.getLogger(__name__)
BARE = re.compile(r"\\[dt]?frac\s*[^\s{]")
"""A fraction without braces: docutils would take all digits that follow for its numerator."""


def setup(app):
    """Add the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_display, None))


def _mathml(self, node, display):
    try:
        if BARE.search(node.astext()):
            raise MathError("a fraction wants braces")
        return tex2mathml(node.astext(), as_block=display)
    except MathError as error:
        LOGGER.warning("formula %r: %s", node.astext(), error, location=node)
        return self.encode(node.astext())


def _inline(self, node):
    from docutils.nodes import SkipNode

    self.body.append(f'<span class="math">{_mathml(self, node, False)}</span>')
    raise SkipNode


def _display(self, node):
    from docutils.nodes import SkipNode

    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(_mathml(self, node, True))
    self.body.append("</div>\n")
    raise SkipNode
