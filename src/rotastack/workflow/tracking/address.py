"""The address of MLflow: its default, its form without secrets, and errors in one line."""

import logging
import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rotastack.errors import RotastackError, in_one_line

FOLDER = Path("results/mlflow")
VARIABLE = "MLFLOW_TRACKING_URI"
VIEW = "rotastack"
"""Name of the view of a study's methods, which the tag ``mlflow.sharedViewState.rotastack`` of its experiment describes."""
PATIENCE = 5
"""Seconds to wait for an answer, in the check before any computation."""

OLDEST = "3.0"
"""The oldest version of MLflow whose server has all that the writer asks for: logged models."""

_CAUSES_AT_SERVERS = {
    ("max retries exceeded", "connection", "timed out"): (
        "the tracking server stopped answering",
        "start the server, then ",
    ),
    ("error code 401", "unauthenticated"): (
        "the server refuses the user or the password",
        "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, then ",
    ),
    ("error code 403", "permission_denied"): (
        "the account has no permission",
        "change the key name of the study's file, or ask for the permission EDIT, then ",
    ),
    ("error code 404",): (f"no MLflow server, or one before version {OLDEST}", "set another address, then "),
    ("could not parse", "can't load plugin", "invalid url", "invalid sqlite url"): (
        "not the address of a server or a database",
        f"set {VARIABLE}, for example to http://127.0.0.1:5000, then ",
    ),
    ("no module named",): ("the database needs another package", "install the package, then "),
    ("unique constraint",): ("another user wrote in the same moment", ""),
    ("[errno",): (
        "a folder refuses the files of a run",
        "let all users write there, or let a server keep the files, then ",
    ),
    ("",): ("the tracking server refused the request", "remove the cause, then "),
}
"""Words of an error, in small letters -> its cause and the remedy."""

_CAUSES_IN_FILES = {
    ("malformed", "not a database"): (
        "the tracking database is damaged",
        "move the file away and delete the receipts (rm -f results/*/tracking.json), then ",
    ),
    ("",): ("runs cannot be logged", "remove the cause, then "),
}


def mute_libraries() -> None:
    """Silence the logs of MLflow and its database; their errors are still raised, and become messages of one line."""
    for name, level in {"alembic": "WARNING", "mlflow": "CRITICAL", "urllib3": "ERROR"}.items():
        logging.getLogger(name).setLevel(level)


def tracking_uri(project: str | Path = ".") -> str:
    """Return ``MLFLOW_TRACKING_URI``, else the address of the SQLite database in a project's ``results/mlflow``."""
    return os.environ.get(VARIABLE) or f"sqlite:///{(Path(project) / FOLDER).resolve() / 'mlflow.db'}"


def existing_uri(project: str | Path = ".") -> str:
    """Return the address from :func:`tracking_uri`; a RotastackError if its database does not exist yet."""
    uri = tracking_uri(project)
    if (path := database_file(uri)) and not path.is_file():
        raise RotastackError(
            f"{path}: tracking database not found; name the project's folder (--project DIR), or set {VARIABLE}"
        )
    return uri


def page_of(experiment_id: str) -> str:
    """Return the end of the address at which MLflow's pages show the methods of a study."""
    return f"#/experiments/{experiment_id}/runs?workflowType=machine_learning&viewStateShareKey={VIEW}"


def is_own(uri: str) -> bool:
    """Return whether an address is the default, the database in the working directory."""
    return database_file(uri) == (FOLDER / "mlflow.db").resolve()


def database_file(uri: str) -> Path | None:
    """Return the file of an SQLite address, which may end in options; None for any other address."""
    return Path(uri.removeprefix("sqlite:///").partition("?")[0]).resolve() if uri.startswith("sqlite:///") else None


def without_login(uri: str) -> str:
    """Return an address without user, password and options, for files, logs and messages."""
    login, at, _ = urlsplit(uri).netloc.rpartition("@")
    return re.split("[?#]", uri)[0].replace(login + at, "", 1)


def without_secrets(text: str, uri: str) -> str:
    """Return another program's text with the secrets of an address replaced by ``***``."""
    parts = urlsplit(uri)
    login = parts.netloc.rpartition("@")[0]
    words = {
        login,
        parts.query,
        parts.password,
        unquote(parts.password or ""),
        os.environ.get("MLFLOW_TRACKING_TOKEN"),
        os.environ.get("MLFLOW_TRACKING_PASSWORD"),
    }
    for word in sorted((w for w in words if w), key=len, reverse=True):
        text = text.replace(word, "***")
    return text


def check_address(uri: str) -> None:
    """Raise, before any computation, a RotastackError if nobody answers at the address of a server.

    Of databases, the default is refused in a folder with "?" in its path.
    """
    if "?" in uri and not os.environ.get(VARIABLE):  # MLflow takes what follows for options
        raise RotastackError(
            f"tracking: {Path.cwd()}: MLflow cannot open a database in a folder with '?' in its path; rename the folder, or "
            f"set {VARIABLE}; no step has run"
        )
    if not uri.startswith(("http:", "https:")):
        return
    import requests

    is_lax = os.environ.get("MLFLOW_TRACKING_INSECURE_TLS", "").lower() in ("1", "true")
    try:
        requests.get(
            f"{uri.rstrip('/')}/health",
            timeout=PATIENCE,
            verify=os.environ.get("MLFLOW_TRACKING_SERVER_CERT_PATH") or not is_lax,
        )
    except (OSError, ValueError) as error:
        text = without_secrets(in_one_line(error), uri)[:200]
        raise RotastackError(
            f"tracking: {without_login(uri)}: the tracking server does not answer ({text}); start the server, or set {VARIABLE} "
            "to another address (unset: results/mlflow); no step has run"
        ) from None


def explained(error: BaseException, uri: str) -> RotastackError:
    """Return an error while runs are logged as one line without secrets, with the remedy."""
    text, path = in_one_line(error).partition(" Response body: '<")[0], database_file(uri)
    causes = _CAUSES_AT_SERVERS if path is None else _CAUSES_IN_FILES
    cause, remedy = next(found for words, found in causes.items() if any(word in text.lower() for word in words))
    return RotastackError(
        f"{path or without_login(uri)}: {cause}; all results are kept: {remedy}repeat the command "
        f"({without_secrets(text, uri)[:500]})"
    )
