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
    path = database_file(uri)
    if path is not None and not path.is_file():
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
    words = {login, parts.query, parts.password, unquote(parts.password or ""), os.environ.get("MLFLOW_TRACKING_TOKEN"),
             os.environ.get("MLFLOW_TRACKING_PASSWORD")}  # fmt: skip
    for word in sorted((w for w in words if w), key=len, reverse=True):
        text = text.replace(word, "***")
    return text


def check_address(uri: str) -> None:
    """Raise, before any computation, a RotastackError if a tracking server does not answer.

    An answer that requires a login is enough. Of databases, the default is refused in a folder with "?" in its path.
    """
    if "?" in uri and not os.environ.get(VARIABLE):  # MLflow takes what follows for options
        raise RotastackError(
            f"tracking: {Path.cwd()}: MLflow cannot open a database in a folder with '?' in its path; rename the folder, or "
            f"set {VARIABLE}; no step has run"
        )
    if not uri.startswith(("http:", "https:")):
        return
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
        f"tracking: {without_login(uri)}: {problem}; start the server, or set {VARIABLE} to another address (unset: results/mlflow); "
        "no step has run"
    )


def explained(error: BaseException, uri: str) -> RotastackError:
    """Return an error while runs are logged as one line without secrets, with the remedy."""
    text, path = without_secrets(in_one_line(error), uri)[:500], database_file(uri)
    if path is None and any(words in text for words in ("Max retries exceeded", "Connection", "timed out")):
        remedy = "the tracking server stopped answering; all results are kept: start the server, then repeat the command to continue"
    elif path is None:
        remedy = "the tracking server refused the request; all results are kept"
    elif "malformed" in text or "not a database" in text:
        remedy = (
            "the tracking database is damaged; move the file away and delete the receipts (rm -f results/*/tracking.json): "
            "the next run logs all runs again from the kept results"
        )
    else:
        remedy = "runs cannot be logged; all results are kept: remove the cause, then repeat the command"
    return RotastackError(f"{path or without_login(uri)}: {remedy} ({text})")
