"""Models in MLflow: the files that MLflow needs beside the model file, and the registration under a name."""

import json
import platform
import tempfile
import warnings
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import copyfile

import mlflow
import pandas as pd
from mlflow.entities import Dataset, DatasetInput, InputTag, LoggedModelOutput, LoggedModelStatus
from mlflow.exceptions import MlflowException
from mlflow.models import Model
from mlflow.tracking import MlflowClient

from rotastack import __version__

__all__ = ["DIGITS", "dataset_input", "delete_models", "log_model", "register_model"]

DIGITS = 12
"""Logged digits of a digest; MLflow shows them beside the name, and accepts at most 36."""

MOST_COLUMNS = 2000
"""Most columns of a table whose schema is logged; for a wider table only its size is."""

KINDS = {"b": "boolean", "i": "long", "u": "long", "f": "double", "M": "datetime"}
"""NumPy's kind of a column's type -> MLflow's name of the type; other columns are strings."""


def dataset_input(table: pd.DataFrame, name: str, source: str, context: str, digest: str) -> DatasetInput:
    """Return a table, with the digest of its file `source`, as an input of a run: "training" or "evaluation".

    MLflow's own function would infer a schema and a profile from the cells for each run.
    """
    rows, columns = table.shape
    described = [
        {"type": KINDS.get(getattr(column.dtype, "kind", "O"), "string"), "name": str(name), "required": not column.hasnans}
        for name, column in table.items()
    ]  # fmt: skip
    schema = json.dumps({"mlflow_colspec": described}) if columns <= MOST_COLUMNS else None
    profile = json.dumps({"num_rows": rows, "num_columns": columns, "num_elements": rows * columns})
    entity = Dataset(name, digest[:DIGITS], "local", json.dumps({"uri": source}), schema, profile)
    return DatasetInput(entity, [InputTag("mlflow.data.context", context)])


NAME = "model"
FILE, EXAMPLE, PYTHON = "model.skops", "input_example.json", "python_env.yaml"
CHAMPION = "champion"
SAME = ("study", "data", "rotastack.owner", "rotastack.folder")
"""Tags that a version must share with the champion to replace it."""

PACKAGES = ("scikit-learn", "xgboost-cpu", "skops", "numpy", "pandas")


def log_model(client: MlflowClient, experiment_id: str, run_id: str, path: Path, features: pd.DataFrame) -> str:
    """Log a model file with signature, example and requirements; return its id.

    The model file is copied unchanged. ``mlflow.sklearn.save_model`` would write and read the model again and inspect
    all installed packages, which takes longer than everything else.
    """
    made = client.create_logged_model(experiment_id, NAME, run_id)
    note = Model(
        made.artifact_location, run_id, model_uuid=made.model_id, model_id=made.model_id,
        saved_input_example_info={"artifact_path": EXAMPLE, "type": "dataframe", "pandas_orient": "split"},
        metadata={"rotastack": __version__},
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _write_folder(Path(folder), note, path, features)
        client.log_model_artifacts(made.model_id, folder)
    client.finalize_logged_model(made.model_id, LoggedModelStatus.READY)
    client.log_outputs(run_id, [LoggedModelOutput(made.model_id, 0)])
    return made.model_id


def _write_folder(folder: Path, note: Model, path: Path, features: pd.DataFrame) -> None:
    """Write the files that ``mlflow.pyfunc`` and ``mlflow.sklearn`` load: the model file and its metadata."""
    import sklearn
    import yaml
    from mlflow import pyfunc
    from mlflow.models import infer_signature
    from mlflow.types.schema import AnyType, ColSpec, Schema

    from rotastack.workflow.tracking.model_files import PROBABILITIES, load_model, trusted_types

    model = load_model(path)
    # The example has only the columns that the model needs: no ids, leaks or constants.
    example = features[model.named_steps["table"].needed_].head(5)
    example.to_json(folder / EXAMPLE, orient="split", index=False, date_format="iso")
    params = {PROBABILITIES: False} if hasattr(model, "predict_proba") else None
    signature = infer_signature(None, model.predict(example), params)
    # A gap turns whole numbers into floats and booleans into objects, so MLflow may not ask for one type.
    signature.inputs = Schema([ColSpec(AnyType(), str(column)) for column in example])
    note.signature = signature
    copyfile(path, folder / FILE)
    note.model_size_bytes = path.stat().st_size
    pyfunc.add_to_model(note, "rotastack.workflow.tracking.model_files", data=FILE, python_env=PYTHON)
    note.add_flavor(
        "sklearn", pickled_model=FILE, sklearn_version=sklearn.__version__, serialization_format="skops", code=None,
        skops_trusted_types=trusted_types(path),
    )  # fmt: skip
    note.save(str(folder / "MLmodel"))
    environment = {"python": platform.python_version(), "build_dependencies": ["pip"],
                   "dependencies": ["-r requirements.txt"]}  # fmt: skip
    (folder / PYTHON).write_text(yaml.safe_dump(environment, sort_keys=False), encoding="utf-8")
    needed = [f"mlflow=={mlflow.__version__}", f"rotastack=={__version__}"]
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            needed.append(f"{package}=={version(package)}")
    (folder / "requirements.txt").write_text("\n".join(needed) + "\n", encoding="utf-8")


def delete_models(client: MlflowClient, experiment_id: str, run_id: str) -> None:
    """Delete the models that a stopped run has logged, because they would stay pending for ever."""
    for model in client.search_logged_models([experiment_id], f"source_run_id = '{run_id}'"):
        client.delete_logged_model(model.model_id)


def register_model(
    client: MlflowClient, run_id: str, name: str, description: str, tags: Mapping[str, str], about: str
) -> str:
    """Register the model of a run under a name, unless it is a version already; return its address.

    The alias ``current``, on a server also ``current-<owner>``, marks the version that was logged last. ``champion``
    goes to the version if none has it, or if the champion is of the same study, data and owner, so it never moves to
    another study or table by itself. `about` describes a registered model that is new.
    """
    aliases = ["current"]
    if user := tags.get("rotastack.owner"):  # MLflow accepts no other characters in an alias
        aliases.append("current-" + "".join(c if c.isascii() and c.isalnum() else "-" for c in user))
    found = client.search_model_versions(f"name = '{name}' and run_id = '{run_id}'")
    if found:
        made = found[0]
    else:
        with suppress(MlflowException):  # the name exists already, perhaps since a moment ago
            client.create_registered_model(name, description=about)
        experiment_id = client.get_run(run_id).info.experiment_id
        (model, *_) = client.search_logged_models([experiment_id], f"source_run_id = '{run_id}'")
        made = client.create_model_version(
            name, f"models:/{model.model_id}", run_id, dict(tags), description=description, model_id=model.model_id
        )
    if made.description != description:
        client.update_model_version(name, made.version, description)
    known = client.get_registered_model(name).aliases
    for alias in aliases:
        if str(known.get(alias)) != str(made.version):
            client.set_registered_model_alias(name, alias, made.version)
    before = tags if CHAMPION not in known else client.get_model_version_by_alias(name, CHAMPION).tags
    if all(before.get(key) == tags.get(key) for key in SAME):
        client.set_registered_model_alias(name, CHAMPION, made.version)
    return f"models:/{name}/{made.version}"
