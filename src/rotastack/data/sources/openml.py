"""Data sets of OpenML, by id, loaded by scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rotastack.data.net import check, reason
from rotastack.data.openml import openml_table
from rotastack.data.sources.source import Source
from rotastack.errors import RotastackError

if TYPE_CHECKING:
    import pandas as pd


DESCRIPTION = "https://www.openml.org/api/v1/json/data/{}"


class OpenmlSource(Source):
    """A data set of OpenML, written as an id or as ``{id, target, drop}``; scikit-learn checks and retries."""

    network: ClassVar[bool] = True
    plain: ClassVar[type | None] = int
    key: ClassVar[str | None] = "id"

    def load(self) -> pd.DataFrame:
        target, drop = self.parts.get("target", "default-target"), self.parts.get("drop", [])
        return openml_table(self.parts["id"], self.where, target, drop)

    def probe(self) -> None:
        try:
            check(DESCRIPTION.format(self.parts["id"]), "GET")
        except (OSError, ValueError) as error:
            raise RotastackError(f"{self.where}: OpenML {self.parts['id']}: {reason(error)}") from None
