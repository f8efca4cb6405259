"""The only writer of MLflow: it inserts or updates runs, so that logging twice leaves one run."""

import fcntl
import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
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
from mlflow.entities import Metric, Param, Run, RunTag, ViewType
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient
from requests.exceptions import RequestException
from sqlalchemy.exc import SQLAlchemyError

from rotastack.errors import RotastackError, in_one_line
from rotastack.tracking.address import (
    FOLDER,
    VARIABLE,
    database_file,
    database_message,
    is_own,
    mute_libraries,
    owner,
    shown,
    tracking_uri,
    without_secrets,
)
from rotastack.tracking.logged_models import dataset_input, delete_models, log_model, register_model
from rotastack.tracking.own_store import DESCRIPTION, Experiment, make_database, set_aside

__all__ = ["Leaf", "Writer"]

FORM = 2
"""Version of the logged content: runs of an older version are marked, and logged again beside the old ones."""

MOST_METRICS, MOST_OTHERS = 900, 100
"""Limits for one call: MLflow accepts 1000 entries, of which at most 100 parameters and 100 tags."""


@dataclass(frozen=True)
class Leaf:
    """A run, and whether its content still has to be logged."""

    run_id: str
    is_new: bool


@dataclass
class _Known:
    """A run in the writer's memory: its logged content, and its content that is not sent yet."""

    run_id: str
    kind: str
    name: str
    tags: dict[str, str]
    metrics: dict[str, float] = field(default_factory=dict)
    status: str = "RUNNING"
    waiting_metrics: list[Metric] = field(default_factory=list)
    waiting_params: list[Param] = field(default_factory=list)
    waiting_tags: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> "_Known":
        tags = run.data.tags
        return cls(
            run.info.run_id, tags["rotastack.kind"], run.info.run_name, dict(tags), dict(run.data.metrics), run.info.status
        )  # fmt: skip

    @property
    def is_complete(self) -> bool:
        return self.tags.get("rotastack.complete") == "yes"


class Writer:
    """Writer of the runs of one experiment; a context manager that holds the writers' lock.

    The content of a run is collected until the run is finished, and sent in as few calls as possible. Existing runs
    are read once.

    Parameters
    ----------
    experiment : str
        Name, one per study; made if missing.
    dataset : str, optional
        Data set whose runs are written; without it, only the study's own run is.
    """

    def __init__(self, experiment: str, dataset: str | None = None):
        self.experiment = experiment
        self.dataset = dataset

    def __enter__(self):
        mute_libraries()
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._lock = (FOLDER / "writer.lock").open("w")
        self.uri, self._given = "", os.environ.get(VARIABLE)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self.uri = tracking_uri()
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
            raise RotastackError(self._message(error)) from None

    def _message(self, error: Exception) -> str:
        """Return a message of one line on an error of the tracking server or database."""
        path = database_file(self.uri)
        if isinstance(error, OSError) and not isinstance(error, RequestException):
            return f"tracking: {error.filename or path or shown(self.uri)}: {error.strerror or in_one_line(error)}"
        if path is not None and not isinstance(error, MlflowException | SQLAlchemyError):
            return database_message(path, error)
        text = without_secrets(in_one_line(error), self.uri)
        if path is not None:
            return database_message(path, text) if "sqlite3." in text else f"{path}: {text[:500]}"
        gone = isinstance(error, RequestException) or "Max retries exceeded" in text or "Connection" in text
        if gone:
            return (
                f"{shown(self.uri)}: the tracking server stopped answering; all results are kept: "
                f"start the server, then repeat the command to continue ({text[:200]})"
            )
        return f"{shown(self.uri)}: the tracking server refused the request: {text[:500]}"

    def _open(self) -> None:
        path = database_file(self.uri)
        if path is not None:
            # Another file may take this name (see set_aside), so no connection is kept open.
            os.environ.setdefault("MLFLOW_SQLALCHEMYSTORE_POOLCLASS", "NullPool")
            make_database(path)
        mlflow.set_tracking_uri(self.uri)  # MLflow's registry has no other way to the address
        self._ours = owner(self.uri)
        self.client = MlflowClient(self.uri, self.uri)
        if path is not None and is_own(self.uri) and set_aside(self.client):
            make_database(path)
        self.about = Experiment(self.client, self.experiment, FOLDER / "artifacts")
        self.experiment_id = self.about.id
        self._runs: dict[str, _Known] = {}
        self._by_key: dict[str, _Known] = {}
        self._find("tags.`rotastack.kind` = 'study'")
        if self.dataset is not None:
            self._find(f"tags.`dataset` = '{self.dataset}'")

    def _find(self, which: str) -> None:
        """Read this project's existing runs, and delete incomplete ones that stopped writers have left."""
        ours = "".join(f" and tags.`{name}` = {_quoted(value)}" for name, value in self._ours.items())
        found: list[_Known] = []
        token = None
        while token is None or token:
            page = self.client.search_runs(
                [self.experiment_id], which + ours, ViewType.ACTIVE_ONLY, 1000, ["attributes.start_time ASC"], token
            )
            found += [_Known.of(run) for run in page]
            token = page.token or ""
        chosen: dict[str, _Known] = {}
        for run in found:  # a call that was sent twice makes two runs: the complete one counts, else the last
            before = chosen.get(run.tags["rotastack.key"])
            if before is None or not before.is_complete:
                chosen[run.tags["rotastack.key"]] = run
        kept = {run.run_id for run in chosen.values() if run.is_complete or run.kind in ("study", "dataset")}
        for run in found:
            if run.run_id in kept:
                self._runs[run.run_id] = self._by_key[run.tags["rotastack.key"]] = run
            else:
                self._delete(run.run_id)

    def _delete(self, run_id: str) -> None:
        delete_models(self.client, self.experiment_id, run_id)
        self.client.delete_run(run_id)

    def container(self, kind: str, key: Mapping[str, Any], parent: str | None = None, name: str | None = None) -> str:
        """Return the id of the run of a study or a data set, which is made once and then kept up to date."""
        run, _ = self._upsert(kind, key, parent, name or str(key[kind]), {})
        return run.run_id

    def leaf(
        self, kind: str, key: Mapping[str, Any], parent: str, name: str,
        record: Mapping[str, Any], tags: Mapping[str, str], params: Mapping[str, Any] | None = None,
    ) -> Leaf:  # fmt: skip
        """Return the run of a pool, method or model with exactly these parameters and code.

        Its MLflow parameters are `params`, or else all parameters of its record; code, version and seed are tags.

        Earlier runs of the same kind and name are kept; once this run is finished, their tag
        ``rotastack.superseded`` is "yes".
        """
        of_record = {k: str(record[k]) for k in ("code", "version", "seed") if record.get(k) is not None}
        run, is_there = self._upsert(kind, key, parent, name, {"rotastack.superseded": "no", **of_record, **tags})
        if not is_there:
            content = _flat(record["parameters"] if params is None else params)
            run.waiting_params += [Param(_key_name(k), str(v)[:6000]) for k, v in content.items()]
            for tag in ("status", "message"):
                if record[tag]:
                    run.waiting_tags[f"rotastack.{tag}"] = record[tag][:5000]
        return Leaf(run.run_id, not is_there)

    def finish(self, run_id: str, succeeded: bool = True) -> None:
        """Send the collected content of a run and close the run; only then does it count as logged."""
        run, status = self._runs[run_id], "FINISHED" if succeeded else "FAILED"
        if not run.is_complete:
            run.waiting_tags["rotastack.complete"] = "yes"
        self._send(run)
        if run.status != status:
            self.client.set_terminated(run_id, status)
            run.status = status
        for other in self._runs.values():
            if (other.kind, other.name) == (run.kind, run.name):
                old = "yes" if other is not run else "no"
                if other.tags.get("rotastack.superseded", "no") != old:
                    self.client.set_tag(other.run_id, "rotastack.superseded", old)
                    other.tags["rotastack.superseded"] = old

    def _send(self, run: _Known) -> None:
        """Send the collected content of a run; the tags come last, because one of them marks the run as complete."""
        metrics, params = run.waiting_metrics, run.waiting_params
        tags = [RunTag(name, value) for name, value in run.waiting_tags.items()]
        run.tags |= run.waiting_tags
        run.waiting_metrics, run.waiting_params, run.waiting_tags = [], [], {}
        while metrics or params or tags:
            now = metrics[:MOST_METRICS], params[: MOST_OTHERS // 2]
            metrics, params = metrics[MOST_METRICS:], params[MOST_OTHERS // 2 :]
            last = not metrics and not params
            self.client.log_batch(run.run_id, *now, tags[: MOST_OTHERS // 2] if last else ())
            if last:
                tags = tags[MOST_OTHERS // 2 :]

    def log_metrics(self, run_id: str, values: Mapping[str, float], started: str) -> None:
        """Log single numbers, without missing numbers and numbers that are logged already."""
        run = self._runs[run_id]
        run.waiting_metrics += [
            Metric(_key_name(k), float(v), _milliseconds(started), 0)
            for k, v in values.items()
            if v is not None and math.isfinite(v) and run.metrics.get(_key_name(k)) != float(v)
        ]

    def log_steps(self, run_id: str, name: str, values: Iterable[float | None], started: str) -> None:
        """Log a series of numbers, whose steps are cells or members."""
        stamp = _milliseconds(started)
        self._runs[run_id].waiting_metrics += [
            Metric(_key_name(name), float(v), stamp, i)
            for i, v in enumerate(values)
            if v is not None and math.isfinite(v)
        ]

    def log_dataset(self, run_id: str, table: pd.DataFrame, name: str, source: str, context: str, digest: str) -> None:
        """Log a table as the run's input; `context` is "training" or "evaluation", `digest` that of the file."""
        self.client.log_inputs(run_id, [dataset_input(table, name, source, context, digest)])

    def tag(self, run_id: str, name: str, value: Any) -> None:
        """Set the tag ``rotastack.<name>`` of a run."""
        self.set_tags(run_id, {f"rotastack.{name}": str(value)})

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        """Set tags of a run."""
        run = self._runs[run_id]
        run.waiting_tags |= {name: value for name, value in tags.items() if run.tags.get(name) != value}

    def describe(self, run_id: str, text: str) -> None:
        """Set the description of a run, in Markdown."""
        self.set_tags(run_id, {DESCRIPTION: text[:5000]})

    def log_artifacts(self, run_id: str, paths: Iterable[Path], folder: str) -> None:
        """Log files into a folder of the run."""
        for path in paths:
            self.client.log_artifact(run_id, str(path), folder)

    def log_text(self, run_id: str, text: str, name: str) -> None:
        """Log a text as a file."""
        self.client.log_text(run_id, text, name)

    def log_model(self, run_id: str, path: Path, features: pd.DataFrame) -> None:
        """Log a model file with signature, example and requirements; metrics not sent yet also belong to the model."""
        model_id = log_model(self.client, self.experiment_id, run_id, path, features)
        run = self._runs[run_id]
        run.waiting_metrics = [
            Metric(m.key, m.value, m.timestamp, m.step, model_id=model_id) for m in run.waiting_metrics
        ]

    def register_model(
        self, run_id: str, name: str, description: str, tags: Mapping[str, str] | None = None, about: str = ""
    ) -> str:
        """Register the model of a run under a name, unless it is a version already; return its address.

        The alias ``current`` marks the version that was logged last; on a server ``current-<owner>`` marks the owner's
        last version. For ``champion`` see :func:`rotastack.tracking.logged_models.register_model`.

        Parameters
        ----------
        run_id, name : str
        description : str
            Description of the version, in Markdown.
        tags : mapping of str to str
            Tags of the version; ``study`` and ``data``, the digest of the training table, limit which champion it may
            replace.
        about : str
            Description of the registered model, if it is new.
        """
        own = [f"current-{_alias(user)}" for key, user in self._ours.items() if key == "rotastack.owner"]
        return register_model(
            self.client, run_id, name, description, ["current", *own], {**(tags or {}), **self._ours}, about
        )

    def _upsert(self, kind, key, parent, name, tags) -> tuple[_Known, bool]:
        text = json.dumps({"form": FORM, "kind": kind, **key, **self._ours}, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        found = self._by_key.get(digest)
        if found is not None:
            return found, True
        about = {
            "rotastack.key": digest, "rotastack.kind": kind, "mlflow.runName": name,
            **({"mlflow.parentRunId": parent} if parent else {}),
            **{k: str(v) for k, v in key.items() if k in ("study", "method", "pool") and isinstance(v, str)},
            **({"dataset": self.dataset} if self.dataset is not None and kind != "study" else {}),
            **tags, **self._ours, **({"mlflow.user": self._ours["rotastack.owner"]} if self._ours else {}),
        }  # fmt: skip
        made = self.client.create_run(self.experiment_id, tags=about, run_name=name)
        run = _Known(made.info.run_id, kind, name, about)
        self._runs[run.run_id] = self._by_key[digest] = run
        return run, False


def _flat(parameters: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested parameters as one level, with dots in the names."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return found


def _key_name(key: str) -> str:
    """Return a key that MLflow accepts: a method's label may hold ``=``, which MLflow refuses."""
    return key.replace("=", ":")


def _alias(user: str) -> str:
    """Return a user's name in characters that MLflow accepts in an alias."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in user)


def _quoted(value: str) -> str:
    """Return a value in quotes for MLflow's search; it may hold quotes of one kind."""
    return f'"{value}"' if "'" in value else f"'{value}'"


def _milliseconds(started: str) -> int:
    """Return a time in ISO 8601 as MLflow's milliseconds since 1970."""
    return int(datetime.fromisoformat(started).timestamp() * 1000)
