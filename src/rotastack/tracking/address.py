"""The address that runs are tracked at: what may be shown of it, which receipts are its own, and whether anybody answers."""

import base64
import hashlib
import http.client
import json
import os
import re
import socket
import sqlite3
import ssl
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from rotastack.errors import RotastackError, in_one_line

__all__ = ["FOLDER", "VARIABLE", "check_address", "database_file", "is_own", "receipt_name", "shown", "without_secrets"]

FOLDER = Path("results/mlflow")
VARIABLE = "MLFLOW_TRACKING_URI"
PATIENCE = 5
"""Seconds that an answer may take before anything is computed."""

RECEIPTS = "results/*/tracking*.json results/*/*/tracking*.json"


def is_own(uri: str | None) -> bool:
    """Tell whether an address is that of the database in the working directory, which is where runs go unless told otherwise."""
    return not uri or database_file(uri) == (FOLDER / "mlflow.db").resolve()


def database_file(uri: str) -> Path | None:
    """Return the file of an SQLite address; None of any other."""
    return Path(uri.removeprefix("sqlite:///")).resolve() if uri.startswith("sqlite:///") else None


def shown(uri: str) -> str:
    """Return an address as it may stand in files, logs and messages: without user, password and options."""
    parts = urlsplit(uri)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def without_secrets(text: str, uri: str) -> str:
    """Return a text of somebody else's with what is secret of the address taken out."""
    parts = urlsplit(uri)
    login = parts.netloc.rpartition("@")[0]
    words = {login, parts.query, parts.password, unquote(parts.password or ""), os.environ.get("MLFLOW_TRACKING_TOKEN"),
             os.environ.get("MLFLOW_TRACKING_PASSWORD")}  # fmt: skip
    for word in sorted((w for w in words if w), key=len, reverse=True):
        text = text.replace(word, "***")
    return text


def receipt_name(uri: str | None) -> str:
    """Return the name of receipts of runs that were brought to an address: another address is another receipt.

    So runs are brought to a new server once, without anything being computed, and nothing is done when one returns to
    an address that has them already.
    """
    if is_own(uri):
        return "tracking.json"
    place = shown(str(uri)).rstrip("/")
    return f"tracking-{hashlib.sha256(place.encode()).hexdigest()[:8]}.json"


def check_address(uri: str | None) -> None:
    """Stop before anything is computed if runs could not be tracked in the end.

    Parameters
    ----------
    uri : str or None
        None is the database in ``results/mlflow``.

    Raises
    ------
    RotastackError
        A database is damaged or locked, or a server does not answer.
    """
    if is_own(uri):
        return check_file(FOLDER / "mlflow.db")
    assert uri is not None
    if (path := database_file(uri)) is not None:
        return check_file(path)
    scheme = urlsplit(uri).scheme.partition("+")[0]
    try:
        if scheme in ("http", "https"):
            _ask(uri)
        elif scheme in ("postgresql", "mysql", "mssql"):
            _connect(uri)
    except RotastackError as error:
        raise RotastackError(
            f"tracking: {without_secrets(str(error), uri)}; start it, or set {VARIABLE} to another address "
            "(unset: results/mlflow); nothing was computed yet"
        ) from None


def check_file(path: Path) -> None:
    """Look at an SQLite database, if there is one.

    Raises
    ------
    RotastackError
        It is damaged, half-made, locked or cannot be read; the line says what to do.
    """
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=PATIENCE)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            whole = {"alembic_version", "experiments", "runs"} <= tables
            if whole and not any(name.startswith("_alembic_tmp") for name in tables):
                database.execute("SELECT count(*) FROM experiments").fetchone()
                return
    except sqlite3.Error as error:
        raise RotastackError(said_of_file(path, error)) from None
    raise RotastackError(said_of_file(path, "it was left half-made"))


def said_of_file(path: Path, error: object) -> str:
    """Return one line on what is wrong with an SQLite database, with its path and the remedy."""
    text = in_one_line(error)
    for words, remedy in {
        "locked": "the tracking database is locked by another process; end that (fuser shows it) and run again",
        "disk is full|No space left": "the disk is full; make room and run again",
        "readonly|unable to open|ermission denied": "the tracking database cannot be written; see to its rights, or "
                                                    f"set {VARIABLE} to another address",
    }.items():  # fmt: skip
        if re.search(words, text):
            return f"{path}: {remedy} ({text})"
    return (
        f"{path}: the tracking database is damaged ({text}); move it away and delete the receipts (rm -f {RECEIPTS}): "
        "the next run logs all runs anew, and computes nothing again"
    )


def _ask(uri: str) -> None:
    """Ask an MLflow server for an experiment."""
    parts = urlsplit(uri)
    place = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
    user = unquote(parts.username or "") or os.environ.get("MLFLOW_TRACKING_USERNAME", "")
    password = unquote(parts.password or "") or os.environ.get("MLFLOW_TRACKING_PASSWORD", "")
    token = os.environ.get("MLFLOW_TRACKING_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if user:
        headers = {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}
    context = _certificates() if parts.scheme == "https" else None
    request = Request(f"{place}/api/2.0/mlflow/experiments/search?max_results=1", headers=headers)
    try:
        with urlopen(request, timeout=PATIENCE, context=context) as answer:
            json.loads(answer.read())
    except HTTPError as error:
        if error.code in (401, 403):
            raise RotastackError(
                f"{place}: the server refuses this user ({error.code}); set MLFLOW_TRACKING_USERNAME and "
                "MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN"
            ) from None
        what = "the server is in trouble" if error.code >= 500 else "this is no MLflow server"
        raise RotastackError(f"{place}: {what} ({error.code} {error.reason})") from None
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise RotastackError(f"{place}: the tracking server does not answer ({in_one_line(reason)})") from None
    except ValueError:
        raise RotastackError(f"{place}: this is no MLflow server: it answers something else") from None


def _certificates() -> ssl.SSLContext:
    """Return whose certificates count, as MLflow is told."""
    path = os.environ.get("MLFLOW_TRACKING_SERVER_CERT_PATH")
    try:
        is_folder = path is not None and Path(path).is_dir()
        context = ssl.create_default_context(cafile=None if is_folder else path, capath=path if is_folder else None)
    except OSError as error:
        raise RotastackError(f"MLFLOW_TRACKING_SERVER_CERT_PATH: {path}: {in_one_line(error)}") from None
    if os.environ.get("MLFLOW_TRACKING_INSECURE_TLS", "").lower() in ("1", "true"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _connect(uri: str) -> None:
    """Look whether somebody listens where a database should be, and the package is there that talks to it."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        url = make_url(uri)
        url.get_dialect().import_dbapi()
    except (SQLAlchemyError, ImportError) as error:
        raise RotastackError(f"{shown(uri)}: {in_one_line(error)}") from None
    if not url.host:
        return  # a socket in the file system
    ports = {"postgresql": 5432, "mysql": 3306, "mssql": 1433}
    try:
        socket.create_connection((url.host, url.port or ports[url.get_backend_name()]), PATIENCE).close()
    except OSError as error:
        raise RotastackError(f"{shown(uri)}: the database does not answer ({in_one_line(error)})") from None
