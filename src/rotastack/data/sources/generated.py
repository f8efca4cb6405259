"""Data sets that a rule or a seeded generator makes."""

from rotastack.data.sources.source import Source


class GeneratedSource(Source):
    """A generator of :mod:`rotastack.data.generators`, written as its name, or a mapping of name and parameters."""

    plain = str
    key = "name"

    def load(self):
        from rotastack.data.generators import generate

        return generate(**self.parts)
