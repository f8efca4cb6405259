"""The database of a project: found by its folder, and still good after that was moved or copied."""

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from rotastack.errors import RotastackError
from rotastack.tracking.address import FOLDER, VARIABLE, check_file, database_file, said_of_file

__all__ = ["existing_uri", "studies", "tracking_uri"]

PLACES = (
    ("experiments", "artifact_location"),
    ("runs", "artifact_uri"),
    ("logged_models", "artifact_location"),
    ("model_versions", "source"),
    ("model_versions", "storage_location"),
)
"""Tables and columns in which MLflow keeps absolute addresses of artifacts, whatever it was given."""


def tracking_uri(project: str | Path = ".") -> str:
    """Return ``MLFLOW_TRACKING_URI``, else the address of SQLite in ``results/mlflow`` of a project's folder.

    MLflow stores absolute addresses of artifacts. If the folder was moved or copied since, those in the database are
    put right first.

    Raises
    ------
    RotastackError
        The database is damaged or locked.
    """
    given = os.environ.get(VARIABLE)
    if given:
        return given
    folder = (Path(project) / FOLDER).resolve()
    if (folder / "mlflow.db").is_file():
        check_file(folder / "mlflow.db")
        _settle(folder)
    return f"sqlite:///{folder / 'mlflow.db'}"


def existing_uri(project: str | Path = ".") -> str:
    """Return the same for readers, who make no database.

    Raises
    ------
    RotastackError
        Nothing was tracked there yet.
    """
    uri = tracking_uri(project)
    path = database_file(uri)
    if path is not None and not path.is_file():
        raise RotastackError(
            f"{path}: there is no tracking database; name the project's folder (--project DIR), or set {VARIABLE}"
        )
    return uri


def studies(path: Path) -> dict[str, str]:
    """Return the studies in an SQLite database, the last first, with the numbers of their experiments."""
    asked = "SELECT name, experiment_id FROM experiments WHERE lifecycle_stage = 'active' AND experiment_id != 0"
    try:
        with closing(sqlite3.connect(path, timeout=60)) as database:
            return {name: str(number) for name, number in database.execute(f"{asked} ORDER BY experiment_id DESC")}
    except sqlite3.Error as error:
        raise RotastackError(said_of_file(path, error)) from None


def _settle(folder: Path) -> None:
    """Have all addresses of artifacts in the database begin with this folder."""
    here = f"{(folder / 'artifacts').as_uri()}/"
    begin = re.compile(rf"^file://.*/{FOLDER.as_posix()}/artifacts/")

    def settled(address: str | None) -> str | None:
        return address and begin.sub(lambda _: here, address)

    try:
        with closing(sqlite3.connect(folder / "mlflow.db", timeout=60)) as database, database:
            database.create_function("settled", 1, settled, deterministic=True)
            known = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
            for table, column in PLACES:
                moved = f"WHERE {column} != settled({column})"
                if table in known and database.execute(f"SELECT 1 FROM {table} {moved}").fetchone():
                    database.execute(f"UPDATE {table} SET {column} = settled({column}) {moved}")
    except sqlite3.Error as error:
        raise RotastackError(said_of_file(folder / "mlflow.db", error)) from None
