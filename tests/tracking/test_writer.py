"""The writer: runs and models are logged once; a project's database still holds after its folder was moved."""

import json
import sqlite3
from contextlib import chdir
from pathlib import Path

import mlflow
import pandas as pd
import pytest
from mlflow.tracking import MlflowClient
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from rotastack.data.preprocessing import TablePreprocessor
from rotastack.errors import RotastackError
from rotastack.tracking.model_files import dump_model
from rotastack.tracking.address import existing_uri, tracking_uri
from rotastack.tracking.writer import Writer

X = pd.DataFrame({"a": range(20), "b": ["u", "v"] * 10})
Y = ["x", "z"] * 10
DIGEST = "67a2d851e745f20d947f5df89d8339476598801a9d723bd662a790245eac20cb"


def log(folder):
    """Log a model and its table as steps do; return the run."""
    model = Pipeline([("table", TablePreprocessor()), ("classifier", GaussianNB())]).fit(X, Y)
    dump_model(model, folder / "model.skops")
    record = {"parameters": {"seed": 1}, "code": "c", "version": "0", "status": "ok", "message": ""}
    with chdir(folder), Writer("shop", "customers") as writer:
        home = writer.container("dataset", {"study": "shop", "dataset": "customers"})
        run = writer.leaf("model", {"study": "shop"}, home, "customers / model", record, {})
        if run.is_new:
            writer.log_dataset(
                run.run_id, X.assign(target=Y), "customers", "data/raw/customers.csv.gz", "training", DIGEST
            )
            writer.log_model(run.run_id, folder / "model.skops", X)
            writer.finish(run.run_id)
        writer.register_model(run.run_id, "customers", "GaussianNB")
    return run.run_id


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A project with one model, logged twice."""
    folder = tmp_path_factory.mktemp("logged")
    first, second = log(folder), log(folder)
    assert first == second
    return folder, first


def test_a_model_is_registered_once_with_its_table(logged):
    folder, run_id = logged
    client = MlflowClient(tracking_uri(folder))
    (version,) = client.search_model_versions("name = 'customers'")
    assert (version.run_id, version.description) == (run_id, "GaussianNB")
    assert client.get_model_version_by_alias("customers", "current").version == version.version
    (trained,) = client.get_run(run_id).inputs.dataset_inputs
    assert (trained.dataset.name, trained.tags[0].value) == ("customers", "training")
    assert trained.dataset.digest == DIGEST[:12]
    assert json.loads(trained.dataset.profile) == {"num_rows": 20, "num_columns": 3, "num_elements": 60}
    columns = json.loads(trained.dataset.schema)["mlflow_colspec"]
    assert [(c["name"], c["type"]) for c in columns] == [("a", "long"), ("b", "string"), ("target", "string")]
    assert json.loads(trained.dataset.source) == {"uri": "data/raw/customers.csv.gz"}
    experiment = client.get_experiment_by_name("shop")
    assert experiment.tags["mlflow.experimentKind"] == "custom_model_development"


def test_addresses_follow_a_folder_that_was_moved(logged, tmp_path):
    folder, run_id = logged
    new = folder.rename(tmp_path / "new place")
    try:
        mlflow.set_tracking_uri(tracking_uri(new))
        with sqlite3.connect(new / "results/mlflow/mlflow.db") as database:
            assert folder.as_uri() not in "\n".join(database.iterdump())
        for address in (f"runs:/{run_id}/model", "models:/customers/1", "models:/customers@current"):
            assert (Path(mlflow.artifacts.download_artifacts(address)) / "MLmodel").is_file()
    finally:
        new.rename(folder)


def test_readers_make_no_database(tmp_path):
    with pytest.raises(RotastackError, match=r"^[^\n]*mlflow.db: there is no tracking database; [^\n]*$"):
        existing_uri(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_damaged_database_is_one_line(tmp_path):
    (tmp_path / "results/mlflow").mkdir(parents=True)
    (tmp_path / "results/mlflow/mlflow.db").write_text("no database" * 100)
    with pytest.raises(
        RotastackError, match=r"^[^\n]*mlflow.db: [^\n]*\(file is not a database\); move it away [^\n]*$"
    ):
        tracking_uri(tmp_path)
