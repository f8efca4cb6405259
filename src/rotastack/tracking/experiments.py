"""An experiment of MLflow: a study's runs, with a description, and views of them."""

from pathlib import Path
from typing import Any

from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient

__all__ = ["NOTE", "Experiment"]

KIND = {"mlflow.experimentKind": "custom_model_development"}
"""Of experiments: MLflow's UI opens on training runs, and not on traces of language models."""

NOTE = "mlflow.note.content"
"""The tag that is shown as the description, of an experiment and of a run; Markdown."""

LONGEST = 5000
"""Value of an experiment's tag that all versions of MLflow take."""


class Experiment:
    """An experiment, made if missing and restored if deleted.

    Parameters
    ----------
    client : MlflowClient
    name : str
    folder : Path
        Of the files of its runs, where no server keeps them.
    """

    def __init__(self, client: MlflowClient, name: str, folder: Path):
        self.client = client
        found = client.get_experiment_by_name(name)
        if found is None:
            is_local = not client.tracking_uri.startswith(("http:", "https:"))
            where = (folder / name).resolve().as_uri() if is_local else None
            try:
                client.create_experiment(name, where, KIND)
            except MlflowException:  # another workflow was faster
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
        """Set the description, in Markdown; lines from the end are left out of one that is too long."""
        lines = text.splitlines()
        while len("\n".join(lines)) > LONGEST:
            lines = [*lines[:-2], "…"]
        self._set(NOTE, "\n".join(lines))

    def save_view(self, view: Any, number: int) -> None:
        """Offer a view of the runs, a tag ``key`` and its ``value``; of all views that with the highest number comes first."""
        value = view.value(self.created + number)
        if value is not None:
            self._set(view.key, value)

    def _set(self, tag: str, value: str) -> None:
        if self._tags.get(tag) != value:
            self.client.set_experiment_tag(self.id, tag, value)
            self._tags[tag] = value
