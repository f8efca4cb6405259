"""The address of MLflow: its default, its form without secrets, the owner of runs, and checks that it works."""

import getpass
import hashlib
import json
import logging
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from rotastack.errors import RotastackError, in_one_line
from rotastack.files import write_text

__all__ = [
    "FOLDER",
    "FOLDER_FILE",
    "VARIABLE",
    "check_address",
    "check_file",
    "database_file",
    "database_message",
    "existing_uri",
    "is_own",
    "mute_libraries",
    "owner",
    "receipt_name",
    "shown",
    "tracking_uri",
    "without_secrets",
]  # fmt: skip

FOLDER = Path("results/mlflow")
VARIABLE = "MLFLOW_TRACKING_URI"
PATIENCE = 5
"""Seconds to wait for an answer, in the check before any computation."""

FOLDER_FILE = FOLDER / "folder.json"
"""File with the path that the project's folder had when its runs were first sent to a server."""


def mute_libraries() -> None:
    """Silence the logs of MLflow and its database; their errors are still raised, and become messages of one line."""
    for name, level in {"alembic": "WARNING", "mlflow": "CRITICAL", "urllib3": "ERROR"}.items():
        logging.getLogger(name).setLevel(level)


def tracking_uri(project: str | Path = ".") -> str:
    """Return ``MLFLOW_TRACKING_URI``, else the address of the SQLite database in a project's ``results/mlflow``."""
    return os.environ.get(VARIABLE) or f"sqlite:///{(Path(project) / FOLDER).resolve() / 'mlflow.db'}"


def existing_uri(project: str | Path = ".") -> str:
    """Return the address from :func:`tracking_uri`, after checking that its database exists.

    Raises
    ------
    RotastackError
        The database does not exist yet, or is damaged or locked.
    """
    uri = tracking_uri(project)
    path = database_file(uri)
    if path is not None and not path.is_file():
        raise RotastackError(
            f"{path}: tracking database not found; name the project's folder (--project DIR), or set {VARIABLE}"
        )
    if path is not None:
        check_file(path)
    return uri


def is_own(uri: str | None) -> bool:
    """Return whether an address is None or the default, the database in the working directory."""
    return not uri or database_file(uri) == (FOLDER / "mlflow.db").resolve()


def database_file(uri: str) -> Path | None:
    """Return the file of an SQLite address; None for any other address."""
    return Path(uri.removeprefix("sqlite:///")).resolve() if uri.startswith("sqlite:///") else None


def shown(uri: str) -> str:
    """Return an address without user, password and options, for files, logs and messages."""
    parts = urlsplit(uri)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def without_secrets(text: str, uri: str) -> str:
    """Return another program's text with the secrets of an address replaced by ``***``."""
    parts = urlsplit(uri)
    login = parts.netloc.rpartition("@")[0]
    words = {login, parts.query, parts.password, unquote(parts.password or ""), os.environ.get("MLFLOW_TRACKING_TOKEN"),
             os.environ.get("MLFLOW_TRACKING_PASSWORD")}  # fmt: skip
    for word in sorted((w for w in words if w), key=len, reverse=True):
        text = text.replace(word, "***")
    return text


def receipt_name(uri: str | None) -> str:
    """Return the name of the receipts of runs that were sent to an address; each address has its own receipts.

    A new address receives all runs once, without computation. An address that has the runs receives nothing.
    The store in ``results/mlflow`` has the address of its folder: after a move or a copy of the folder, the runs are
    sent to a new store.
    """
    path = database_file(uri or tracking_uri())
    place = str(path) if path else shown(str(uri)).rstrip("/")
    return f"tracking-{hashlib.sha256(place.encode()).hexdigest()[:8]}.json"


def owner(uri: str) -> dict[str, str]:
    """Return tags that mark this project's runs on a shared server; none for the database in ``results/mlflow``.

    A folder that is moved or copied with its results keeps its name on the server, and so its runs. A folder whose
    results were deleted and made again also keeps its name.
    """
    if is_own(uri):
        return {}
    try:
        folder = str(json.loads(FOLDER_FILE.read_text(encoding="utf-8"))["folder"])
    except (OSError, ValueError, KeyError, TypeError):  # the note does not exist yet, or was edited
        folder = str(Path.cwd())
        write_text(FOLDER_FILE, json.dumps({"folder": folder}) + "\n")
    return {"rotastack.owner": os.environ.get("MLFLOW_TRACKING_USERNAME") or _user(), "rotastack.folder": folder}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # in a container the user's number may have no name
        return str(os.getuid())


def check_address(uri: str | None) -> None:
    """Check, before any computation, that runs can be tracked at an address.

    Parameters
    ----------
    uri : str or None
        None is the database in ``results/mlflow``. Database servers are not checked.

    Raises
    ------
    RotastackError
        A database's file is damaged or locked, or a server does not answer.
    """
    uri = uri or tracking_uri()
    if (path := database_file(uri)) is not None:
        check_file(path)
    elif uri.startswith(("http:", "https:")):
        _ask(uri)


def _ask(uri: str) -> None:
    """Check that a tracking server answers; an answer that requires a login is enough."""
    import requests

    authority = os.environ.get("MLFLOW_TRACKING_SERVER_CERT_PATH")
    is_lax = os.environ.get("MLFLOW_TRACKING_INSECURE_TLS", "").lower() in ("1", "true")
    try:
        answer = requests.get(f"{uri.rstrip('/')}/health", timeout=PATIENCE, verify=authority or not is_lax)
        if answer.ok or answer.status_code in (401, 403):
            return
        problem = f"the address is not a working MLflow server ({answer.status_code} {answer.reason})"
    except (OSError, ValueError) as error:
        problem = f"the tracking server does not answer ({without_secrets(in_one_line(error), uri)[:200]})"
    raise RotastackError(
        f"tracking: {shown(uri)}: {problem}; start the server, or set {VARIABLE} to another address (unset: results/mlflow); "
        "no step has run"
    )


def check_file(path: Path) -> None:
    """Check an SQLite database, if its file exists.

    Raises
    ------
    RotastackError
        The database is damaged, locked or unreadable; the message names the remedy.
    """
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=PATIENCE)) as database:
            (answer,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise RotastackError(database_message(path, error)) from None
    if answer != "ok":
        raise RotastackError(database_message(path, answer))


def database_message(path: Path, error: object) -> str:
    """Return a message of one line on an error of an SQLite database, with its path and the remedy."""
    text = in_one_line(error)
    for words, remedy in {
        "locked": "another process locks the tracking database; end this process (fuser lists its number) and run again",
        "disk is full|No space left|disk I/O error": "the disk is full or faulty; free disk space and run again",
        "readonly|unable to open|ermission denied": "the tracking database is not writable; change its permissions, or "
                                                    f"set {VARIABLE} to another address",
    }.items():  # fmt: skip
        if re.search(words, text):
            return f"{path}: {remedy} ({text})"
    receipts = f"rm -f results/*/{receipt_name(f'sqlite:///{path}')}"
    return (
        f"{path}: the tracking database is damaged ({text}); move the file away and delete the receipts ({receipts}): "
        "the next run logs all runs again, without new computation"
    )
