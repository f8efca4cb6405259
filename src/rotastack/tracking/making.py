"""Make an SQLite database for MLflow: under a temporary name, so that there is a whole one or none."""

import os
from contextlib import suppress
from pathlib import Path

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # nothing leaves this machine unasked

from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient
from sqlalchemy.exc import SQLAlchemyError

from rotastack.errors import RotastackError
from rotastack.tracking.address import said_of_file

__all__ = ["make_database"]


def make_database(path: Path) -> None:
    """Make the database, unless it is there. The caller holds the writers' lock.

    MLflow brings an empty database to its state of today by some fifty changes; stopped between two of them it
    leaves one that nothing can read.

    Raises
    ------
    RotastackError
        The disk is full, or the folder cannot be written.
    """
    if path.exists():
        return
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove(new)  # of one that was stopped
        MlflowClient(f"sqlite:///{new}", f"sqlite:///{new}").search_experiments(max_results=1)
        new.replace(path)
    except (MlflowException, SQLAlchemyError, OSError) as error:
        raise RotastackError(said_of_file(path, error)) from None
    finally:
        _remove(new)


def _remove(database: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            database.with_name(database.name + suffix).unlink()
