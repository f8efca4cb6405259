"""MLflow's SQLite database, created completely or not at all and moved aside if made in another folder; and its experiments."""

import fcntl
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mlflow.entities import ViewType
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient

from rotastack.tracking.address import FOLDER, receipt_name

__all__ = ["DESCRIPTION", "Experiment", "make_database", "set_aside"]


def make_database(path: Path) -> None:
    """Create the database unless it exists; a second process that tries this at the same time waits.

    MLflow applies some fifty migrations to an empty database. If it is stopped between two of them, the database is
    unreadable. So the database has another name until it is complete.
    """
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            if not path.exists():
                uri = f"sqlite:///{folder}/{path.name}"
                MlflowClient(uri, uri).search_experiments(max_results=1)
                (Path(folder) / path.name).replace(path)


def set_aside(client: MlflowClient) -> bool:
    """Move the store in ``results/mlflow`` aside if it was made in another folder; return whether it was.

    MLflow stores absolute paths of files, which would lead to the other folder or nowhere. The receipts of the other
    folder are deleted, so that a new store is filled if this folder is moved back.
    """
    here = (FOLDER / "artifacts").resolve().as_uri()
    places = {e.artifact_location.rpartition("/")[0] for e in client.search_experiments(ViewType.ALL)}
    others = sorted(p for p in places if p.endswith(f"/{FOLDER.name}/artifacts"))
    if not others or here in others:
        return False
    for folder in (before := [Path(url2pathname(urlsplit(place).path)).parent for place in others]):
        name = receipt_name(f"sqlite:///{folder / 'mlflow.db'}")
        for receipt in FOLDER.parent.glob(f"*/{name}"):
            receipt.unlink()
    numbered = (FOLDER.with_name(f"{FOLDER.name}-of-another-folder-{number}") for number in count(1))
    aside = next(folder for folder in numbered if not (folder / "mlflow.db").exists())
    aside.mkdir(exist_ok=True)
    for name in (
        "artifacts",
        "mlflow.db",
    ):  # the database comes last, because it shows in which folder the store was made
        if (FOLDER / name).exists():
            (FOLDER / name).rename(aside / name)
    print(
        f"rotastack: {FOLDER} was made in another folder, as {before[0]}; {FOLDER} was renamed to {aside}, and a new store is filled "
        "from the records",
        file=sys.stderr,
    )
    return True


KIND = {"mlflow.experimentKind": "custom_model_development"}
"""Tag of an experiment that makes MLflow's UI open on training runs, not on traces of language models."""

DESCRIPTION = "mlflow.note.content"
"""Tag that MLflow shows as the description of an experiment or a run, in Markdown."""

LONGEST = 5000
"""Most characters of an experiment's tag that all versions of MLflow accept."""


class Experiment:
    """An experiment, made if missing and restored if deleted.

    Parameters
    ----------
    client : MlflowClient
    name : str
    folder : Path
        Folder for the files of its runs, if no server stores them.
    """

    def __init__(self, client: MlflowClient, name: str, folder: Path):
        self.client = client
        found = client.get_experiment_by_name(name)
        if found is None:
            is_local = not client.tracking_uri.startswith(("http:", "https:"))
            where = (folder / name).resolve().as_uri() if is_local else None
            try:
                client.create_experiment(name, where, KIND)
            except MlflowException:  # another workflow has created the experiment meanwhile
                if client.get_experiment_by_name(name) is None:
                    raise
            found = client.get_experiment_by_name(name)
            assert found is not None
        elif found.lifecycle_stage == "deleted":
            client.restore_experiment(found.experiment_id)
        self.id: str = found.experiment_id
        self.created = int(found.creation_time or 0)
        self._tags = dict(found.tags)
        for tag, value in KIND.items():
            self._set(tag, value)

    def describe(self, text: str) -> None:
        """Set the description, in Markdown; a text that is too long loses its last lines."""
        lines = text.splitlines()
        while len("\n".join(lines)) > LONGEST:
            lines = [*lines[:-2], "…"]
        self._set(DESCRIPTION, "\n".join(lines))

    def save_view(self, view: Any, number: int) -> None:
        """Save a view of the runs as a tag, its ``key`` and ``value``; the view with the highest number comes first."""
        value = view.value(self.created + number)
        if value is not None:
            self._set(view.key, value)

    def _set(self, tag: str, value: str) -> None:
        if self._tags.get(tag) != value:
            self.client.set_experiment_tag(self.id, tag, value)
            self._tags[tag] = value
