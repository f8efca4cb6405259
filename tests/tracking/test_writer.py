"""The writer: runs and models are logged once, with their tables, numbers and types."""

import io
import json
import re
import subprocess
from contextlib import chdir
from decimal import Decimal
from pathlib import Path

import mlflow
import numpy as np
import pandas as pd
import pytest
from mlflow.models import get_model_info
from mlflow.pyfunc.scoring_server import invocations
from mlflow.tracking import MlflowClient
from sklearn.dummy import DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from tests.docs.blocks import blocks
from tests.refusals import refusal
from tests.run.test_model_card import card
from tests.study.strange import Mute

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.errors import RotastackError
from rotastack.workflow.tracking.address import tracking_uri
from rotastack.workflow.tracking.logged_models import dataset_input, log_model, register_model
from rotastack.workflow.tracking.model_files import VERSIONS, dump_model, load_model
from rotastack.workflow.tracking.writer import Writer
from rotastack.workflow.use.saved_model import model_in_folder

X = pd.DataFrame({"a": range(20), "b": ["u", "v"] * 10})
X["lasts"] = pd.to_timedelta(X["a"] % 3, "h")
X["price"] = [Decimal(k % 7) / 4 for k in range(20)]
X["month"] = pd.period_range("2026-01", periods=20, freq="M")
Y = ["x", "z"] * 10
RECORD = {"code": "c", "version": "0", "status": "ok", "message": ""}
DIGEST = 4 * "0123456789abcdef"  # of a file: any, as the writer only notes it


def fitted():
    return Pipeline([("table", TablePreprocessor()), ("classifier", GaussianNB())]).fit(X, Y)


def log(folder):
    """Log a model and its table as steps do; return the run."""
    dump_model(fitted(), folder / "model.skops")
    with chdir(folder), Writer("shop") as writer:
        run = model_run(writer)
        if run.is_new:
            table = dataset_input(X.assign(target=Y), "customers", "data/raw/customers.parquet", "training", DIGEST)
            writer.log_dataset(run.run_id, table)
            log_model(writer.client, run.run_id, folder / "model.skops", X)
            writer.finish(run.run_id)
        register_model(writer.client, run.run_id, "customers", "GaussianNB", {}, "")
    return run.run_id


def model_run(writer, key="of the model"):
    """Return the run of a model."""
    return writer.run("model", "customers / model", key, None, RECORD, {"dataset": "customers"})


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
    (trained,) = client.get_run(run_id).inputs.dataset_inputs
    found = trained.dataset
    assert (found.name, found.digest, trained.tags[0].value) == ("customers", DIGEST[:12], "training")
    columns = json.loads(found.schema)["mlflow_colspec"]
    strings = [(name, "string") for name in ("b", "lasts", "price", "month", "target")]
    assert [(c["name"], c["type"]) for c in columns] == [("a", "long"), *strings]
    assert json.loads(found.source) == {"uri": "data/raw/customers.parquet"}


def test_a_logged_model_is_the_estimator_and_its_file_ours(logged):
    folder, run_id = logged
    mlflow.set_tracking_uri(tracking_uri(folder))
    for address in (f"runs:/{run_id}/model", "models:/customers/1", "models:/customers@champion"):
        found = mlflow.pyfunc.load_model(address)
        assert found.predict(X).tolist() == load_model(folder / "model.skops").predict(X).tolist()
        names = found.metadata.get_input_schema().input_names()
        assert sorted(names) == sorted(X.columns.drop("a")), "and not the id"
        assert found.input_example.astype("str").equals(X[names].head(5).astype("str")), "JSON has no durations"
        assert found.predict(found.input_example).tolist() == found.predict(X.head(5)).tolist()
        assert mlflow.sklearn.load_model(address).predict(X).tolist() == found.predict(X).tolist()
    files = Path(mlflow.artifacts.download_artifacts(address))
    requirements = (files / "requirements.txt").read_text().splitlines()
    assert {line.partition("==")[0] for line in requirements} >= {"mlflow", "rotastack", "scikit-learn", "skops"}


def test_a_logged_model_of_another_version_is_refused_by_its_name(logged, tmp_path):
    folder, run_id = logged
    mlflow.set_tracking_uri(tracking_uri(folder))
    files = Path(mlflow.artifacts.download_artifacts(f"runs:/{run_id}/model", dst_path=str(tmp_path)))
    expected = load_model(folder / "model.skops").predict(X)
    assert (model_in_folder(files).predict(X)[0]["prediction"] == expected).all()
    about = (files / "MLmodel").read_text()
    (files / "MLmodel").write_text(about.replace(f"rotastack: {VERSIONS['rotastack']}", "rotastack: 7.1.0"))
    assert re.search(r": written by [^\n]*rotastack 7.1.0[^\n]*pip install", refusal(model_in_folder, files))


@pytest.mark.slow
def test_a_logged_model_of_own_types_has_their_names_and_asks_for_consent(here):
    model = Pipeline([("table", TablePreprocessor(encoding="onehot")), ("classifier", Mute())]).fit(
        X[["b"]], np.array(Y)
    )
    dump_model(model, "model.skops", ["tests"])
    with Writer("shop") as writer:
        run = model_run(writer)
        log_model(writer.client, run.run_id, Path("model.skops"), X, ["tests.study"])
    mlflow.set_tracking_uri(tracking_uri(here))
    address = f"runs:/{run.run_id}/model"
    assert Mute.__module__ + ".Mute" in get_model_info(address).flavors["sklearn"]["skops_trusted_types"]
    files = Path(mlflow.artifacts.download_artifacts(address, dst_path="files"))
    assert model_in_folder(files, None, ["tests"]).predict(X)[0]["prediction"].tolist() == Y
    assert re.search(r"strange.Mute; [^\n]*--trust tests", refusal(model_in_folder, files))


def tabled(n, with_gaps):
    """Return a table of all kinds of columns as text of a CSV file, and its target."""
    rng = np.random.default_rng(n)
    cause = rng.normal(size=n)
    columns = {
        "whole": np.round(100 * cause).astype(int),
        "rating": rng.integers(1, 6, n),
        "number": cause + rng.normal(size=n),
        "member": cause > rng.normal(size=n),
        "city": np.where(cause > 0, "Bonn", rng.choice(["Köln", "Ulm"], n)),
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
    }
    table = pd.DataFrame(columns)
    if with_gaps:
        table = table.astype(object).where(np.arange(n)[:, None] % 7 != np.arange(len(columns)), None)
    return table.to_csv(index=False), np.where(cause > 0, "yes", "no")


@pytest.mark.filterwarnings("ignore:column .* have a category that no training row has")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "values", "trained_with_gaps"),
    [(GaussianNB(), ("yes", "no"), True), (DummyRegressor(), (2.5, 1.25), False)],
)
def test_the_recipe_of_the_card_takes_what_read_csv_gives(here, estimator, values, trained_with_gaps):
    text, target = tabled(80, trained_with_gaps)
    features = pd.read_csv(io.StringIO(text))
    steps = [("table", TablePreprocessor()), ("imputer", SimpleImputer()), ("estimator", estimator)]
    model = Pipeline(steps).fit(features, np.where(target == "yes", *values))
    dump_model(model, "model.skops")
    with Writer("shop") as writer:
        run = model_run(writer)
        log_model(writer.client, run.run_id, Path("model.skops"), features)
        writer.finish(run.run_id)
    loaded = f"runs:/{run.run_id}/model"
    recipe = card(loaded=loaded, store=tracking_uri()).partition("```python\n")[2].partition("```")[0]
    *first, last = recipe.splitlines()
    scope: dict = {}
    exec("\n".join(first), scope)
    whole, gaps = tabled(80, False)[0], tabled(60, True)[0]
    empty = pd.read_csv(io.StringIO(whole)).assign(city=None, whole=None).to_csv(index=False)
    for content in (text, whole, gaps, empty):
        Path("new.csv").write_text(content)
        table = pd.read_csv("new.csv")
        assert eval(last, scope).tolist() == model.predict(table).tolist()
    with pytest.raises(mlflow.MlflowException, match="missing inputs .*rating"):
        mlflow.pyfunc.load_model(loaded).predict(table.drop(columns="rating"))


@pytest.mark.slow
def test_the_store_of_another_folder_is_refused(tmp_path):
    """MLflow would write into the folder in which the store was made; experiments of others may have files anywhere."""
    folder = tmp_path / "first place"
    folder.mkdir()
    run_id = log(folder)
    client = MlflowClient(tracking_uri(folder))
    client.create_experiment("mine", "file:///elsewhere/runs")
    client.create_experiment("theirs", "file:///elsewhere/results/mlflow/artifacts/theirs")
    assert log(folder) == run_id
    words = r"^results/mlflow: created in another folder \(file:[^\n]*first%20place[^\n]*rm -rf [^\n]*$"
    assert re.search(words, refusal(log, folder.rename(tmp_path / "second")))
    assert not folder.exists()


def test_a_damaged_database_is_one_line(here):
    (here / "results/mlflow").mkdir(parents=True)
    (here / "results/mlflow/mlflow.db").write_text("no database" * 100)
    damaged = (
        r"^[^\n]*mlflow.db: the tracking database is damaged; [^\n]*move the file away [^\n]*not a database[^\n]*$"
    )
    with pytest.raises(RotastackError, match=damaged), Writer("shop"):
        pass


STORY = [
    # the study's choice, data -> the champion then
    ("forest", "monday", "forest"),  # the first
    ("boosted", "monday", "boosted"),  # the study chooses anew for the same data
    ("boosted", "tuesday", "boosted"),  # other data are no reason
    ("forest", "monday", "forest"),  # the first choice once more, which is a version already
]


@pytest.mark.slow
def test_the_champion_follows_the_study_on_the_same_data_and_current_is_the_last(here):
    """A model that comes back is no new version."""
    dump_model(fitted(), "m.skops")
    for method, data, champion in STORY:
        with Writer("shop") as writer:
            run = model_run(writer, f"{method} {data}")
            if run.is_new:
                log_model(writer.client, run.run_id, Path("m.skops"), X)
                writer.finish(run.run_id)
            tags = {"method": method, "data": data}
            register_model(writer.client, run.run_id, "customers", f"# {method}", tags, "Who buys.")
            found = (writer.client.get_model_version_by_alias("customers", alias) for alias in ("champion", "current"))
            named = [" ".join(version.tags[k] for k in tags) for version in found]
        assert named == [f"{champion} monday", f"{method} {data}"]
    versions = writer.client.search_model_versions("name = 'customers'")
    assert sorted(v.description for v in versions) == ["# boosted", "# boosted", "# forest"]
    assert writer.client.get_registered_model("customers").description == "Who buys."


@pytest.mark.slow
def test_an_experiment_that_was_deleted_is_named_with_the_way_back(here):
    with Writer("shop") as writer:
        writer.client.delete_experiment(writer.experiment_id)
    words = r"^tracking: the experiment shop is deleted in MLflow; [^\n]*$"
    with pytest.raises(RotastackError, match=words) as error, Writer("shop"):
        pass
    command = re.search(r"\((.+)\)", str(error.value))[1]
    subprocess.run(command, shell=True, check=True, capture_output=True)
    with Writer("shop"):
        pass


@pytest.mark.slow
def test_a_run_has_the_record_of_its_step_and_so_has_its_model(here):
    dump_model(fitted(), "model.skops")
    record = {"parameters": {"n": 1}, "code": "c", "version": "0", "status": "failed", "message": "why", "seed": 7}
    for is_new in (True, False):
        with Writer("shop") as writer:
            tags = {"dataset": "customers", "code": "a-c"}
            run = writer.run("method", "customers / RF", "key", None, record, tags)
            if run.is_new:
                numbers = {"test/error": 0.5, "cells/error": [0.25, None, 0.75], "test/f1": float("nan")}
                writer.log(run.run_id, numbers, "2026-01-01T00:00:00+00:00", {"n": 2, "a=b": "x" * 7000})
                log_model(writer.client, run.run_id, Path("model.skops"), X)
                writer.finish(run.run_id, succeeded=False)
        assert run.is_new == is_new
    found = writer.client.get_run(run.run_id)
    about = {"study": "shop", "code": "a-c", "version": "0", "seed": "7", "rotastack.message": "why"}
    assert about.items() <= found.data.tags.items()
    assert (found.info.status, found.data.params) == ("FAILED", {"n": "2", "a:b": "x" * 6000})
    assert found.data.metrics == {"test/error": 0.5, "cells/error": 0.75}
    history = writer.client.get_metric_history(run.run_id, "cells/error")
    assert [(m.step, m.value) for m in history] == [(0, 0.25), (2, 0.75)]
    (model,) = writer.client.search_logged_models([writer.experiment_id])
    assert (model.status, {m.key: m.value for m in model.metrics}["test/error"]) == ("READY", 0.5)


def test_a_server_answers_with_probabilities_by_the_lines_of_the_page(logged, monkeypatch):
    monkeypatch.chdir(logged[0])
    (block,) = (block for block in blocks("docs/how-to/models.md") if "predict_proba" in block.text)
    text = block.text.replace("customers.customers", "customers")
    exec(text.replace("sqlite:///results/mlflow/mlflow.db", tracking_uri()), {})
    rows = json.dumps({"dataframe_records": X.to_dict("records")}, default=str)
    answer = invocations(rows, "application/json", mlflow.pyfunc.load_model("with_probabilities"), None)
    expected = load_model("model.skops").predict_proba(X)
    np.testing.assert_allclose(json.loads(answer.response)["predictions"], expected)
