"""Data sets of OpenML, by id, loaded by scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rotastack.data.net import check, reason
from rotastack.data.openml import openml_table
from rotastack.data.sources.source import Source
from rotastack.errors import RotastackError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OpenmlSource"]


DESCRIPTION = "https://www.openml.org/api/v1/json/data/{}"


class OpenmlSource(Source):
    """A data set of OpenML, written as an id or as ``{id, target, drop}``; scikit-learn checks and retries."""

    network: ClassVar[bool] = True
    plain: ClassVar[type | None] = int
    key: ClassVar[str | None] = "id"

    def _parts(self) -> dict[str, Any]:
        return {"id": self.value} if isinstance(self.value, int) else dict(self.value)

    def load(self) -> pd.DataFrame:
        parts = self._parts()
        target, drop = parts.get("target", "default-target"), parts.get("drop", [])
        return openml_table(parts["id"], self.where, target, drop)

    def probe(self) -> None:
        address = DESCRIPTION.format(self._parts()["id"])
        try:
            check(address, "GET")
        except (OSError, ValueError) as error:
            raise RotastackError(f"{self.where}: OpenML {self._parts()['id']}: {reason(error)}") from None
