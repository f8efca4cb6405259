"""Data sets made exactly, by a rule or a seeded generator."""

import pandas as pd

from rotastack.data.generators import generate
from rotastack.data.sources.base import Source

__all__ = ["GeneratedSource"]


class GeneratedSource(Source):
    """A generator of :mod:`rotastack.data.generators`: its name, or a mapping with its parameters."""

    def load(self) -> pd.DataFrame:
        parameters = {"name": self.value} if isinstance(self.value, str) else dict(self.value)
        return generate(parameters.pop("name"), **parameters)
