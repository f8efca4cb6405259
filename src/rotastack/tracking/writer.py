"""The one writer: upserts runs in MLflow, so that logging twice leaves one run."""

import fcntl
import hashlib
import json
import logging
import math
import os
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # nothing leaves this machine unasked

import mlflow
import pandas as pd
from mlflow.entities import Metric, Param, ViewType
from mlflow.tracking import MlflowClient

from rotastack import __version__
from rotastack.tracking.store import FOLDER, tracking_uri

__all__ = ["Leaf", "Writer"]

KIND = {"mlflow.experimentKind": "custom_model_development"}
"""Of experiments: MLflow's UI opens on training runs, and not on traces of language models."""


@dataclass(frozen=True)
class Leaf:
    """A run, and whether its content still has to be logged."""

    run_id: str
    is_new: bool


class Writer:
    """Write the runs of one experiment; a context that holds the writers' lock.

    Parameters
    ----------
    experiment : str
        Name, one per study; made if missing.
    """

    def __init__(self, experiment: str):
        self.experiment = experiment

    def __enter__(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._lock = (FOLDER / "writer.lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        logging.getLogger("alembic").setLevel(logging.WARNING)
        logging.getLogger("mlflow").setLevel(logging.ERROR)
        mlflow.set_tracking_uri(tracking_uri())
        self.client = MlflowClient()
        found = self.client.get_experiment_by_name(self.experiment)
        if found is not None and found.lifecycle_stage == "deleted":
            self.client.restore_experiment(found.experiment_id)
        if found is None:
            where = None
            if tracking_uri().startswith("sqlite"):
                where = (FOLDER / "artifacts" / self.experiment).resolve().as_uri()
            self.experiment_id = self.client.create_experiment(self.experiment, where, KIND)
        else:
            self.experiment_id = found.experiment_id
            for tag, value in KIND.items():
                self.client.set_experiment_tag(self.experiment_id, tag, value)
        return self

    def __exit__(self, *error):
        self._lock.close()

    def container(
        self, kind: str, key: Mapping[str, Any], parent: str | None = None, name: str | None = None
    ) -> str:
        """Return the run that stands for a study or a data set; made once, then kept up to date."""
        run, _ = self._upsert(kind, key, parent, name or str(key[kind]), {})
        return run

    def leaf(
        self, kind: str, key: Mapping[str, Any], parent: str, name: str,
        record: Mapping[str, Any], tags: Mapping[str, str],
    ) -> Leaf:  # fmt: skip
        """Return the run of a pool, method or model with exactly these parameters and code.

        Earlier runs of the same thing with other parameters are kept, with the tag
        ``rotastack.superseded``.
        """
        run, finished = self._upsert(kind, key, parent, name, tags)
        if not finished:
            flat = {**_flat(record["parameters"]), "code": record["code"], "version": record["version"]}
            params = [Param(_name(k), str(v)[:6000]) for k, v in flat.items()]
            for start in range(0, len(params), 100):
                self.client.log_batch(run, params=params[start : start + 100])
            for tag in ("status", "message"):
                if record[tag]:
                    self.client.set_tag(run, f"rotastack.{tag}", record[tag][:5000])
        self._supersede(kind, name, run)
        return Leaf(run, not finished)

    def finish(self, run_id: str, succeeded: bool = True) -> None:
        """Close a run; only then does it count as logged."""
        self.client.set_tag(run_id, "rotastack.complete", "yes")
        self.client.set_terminated(run_id, "FINISHED" if succeeded else "FAILED")

    def log_metrics(self, run_id: str, values: Mapping[str, float], started: str) -> None:
        """Log single numbers; missing ones are left out."""
        self._log(
            [Metric(_name(k), float(v), _milliseconds(started), 0) for k, v in values.items() if _known(v)],
            run_id,
        )

    def log_steps(self, run_id: str, name: str, values: Iterable[float | None], started: str) -> None:
        """Log a series, its steps being cells or members."""
        stamp = _milliseconds(started)
        self._log(
            [
                Metric(_name(name), float(v), stamp, i)
                for i, v in enumerate(values)
                if v is not None and _known(v)
            ],
            run_id,
        )

    def log_dataset(
        self, run_id: str, table: pd.DataFrame, name: str, source: str, context: str, target: str = "target"
    ) -> None:
        """Log a table as the run's input, used for "training" or "evaluation"."""
        from mlflow.data.pandas_dataset import from_pandas
        from mlflow.entities import DatasetInput, InputTag

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = from_pandas(table, source=source, name=name, targets=target)
            entity = data._to_mlflow_entity()
        self.client.log_inputs(run_id, [DatasetInput(entity, [InputTag("mlflow.data.context", context)])])

    def tag(self, run_id: str, name: str, value: Any) -> None:
        """Set a tag of a run."""
        self.client.set_tag(run_id, f"rotastack.{name}", str(value))

    def log_artifacts(self, run_id: str, paths: Iterable[Path], folder: str) -> None:
        """Log files."""
        for path in paths:
            self.client.log_artifact(run_id, str(path), folder)

    def log_text(self, run_id: str, text: str, name: str) -> None:
        """Log a text as a file."""
        self.client.log_text(run_id, text, name)

    def log_model(self, run_id: str, path: Path, features: pd.DataFrame) -> None:
        """Log a model file with signature, example and requirements."""
        from importlib.metadata import PackageNotFoundError, version

        from mlflow.models import infer_signature

        from rotastack.tracking.model_files import load_model, trusted_types

        model = load_model(path)
        # Ids, leaks and constants are not asked for.
        example = _plain(features[model.named_steps["table"].needed_].head(5))
        requirements = [f"rotastack=={__version__}"]
        for package in ("scikit-learn", "xgboost-cpu", "skops", "numpy", "pandas"):
            with suppress(PackageNotFoundError):
                requirements.append(f"{package}=={version(package)}")
        with mlflow.start_run(run_id=run_id), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mlflow.sklearn.log_model(
                model,
                name="model",
                serialization_format="skops",
                skops_trusted_types=trusted_types(path),
                signature=infer_signature(example, model.predict(example)),
                input_example=example,
                pip_requirements=requirements,
                metadata={"rotastack": __version__},
            )

    def register_model(self, run_id: str, name: str, description: str) -> str:
        """Register the model of a run under a name, unless it is a version already; return its address.

        The alias ``current`` is that of the version which was logged last.
        """
        if not self.client.search_registered_models(f"name = '{name}'"):
            self.client.create_registered_model(name, description=f"Models of the data set {name}.")
        found = self.client.search_model_versions(f"name = '{name}' and run_id = '{run_id}'")
        if found:
            version = found[0].version
        else:
            made = mlflow.register_model(f"runs:/{run_id}/model", name)
            version = made.version
        self.client.update_model_version(name, version, description)
        self.client.set_registered_model_alias(name, "current", version)
        return f"models:/{name}/{version}"

    def _upsert(self, kind, key, parent, name, tags) -> tuple[str, bool]:
        text = json.dumps({"kind": kind, **key}, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        found = self.client.search_runs(
            [self.experiment_id], f"tags.`rotastack.key` = '{digest}'", ViewType.ACTIVE_ONLY, 10
        )
        for run in found:
            if run.data.tags.get("rotastack.complete") == "yes" or kind in ("study", "dataset"):
                return run.info.run_id, True
            self.client.delete_run(run.info.run_id)  # a writer was stopped in the middle of it
        about = {
            "rotastack.key": digest, "rotastack.kind": kind, "mlflow.runName": name,
            **({"mlflow.parentRunId": parent} if parent else {}),
            **{k: str(v) for k, v in key.items() if k in ("study", "dataset", "method", "pool") and isinstance(v, str)},
            **tags,
        }  # fmt: skip
        run = self.client.create_run(self.experiment_id, tags=about, run_name=name)
        return run.info.run_id, False

    def _supersede(self, kind, name, current) -> None:
        same = self.client.search_runs(
            [self.experiment_id],
            f"tags.`rotastack.kind` = '{kind}' and attributes.run_name = '{name}'",
            ViewType.ACTIVE_ONLY,
            1000,
        )
        for run in same:
            old = run.info.run_id != current
            if old != (run.data.tags.get("rotastack.superseded") == "yes"):
                self.client.set_tag(run.info.run_id, "rotastack.superseded", "yes" if old else "no")

    def _log(self, metrics: list[Metric], run_id: str) -> None:
        for start in range(0, len(metrics), 1000):
            self.client.log_batch(run_id, metrics=metrics[start : start + 1000])


def _flat(parameters: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _name(key: str) -> str:
    """Return a key as MLflow takes it: a method's label may hold ``=``."""
    return key.replace("=", ":")


def _known(value: Any) -> bool:
    return value is not None and math.isfinite(float(value))


def _milliseconds(started: str) -> int:
    return int(datetime.fromisoformat(started).timestamp() * 1000)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with whole numbers as floats, so that a missing value fits the signature."""
    whole = frame.select_dtypes("integer").columns
    return frame.astype(dict.fromkeys(whole, "float64"))
