"""Make an SQLite database for MLflow: under a temporary name, so that there is a whole one or none."""

import fcntl
import logging
import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # nothing leaves this machine unasked

from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient
from sqlalchemy.exc import SQLAlchemyError

from rotastack.errors import RotastackError
from rotastack.tracking.address import said_of_file

__all__ = ["fill_database", "make_database"]


def make_database(path: Path) -> None:
    """Make the database, unless it is there. Whoever else is about to make it waits, and finds it made.

    MLflow brings an empty database to its state of today by some fifty changes; stopped between two of them it
    leaves one that nothing can read.

    Raises
    ------
    RotastackError
        The disk is full, or the folder cannot be written.
    """
    if path.exists():
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_name(f".{path.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                _make(path)
    except (MlflowException, SQLAlchemyError) as error:
        raise RotastackError(said_of_file(path, error)) from None
    except OSError as error:
        raise RotastackError(f"{path}: the tracking database cannot be made ({error.strerror or error})") from None


def _make(path: Path) -> None:
    # MLflow believes for the life of a process that a name it has filled once is full: each try has its own.
    new = path.with_name(f".{path.name}.{uuid4().hex[:8]}.new")
    try:
        for left in path.parent.glob(f".{path.name}.*.new"):  # by one that was stopped
            _remove(left)
        fill_database(f"sqlite:///{new}")
        new.replace(path)
    finally:
        _remove(new)


def fill_database(uri: str) -> None:
    """Bring an empty database to the state that MLflow wants."""
    logging.getLogger("mlflow").setLevel(logging.CRITICAL)
    MlflowClient(uri, uri).search_experiments(max_results=1)


def _remove(database: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            database.with_name(database.name + suffix).unlink()
