"""Models and tables in MLflow: a model of a run, its registration under a name, and the table of a run."""

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pandas as pd
from mlflow.entities import Dataset, DatasetInput, InputTag
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient

from rotastack import __version__

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
        {
            "type": KINDS.get(getattr(column.dtype, "kind", "O"), "string"),
            "name": str(name),
            "required": not column.hasnans,
        }
        for name, column in table.items()
    ]
    schema = json.dumps({"mlflow_colspec": described}) if columns <= MOST_COLUMNS else None
    profile = json.dumps({"num_rows": rows, "num_columns": columns, "num_elements": rows * columns})
    entity = Dataset(name, digest[:DIGITS], "local", json.dumps({"uri": source}), schema, profile)
    return DatasetInput(entity, [InputTag("mlflow.data.context", context)])


NAME = "model"
CHAMPION = "champion"

PACKAGES = ("scikit-learn", "xgboost-cpu", "xgboost", "skops", "numpy", "pandas")


def log_model(
    client: MlflowClient, run_id: str, path: Path, features: pd.DataFrame, trusted: Sequence[str] = ()
) -> None:
    """Log the model of a file to a run, with signature, example and requirements; the run's numbers also belong to the model."""
    import mlflow.sklearn  # half a second, for studies with a model alone
    from mlflow.models import infer_signature
    from mlflow.types.schema import AnyType, ColSpec, Schema

    from rotastack.workflow.tracking.model_files import VERSIONS, load_model, trusted_types

    model = load_model(path, trusted)
    # The example has only the columns that the model needs: no ids, leaks or constants.
    example = features[model.named_steps["table"].needed_].head(5)
    # MLflow keeps the example as JSON, which has no such types; the model reads the same values from text.
    texts = [n for n, kind in example.dtypes.items() if kind.name.startswith(("timedelta", "period", "object"))]
    installed = (f"{name}=={found.version}" for name in PACKAGES for found in [*distributions(name=name)][:1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        signature = infer_signature(None, model.predict(example))
        # A gap turns whole numbers into floats and booleans into objects, so MLflow may not ask for one type.
        signature.inputs = Schema([ColSpec(AnyType(), str(column)) for column in example])
        mlflow.sklearn.log_model(
            model,
            # MLflow's default is another experiment.
            model_id=client.create_logged_model(client.get_run(run_id).info.experiment_id, NAME, run_id).model_id,
            run_id=run_id,
            serialization_format="skops",
            skops_trusted_types=trusted_types(path, trusted),
            signature=signature,
            input_example=example.astype(dict.fromkeys(texts, "str")),
            pip_requirements=[f"rotastack=={__version__}", *installed],
            pyfunc_predict_fn="predict",
            metadata=VERSIONS,
        )


def twice(function: Callable[..., Any], *arguments: Any) -> None:
    """Call a function of MLflow, and call it again if another user has written the same row in the same moment.

    MLflow looks for a row and then inserts it, so one of two writers gets an error of the database.
    """
    try:
        function(*arguments)
    except MlflowException as error:
        if "unique constraint" not in str(error).lower():
            raise
        function(*arguments)


def register_model(
    client: MlflowClient, run_id: str, name: str, description: str, tags: Mapping[str, str], about: str
) -> str:
    """Register the model of a run under a name, unless it is a version already; return its address.

    The alias ``current`` marks the version that was logged last. ``champion`` goes to the version if none has it, or if
    the champion is of the same data, so it never moves to another table by itself. `about` describes a registered model
    that is new.
    """
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
    known = client.get_registered_model(name).aliases
    stays = CHAMPION in known and client.get_model_version_by_alias(name, CHAMPION).tags.get("data") != tags.get("data")
    for alias in ("current",) if stays else ("current", CHAMPION):
        if str(known.get(alias)) != str(made.version):
            twice(client.set_registered_model_alias, name, alias, made.version)
    return f"models:/{name}/{made.version}"
