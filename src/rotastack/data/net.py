"""Downloads from the web by pooch and requests, and from OpenML by scikit-learn, with errors in one line."""

import os
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError, in_one_line

TIMEOUT = float(os.environ.get("ROTASTACK_TIMEOUT_SECONDS", "30"))
RETRIES = 2
DRESSING = """)"'"""
"""Ends of the texts in which urllib3 wraps an error."""


def download(url: str, path: Path) -> bytes:
    """Return the content of a file of the web, which pooch writes to `path` unless it is there.

    Pooch repeats a failed request after one and two seconds; at last it raises an OSError, or a ValueError for a wrong address.
    """
    import pooch

    pooch.get_logger().setLevel("WARNING")
    store = pooch.create(path.parent, "", registry={path.name: None}, urls={path.name: url}, retry_if_failed=RETRIES)
    return Path(store.fetch(path.name, downloader=pooch.HTTPDownloader(timeout=TIMEOUT))).read_bytes()


def check(url: str, where: str, method: str = "HEAD") -> None:
    """Raise a RotastackError unless a server answers a request; the answer's content is not read."""
    import requests

    with errors_named(where), requests.request(method, url, timeout=TIMEOUT, stream=True) as answer:
        answer.raise_for_status()


@contextmanager
def errors_named(where: str) -> Iterator[None]:
    """Turn the errors of a download in the block into a RotastackError, whose message begins with `where`."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise RotastackError(f"{where}: {_reason(error)}") from None


def _reason(error: BaseException) -> str:
    """Return in a few words why a download failed."""
    from requests import exceptions

    if isinstance(error, exceptions.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, exceptions.Timeout) or "Read timed out" in str(error):
        return "the server did not answer in time"
    if isinstance(error, exceptions.ChunkedEncodingError):
        return "the download broke off"
    if isinstance(error, (exceptions.InvalidSchema, exceptions.MissingSchema, exceptions.InvalidURL)):
        return f"not a web address, https://... or http://... ({in_one_line(error)})"
    if isinstance(error, exceptions.ConnectionError):
        return f"no connection ({str(error).rpartition(': ')[2].rstrip(DRESSING):.100})"
    return in_one_line(error)


def openml_table(number: int, where: str, target: str = "default-target", drop: Sequence[str] = ()) -> Any:
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
