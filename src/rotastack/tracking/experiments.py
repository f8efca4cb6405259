"""An experiment of MLflow: the runs of a study, with a description and saved views."""

from pathlib import Path
from typing import Any

from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient

__all__ = ["NOTE", "Experiment"]

KIND = {"mlflow.experimentKind": "custom_model_development"}
"""Tag of an experiment that makes MLflow's UI open on training runs, not on traces of language models."""

NOTE = "mlflow.note.content"
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
        self._set(NOTE, "\n".join(lines))

    def save_view(self, view: Any, number: int) -> None:
        """Save a view of the runs as a tag, its ``key`` and ``value``; the view with the highest number comes first."""
        value = view.value(self.created + number)
        if value is not None:
            self._set(view.key, value)

    def _set(self, tag: str, value: str) -> None:
        if self._tags.get(tag) != value:
            self.client.set_experiment_tag(self.id, tag, value)
            self._tags[tag] = value
