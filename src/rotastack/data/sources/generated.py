"""Data sets that a rule or a seeded generator makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rotastack.data.sources.source import Source

if TYPE_CHECKING:
    import pandas as pd


class GeneratedSource(Source):
    """A generator of :mod:`rotastack.data.generators`, written as its name, or a mapping of name and parameters."""

    plain: ClassVar[type | None] = str
    key: ClassVar[str | None] = "name"

    def load(self) -> pd.DataFrame:
        from rotastack.data.generators import generate

        return generate(**self.parts)
