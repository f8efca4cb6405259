"""Downloads from the web, with time-outs, retries, checks of the length, and errors in one line."""

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

__all__ = ["TIMEOUT", "download", "open_url", "reason"]

TIMEOUT = float(os.environ.get("ROTASTACK_TIMEOUT_SECONDS", "30"))


MOST = 1 << 33
"""Largest number of bytes of a response."""
SCHEMES = ("http", "https")


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener of web addresses that follows no redirect to another kind of address."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler, urllib.request.UnknownHandler, urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler, urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
    ):  # fmt: skip
        opener.add_handler(handler())
    return opener


def open_url(request: str | urllib.request.Request) -> Any:
    """Return the open response of a web address.

    Raises
    ------
    OSError
        The request fails.
    ValueError
        Not a web address. A study from somebody else must not read files of this computer by an address.
    """
    address = request if isinstance(request, str) else request.full_url
    if urllib.parse.urlsplit(address).scheme.lower() not in SCHEMES:
        raise ValueError(f"{address!r:.100} is not a web address (https://..., http://...)")
    return _opener().open(request, timeout=TIMEOUT)


def reason(error: BaseException) -> str:
    """Return in a few words why a request failed."""
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        return f"no connection ({error.reason})"
    if isinstance(error, TimeoutError):
        return "the server did not answer in time"
    if isinstance(error, (http.client.IncompleteRead, EOFError)):
        return "the download broke off"
    return " ".join(str(error).split()) or type(error).__name__


def download(url: str, sha256: str | None = None, tries: int = 3) -> bytes:
    """Return the complete body of a response.

    After time-outs, connection errors, incomplete bodies and server errors (5xx) the request is repeated. The pauses
    are 1, 2, ... times ``ROTASTACK_RETRY_SECONDS`` (1 second by default).

    Raises
    ------
    OSError
        All tries failed (the last error is raised), or the checksum is not `sha256`.
    """
    pause = float(os.environ.get("ROTASTACK_RETRY_SECONDS", "1"))
    for attempt in range(1, tries + 1):
        try:
            with open_url(url) as response:
                body = response.read(MOST + 1)
                if len(body) > MOST:
                    raise ValueError(f"the file has more than {MOST:,} bytes, the limit of downloads")
                expected = response.headers.get("Content-Length")
                if expected is not None and len(body) != int(expected):
                    raise http.client.IncompleteRead(body, int(expected) - len(body))
            break
        except urllib.error.HTTPError as error:
            if error.code < 500 or attempt == tries:
                raise
        except (OSError, http.client.HTTPException):
            if attempt == tries:
                raise
        time.sleep(pause * attempt)
    actual = hashlib.sha256(body).hexdigest()
    if sha256 is not None and actual != sha256:
        raise OSError(f"wrong checksum: sha256 is {actual}, expected {sha256}")
    return body
