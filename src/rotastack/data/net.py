"""Downloads from the web by pooch and requests, with errors in one line."""

import os
from pathlib import Path

from rotastack.errors import in_one_line

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


def check(url: str, method: str = "HEAD") -> None:
    """Raise an OSError unless a server answers a request; the answer's content is not read."""
    import requests

    with requests.request(method, url, timeout=TIMEOUT, stream=True, allow_redirects=True) as answer:
        answer.raise_for_status()


def reason(error: BaseException) -> str:
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
