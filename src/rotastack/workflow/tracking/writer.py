"""The only writer of MLflow: a run has the key of what it shows, so that logging twice leaves one run."""

import json
import math
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

# With these limits a dead server is noticed after about ten seconds, not after four minutes.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "3")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR", "1")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "60")
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")

import mlflow
from mlflow.entities import DatasetInput, Metric, Param, Run, RunTag
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient
from requests.exceptions import RequestException
from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError

from rotastack.errors import RotastackError
from rotastack.files import lock
from rotastack.workflow.tracking import address
from rotastack.workflow.tracking.address import FOLDER, VARIABLE, VIEW, database_file, is_own
from rotastack.workflow.tracking.logged_models import twice

KEY = "rotastack.key"
"""Tag with what identifies a run; runs of one data set and version start with the same 32 digits."""

CURRENT = "rotastack.current"
"""Tag that is "yes" for the runs of the version that was logged last, else "no"."""

USER = "rotastack.user"
"""Tag of experiments and registered models with the user of a server who logged to it last."""

PARENT = "mlflow.parentRunId"

DESCRIPTION = "mlflow.note.content"
"""Tag that MLflow shows as the description of a run, in Markdown."""

LONGEST = 5000
"""Most characters of a tag that all versions of MLflow accept."""


class TrackedRun(NamedTuple):
    """A run in MLflow. A run that is not new is finished: only its parent and its tag ``rotastack.current`` may change."""

    run_id: str
    is_new: bool


def make_database(path: Path) -> None:
    """Create the database unless it exists; a second process that tries this at the same time waits.

    MLflow applies some fifty migrations to an empty database. If it is stopped between two of them, the database is
    unreadable. So the database has another name until it is complete.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("w") as held:
        lock(held)  # where locks are refused, Snakemake starts one writer at a time
        if not path.exists():
            with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
                (Path(folder) / path.name).touch()  # with the permissions of all files; SQLite's own exclude the group
                uri = f"sqlite:///{folder}/{path.name}"
                MlflowClient(uri, uri).search_experiments(max_results=1)
                (Path(folder) / path.name).replace(path)


def check_store(study: str) -> None:
    """Raise, before any computation, a RotastackError if the runs of a study cannot be logged at the address that is set."""
    with Writer(study) as writer:
        writer.claim()


class Writer:
    """Writer of the runs of a study's experiment; a context manager that holds the writers' lock."""

    def __init__(self, experiment: str):
        self.experiment = experiment
        self._finished: dict[str, dict[str, Run]] = {}  # start of a key -> key -> run
        self._present: set[str] = set()

    def __enter__(self):
        address.mute_libraries()
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._lock = (FOLDER / ".writer.lock").open("w")  # in the folder, which several projects may share by a link
        self._given, self.uri = os.environ.get(VARIABLE), address.tracking_uri()
        try:
            self._open(lock(self._lock))
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(self, kind, error, trace):
        mlflow.set_tracking_uri(None)  # type: ignore[arg-type]  # _open has put the address into the environment
        if self._given is not None:
            os.environ[VARIABLE] = self._given
        self._lock.close()
        if isinstance(error, (MlflowException, RequestException, SQLAlchemyError, OSError, ImportError)):
            raise address.explained(error, self.uri) from None

    def _open(self, is_alone: bool) -> None:
        if path := database_file(self.uri):
            make_database(path)
        elif not self.uri.startswith(("http:", "https:")):
            create_engine(self.uri).connect().close()  # without an answer, MLflow would try again for two minutes
        mlflow.set_tracking_uri(self.uri)  # MLflow's registry has no other way to the address
        self.client = MlflowClient(self.uri, self.uri)
        self.experiment_id = self._experiment()
        if is_alone and is_own(self.uri):  # nobody else writes: a killed writer left these runs
            for run in self._search(f"attributes.status = 'RUNNING' and tags.`{KEY}` LIKE '%'"):
                for model in self.client.search_logged_models(
                    [self.experiment_id], f"source_run_id = '{run.info.run_id}'"
                ):
                    self.client.delete_logged_model(model.model_id)  # else it would stay pending for ever
                self.client.delete_run(run.info.run_id)

    def claim(self) -> None:
        """Raise an error if the server is too old for models, or if the study's experiment or models are another user's.

        Each gets a tag with the user, which needs the same permission as runs and versions.
        """
        self.client.search_logged_models([self.experiment_id], max_results=1)
        user = os.environ.get("MLFLOW_TRACKING_USERNAME") or urlsplit(self.uri).username or ""
        given = self.client.get_experiment(self.experiment_id).tags
        models = self.client.search_registered_models(f"name LIKE '{self.experiment}.%'", max_results=1000)
        for kind, name, tags, set_tag, known_as in (
            *(
                ("registered model", m.name, m.tags, self.client.set_registered_model_tag, m.name)
                for m in models
                if m.name.startswith(f"{self.experiment}.")
            ),  # in the search an underscore is any character
            ("experiment", self.experiment, given, self.client.set_experiment_tag, self.experiment_id),
        ):
            try:
                twice(set_tag, known_as, USER, user)
            except MlflowException as error:
                if error.error_code != "PERMISSION_DENIED":
                    raise
                raise RotastackError(
                    f"{address.without_login(self.uri)}: the {kind} {name} belongs to "
                    f"{tags.get(USER) or given.get(USER) or 'another user'}; change the key name of the study's file, or ask for "
                    "the permission EDIT, then repeat the command"
                ) from None

    def _experiment(self) -> str:
        """Return the id of the experiment, which is made if missing; a deleted experiment keeps its name, so it is refused.

        MLflow stores the absolute path of the experiment's files, so a database that was moved or copied is refused.
        """
        is_local = not self.uri.startswith(("http:", "https:"))
        where = (FOLDER / "artifacts" / self.experiment).resolve().as_uri() if is_local else None
        found = self.client.get_experiment_by_name(self.experiment)
        if found is None:
            try:
                return self.client.create_experiment(self.experiment, where)
            except MlflowException:  # another workflow may have created the experiment meanwhile
                found = self.client.get_experiment_by_name(self.experiment)
                if found is None:
                    raise
        if is_own(self.uri) and found.artifact_location != where:
            raise RotastackError(
                f"{FOLDER}: created in another folder ({found.artifact_location}); delete it and the "
                f"receipts (rm -rf {FOLDER} results/*/tracking.json), and repeat the command, which logs all runs again "
                "from the kept results"
            )
        if found.lifecycle_stage == "deleted":
            uri = f"sqlite:///{FOLDER}/mlflow.db" if is_own(self.uri) else address.without_login(self.uri)
            raise RotastackError(
                f"tracking: the experiment {self.experiment} is deleted in MLflow; restore it "
                f"({VARIABLE}={uri} mlflow experiments restore -x {found.experiment_id}), and repeat the command"
            )
        return found.experiment_id

    def _search(self, which: str) -> list[Run]:
        """Return the active runs of the experiment that a filter selects, the latest first."""
        return mlflow.search_runs([self.experiment_id], which, output_format="list")

    def run(
        self, kind: str, name: str, key: str, parent: str | None, record: Mapping[str, Any], tags: Mapping[str, str]
    ) -> TrackedRun:
        """Return the finished run of a key, kind and name, which gets this parent, or a new run.

        The first 32 characters of `key` are the same for all runs of a data set, so that one search finds them.
        """
        of_version = {CURRENT: "yes", **({PARENT: parent} if parent else {})}
        start, key = key[:32], f"{key}/{kind}/{name}"
        if start not in self._finished:
            found = self._search(f"tags.`{KEY}` LIKE '{start}%' and attributes.status != 'RUNNING'")
            self._finished[start] = {run.data.tags[KEY]: run for run in found}
        if known := self._finished[start].get(key):
            run = TrackedRun(known.info.run_id, False)
            if changed := {k: v for k, v in of_version.items() if known.data.tags.get(k) != v}:
                self.set_tags(run.run_id, changed)
        else:
            about = {"study": self.experiment, KEY: key, "rotastack.kind": kind, **of_version, **tags}
            about |= {
                k: str(record[k]) for k in ("code", "version", "seed") if k not in tags and record.get(k) is not None
            }
            if record.get("message"):
                about["rotastack.message"] = record["message"][:LONGEST]
            run = TrackedRun(self.client.create_run(self.experiment_id, tags=about, run_name=name).info.run_id, True)
        self._present.add(run.run_id)
        return run

    def show(self, columns: Sequence[str], ascending: bool) -> None:
        """Describe the view of the study's page: the current methods, flat, sorted by the first of the metrics."""
        first, *_ = columns = [f"metrics.`{name}`" for name in columns]
        view = {
            "searchFilter": f"tags.`{CURRENT}` = 'yes' and tags.`rotastack.kind` = 'method'",
            "orderByKey": first,  # runs are nested only in the order of time
            "orderByAsc": ascending,
            "selectedColumns": columns,
        }
        self.client.set_experiment_tag(self.experiment_id, f"mlflow.sharedViewState.{VIEW}", json.dumps(view))

    def mark_history(self, previous: str) -> None:
        """Mark what earlier versions logged: in ``results/mlflow`` all other runs, elsewhere those of the text `previous`."""
        for run in self._search(f"tags.`{CURRENT}` = 'yes'"):
            if run.info.run_id not in self._present and (is_own(self.uri) or run.info.run_id in previous):
                self.set_tags(run.info.run_id, {CURRENT: "no"})

    def log(
        self, run_id: str, numbers: Mapping[str, Any], started: str, params: Mapping[str, Any] | None = None
    ) -> None:
        """Log params, and numbers: each alone, or as a list whose steps are cells or members; missing numbers are left out."""
        milliseconds = int(datetime.fromisoformat(started).timestamp() * 1000)
        metrics = [
            Metric(_key_name(name), float(v), milliseconds, i)
            for name, values in numbers.items()
            for i, v in enumerate(values if isinstance(values, list) else [values])
            if v is not None and math.isfinite(v)
        ]
        self.client.log_batch(run_id, metrics, [Param(_key_name(k), str(v)[:6000]) for k, v in (params or {}).items()])

    def finish(self, run_id: str, succeeded: bool = True) -> None:
        """Close a new run; only then does it count as logged."""
        self.client.set_terminated(run_id, "FINISHED" if succeeded else "FAILED")

    def log_dataset(self, run_id: str, table: DatasetInput) -> None:
        """Log a table as the run's input."""
        twice(self.client.log_inputs, run_id, [table])

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        """Set tags of a run."""
        self.client.log_batch(run_id, tags=[RunTag(name, value) for name, value in tags.items()])

    def log_artifacts(self, run_id: str, paths: Iterable[Path], folder: str) -> None:
        """Log files into a folder of the run."""
        for path in paths:
            self.client.log_artifact(run_id, str(path), folder)


def _key_name(key: str) -> str:
    """Return a key that MLflow accepts: a method's label may hold ``=``, which MLflow refuses."""
    return key.replace("=", ":")
