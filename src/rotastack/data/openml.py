"""Data sets of OpenML, loaded by scikit-learn."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rotastack.data.net import TIMEOUT
from rotastack.errors import RotastackError, in_one_line

if TYPE_CHECKING:
    import pandas as pd


def openml_table(number: int, where: str, target: str = "default-target", drop: Sequence[str] = ()) -> pd.DataFrame:
    """Return a data set of OpenML; the last column is ``target``. scikit-learn checks the checksum, and retries.

    A data set that is not available raises a RotastackError, whose message begins with `where`.
    """
    from sklearn.datasets import fetch_openml

    try:
        with tempfile.TemporaryDirectory() as cache, _timeout(TIMEOUT):
            bunch = fetch_openml(
                data_id=number,
                target_column=target,
                as_frame=True,
                parser="pandas",
                data_home=cache,
                n_retries=3,
                delay=float(os.environ.get("ROTASTACK_RETRY_SECONDS", "1")),
            )
    except Exception as error:  # fetch_openml raises many kinds of exceptions: in each case this source failed
        raise RotastackError(f"{where}: OpenML {number}: {in_one_line(error)}") from None
    return bunch.data.drop(columns=list(drop)).assign(target=bunch.target.astype(str))


@contextmanager
def _timeout(seconds: float) -> Iterator[None]:
    """Set a time-out for all new sockets, because scikit-learn sets none."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
