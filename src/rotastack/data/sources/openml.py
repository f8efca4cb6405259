"""Data sets of OpenML, by id, through scikit-learn."""

from __future__ import annotations

import os
import socket
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from rotastack.data.sources.base import Source
from rotastack.data.sources.net import TIMEOUT, reason
from rotastack.errors import RotastackError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OpenmlSource"]


DESCRIPTION = "https://www.openml.org/api/v1/json/data/{}"


class OpenmlSource(Source):
    """An OpenML id, or ``{id, target, drop}``; checksum and retries are scikit-learn's."""

    network: ClassVar[bool] = True
    plain: ClassVar[type | None] = int
    key: ClassVar[str | None] = "id"

    def _parts(self) -> dict[str, Any]:
        return {"id": self.value} if isinstance(self.value, int) else dict(self.value)

    def load(self) -> pd.DataFrame:
        from sklearn.datasets import fetch_openml

        parts = self._parts()
        target = parts.get("target", "default-target")
        try:
            with tempfile.TemporaryDirectory() as cache, _timeout(TIMEOUT):
                bunch = fetch_openml(
                    data_id=parts["id"],
                    target_column=target,
                    as_frame=True,
                    parser="pandas",
                    data_home=cache,
                    n_retries=3,
                    delay=float(os.environ.get("ROTASTACK_RETRY_SECONDS", "1")),
                )
        except Exception as error:  # scikit-learn lets many kinds through: all say that this source failed
            raise RotastackError(f"{self.where}: OpenML {parts['id']}: {reason(error)}") from None
        features = bunch.data.drop(columns=parts.get("drop", []))
        return features.assign(target=bunch.target.astype(str))

    def probe(self) -> None:
        address = DESCRIPTION.format(self._parts()["id"])
        try:
            with urllib.request.urlopen(address, timeout=TIMEOUT):
                pass
        except (OSError, urllib.error.URLError, ValueError) as error:
            raise RotastackError(f"{self.where}: OpenML {self._parts()['id']}: {reason(error)}") from None


@contextmanager
def _timeout(seconds: float) -> Iterator[None]:
    """Bound every wait on a socket, which scikit-learn does not."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
