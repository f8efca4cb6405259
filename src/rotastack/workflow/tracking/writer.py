"""The only writer of MLflow: it inserts or updates runs, so that logging twice leaves one run."""

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

# With these limits a dead server is noticed after about ten seconds, not after four minutes.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "3")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR", "1")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "60")
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")

import mlflow
import pandas as pd
from mlflow.entities import Metric, Param, RunTag
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient
from requests.exceptions import RequestException
from sqlalchemy.exc import SQLAlchemyError

from rotastack.errors import RotastackError
from rotastack.files import lock
from rotastack.workflow.tracking import address
from rotastack.workflow.tracking.address import FOLDER, VARIABLE, database_file, is_own
from rotastack.workflow.tracking.logged_models import dataset_input, delete_models, log_model, register_model

__all__ = ["TrackedRun", "Writer", "make_database"]

DESCRIPTION = "mlflow.note.content"
"""Tag that MLflow shows as the description of a run, in Markdown."""

LONGEST = 5000
"""Most characters of a tag that all versions of MLflow accept."""


@dataclass
class TrackedRun:
    """A run in MLflow, and its numbers that wait until the run is finished."""

    run_id: str
    status: str = "RUNNING"
    is_new: bool = True
    known: dict[str, float] = field(default_factory=dict)
    metrics: list[Metric] = field(default_factory=list)
    params: list[Param] = field(default_factory=list)


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
                uri = f"sqlite:///{folder}/{path.name}"
                MlflowClient(uri, uri).search_experiments(max_results=1)
                (Path(folder) / path.name).replace(path)


class Writer:
    """Writer of the runs of a study's experiment, and of one data set; a context manager that holds the writers' lock.

    The numbers of a run are collected until the run is finished, and sent in one call. Existing runs are read once.
    """

    def __init__(self, experiment: str, dataset: str | None = None):
        self.experiment = experiment
        self.dataset = dataset

    def __enter__(self):
        address.mute_libraries()
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._lock = FOLDER.with_name(".mlflow-writer.lock").open("w")
        self._given, self.uri = os.environ.get(VARIABLE), address.tracking_uri()
        try:
            lock(self._lock)
            self._open()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(self, kind, error, trace):
        mlflow.set_tracking_uri(None)  # type: ignore[arg-type]  # _open has put the address into the environment
        if self._given is not None:
            os.environ[VARIABLE] = self._given
        self._lock.close()
        if isinstance(error, (MlflowException, RequestException, SQLAlchemyError, OSError)):
            raise address.explained(error, self.uri) from None

    def _open(self) -> None:
        path = database_file(self.uri)
        if path is not None:
            make_database(path)
        mlflow.set_tracking_uri(self.uri)  # MLflow's registry has no other way to the address
        self._ours = address.owner(self.uri)
        self.client = MlflowClient(self.uri, self.uri)
        self.experiment_id = self._experiment()
        self._runs: dict[str, TrackedRun] = {}
        self._by_key: dict[str, TrackedRun] = {}
        self._find("tags.`rotastack.kind` = 'study'")
        if self.dataset is not None:
            self._find(f"tags.`dataset` = '{self.dataset}'")

    def _experiment(self) -> str:
        """Return the id of the experiment, which is made if missing and restored if deleted.

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
            self.client.restore_experiment(found.experiment_id)
        return found.experiment_id

    def _find(self, which: str) -> None:
        """Read this project's existing runs, and delete incomplete ones that stopped writers have left."""
        ours = "".join(f" and tags.`{name}` = {_quoted(value)}" for name, value in self._ours.items())
        found = mlflow.search_runs(
            [self.experiment_id], which + ours, order_by=["attributes.start_time ASC"], output_format="list"
        )
        kept: dict[str, TrackedRun] = {}
        for run in found:  # a call that was sent twice makes two runs: the finished one counts, else the last
            key, is_finished = run.data.tags["rotastack.key"], run.info.status != "RUNNING"
            if (is_finished or run.data.tags["rotastack.kind"] in ("study", "dataset")) and (
                key not in kept or kept[key].status == "RUNNING"
            ):
                kept[key] = TrackedRun(run.info.run_id, run.info.status, False, dict(run.data.metrics))
        self._by_key |= kept
        self._runs |= {run.run_id: run for run in kept.values()}
        for run in found:
            if run.info.run_id not in self._runs:
                delete_models(self.client, self.experiment_id, run.info.run_id)
                self.client.delete_run(run.info.run_id)

    def container(self, kind: str, key: Mapping[str, Any], parent: str | None = None) -> str:
        """Return the id of the run of a study or a data set, which is made once and then kept up to date."""
        return self._upsert(kind, key, parent, str(key[kind]), {}).run_id

    def leaf(
        self, kind: str, key: Mapping[str, Any], parent: str, name: str,
        record: Mapping[str, Any], tags: Mapping[str, str], params: Mapping[str, Any],
    ) -> TrackedRun:  # fmt: skip
        """Return the run of a pool, method or model with exactly these parameters and code; earlier runs are kept."""
        of_record = {k: str(record[k]) for k in ("code", "version", "seed") if record.get(k) is not None}
        if record["message"]:
            of_record["rotastack.message"] = record["message"][:LONGEST]
        run = self._upsert(kind, key, parent, name, {**of_record, **tags})
        if run.is_new:
            run.params += [Param(_key_name(k), str(v)[:6000]) for k, v in params.items()]
        return run

    def finish(self, run_id: str, succeeded: bool = True) -> None:
        """Send the collected numbers of a run and close the run; only then does it count as logged."""
        run, status = self._runs[run_id], "FINISHED" if succeeded else "FAILED"
        self._send(run)
        if run.status != status:
            self.client.set_terminated(run_id, status)
            run.status = status

    def _send(self, run: TrackedRun) -> None:
        """Send the collected numbers of a run."""
        if run.metrics or run.params:
            self.client.log_batch(run.run_id, run.metrics, run.params)
            run.metrics, run.params = [], []

    def log_metrics(self, run_id: str, values: Mapping[str, float], started: str) -> None:
        """Log single numbers, without missing numbers and numbers that are logged already."""
        known = self._runs[run_id].known
        for name, value in values.items():
            if known.get(_key_name(name)) != value:
                self.log_steps(run_id, name, [value], started)

    def log_steps(self, run_id: str, name: str, values: Iterable[float | None], started: str) -> None:
        """Log a series of numbers, whose steps are cells or members."""
        milliseconds = int(datetime.fromisoformat(started).timestamp() * 1000)
        self._runs[run_id].metrics += [
            Metric(_key_name(name), float(v), milliseconds, i)
            for i, v in enumerate(values)
            if v is not None and math.isfinite(v)
        ]

    def log_dataset(self, run_id: str, *table: Any) -> None:
        """Log a table as the run's input, by the arguments of :func:`~rotastack.workflow.tracking.logged_models.dataset_input`."""
        self.client.log_inputs(run_id, [dataset_input(*table)])

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        """Set tags of a run."""
        self.client.log_batch(run_id, tags=[RunTag(name, value) for name, value in tags.items()])

    def describe(self, run_id: str, text: str) -> None:
        """Set the description of a run, in Markdown."""
        self.set_tags(run_id, {DESCRIPTION: text[:LONGEST]})

    def log_artifacts(self, run_id: str, paths: Iterable[Path], folder: str) -> None:
        """Log files into a folder of the run."""
        for path in paths:
            self.client.log_artifact(run_id, str(path), folder)

    def log_model(self, run_id: str, path: Path, features: pd.DataFrame, trusted: Sequence[str] = ()) -> None:
        """Log a model file with signature, example and requirements; numbers of the run also belong to the model."""
        self._send(self._runs[run_id])
        log_model(self.client, self.experiment_id, run_id, path, features, trusted)

    def register_model(self, run_id: str, name: str, description: str, tags: Mapping[str, str], about: str) -> str:
        """Register the model of a run by :func:`~rotastack.workflow.tracking.logged_models.register_model`; return its address."""
        return register_model(self.client, run_id, name, description, {**tags, **self._ours}, about)

    def _upsert(self, kind, key, parent, name, tags) -> TrackedRun:
        text = json.dumps({"kind": kind, **key, **self._ours}, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        if digest in self._by_key:
            return self._by_key[digest]
        about = {
            "rotastack.key": digest, "rotastack.kind": kind, "mlflow.runName": name,
            **({"mlflow.parentRunId": parent} if parent else {}),
            **{k: str(v) for k, v in key.items() if k in ("study", "method", "pool") and isinstance(v, str)},
            **({"dataset": self.dataset} if self.dataset is not None and kind != "study" else {}),
            **tags, **self._ours, **({"mlflow.user": self._ours["rotastack.owner"]} if self._ours else {}),
        }  # fmt: skip
        made = self.client.create_run(self.experiment_id, tags=about, run_name=name)
        run = TrackedRun(made.info.run_id)
        self._runs[run.run_id] = self._by_key[digest] = run
        return run


def _key_name(key: str) -> str:
    """Return a key that MLflow accepts: a method's label may hold ``=``, which MLflow refuses."""
    return key.replace("=", ":")


def _quoted(value: str) -> str:
    """Return a value in quotes for MLflow's search; it may hold quotes of one kind."""
    return f'"{value}"' if "'" in value else f"'{value}'"
