"""The writer: runs and models are logged once, and once more in a fresh store after their folder was moved."""

import io
import json
from contextlib import chdir
from pathlib import Path

import mlflow
import numpy as np
import pandas as pd
import pytest
from mlflow.pyfunc.scoring_server import invocations
from mlflow.tracking import MlflowClient
from sklearn.dummy import DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from tests.quick import first
from tests.run.test_model_card import card

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.errors import RotastackError
from rotastack.workflow.tracking import writer as writing
from rotastack.workflow.tracking.address import existing_uri, tracking_uri
from rotastack.workflow.tracking.model_files import dump_model, load_model
from rotastack.workflow.tracking.writer import Writer

X = pd.DataFrame({"a": range(20), "b": ["u", "v"] * 10})
Y = ["x", "z"] * 10
RECORD = {"code": "c", "version": "0", "status": "ok", "message": ""}
DIGEST = 4 * "0123456789abcdef"  # of a file: any, as the writer only notes it


def fitted():
    return Pipeline([("table", TablePreprocessor()), ("classifier", GaussianNB())]).fit(X, Y)


def log(folder):
    """Log a model and its table as steps do; return the run."""
    dump_model(fitted(), folder / "model.skops")
    with chdir(folder), Writer("shop", "customers") as writer:
        home = writer.container("dataset", {"study": "shop", "dataset": "customers"})
        run = writer.leaf("model", {"study": "shop"}, home, "customers / model", RECORD, {}, {})
        if run.is_new:
            writer.log_dataset(
                run.run_id, X.assign(target=Y), "customers", "data/raw/customers.parquet", "training", DIGEST
            )
            writer.log_model(run.run_id, folder / "model.skops", X)
            writer.finish(run.run_id)
        writer.register_model(run.run_id, "customers", "GaussianNB", {}, "")
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
    assert json.loads(trained.dataset.source) == {"uri": "data/raw/customers.parquet"}


def test_a_logged_model_is_the_estimator_and_its_file_ours(logged):
    folder, run_id = logged
    mlflow.set_tracking_uri(tracking_uri(folder))
    for address in (f"runs:/{run_id}/model", "models:/customers/1", "models:/customers@champion"):
        found = mlflow.pyfunc.load_model(address)
        assert found.predict(X).tolist() == load_model(folder / "model.skops").predict(X).tolist()
        assert found.metadata.get_input_schema().input_names() == ["b"], "and not the id"
        pd.testing.assert_frame_equal(found.input_example, X.head(5)[["b"]])
        assert mlflow.sklearn.load_model(address).predict(X).tolist() == found.predict(X).tolist()
    files = Path(mlflow.artifacts.download_artifacts(address))
    assert (files / "model.skops").read_bytes() == (folder / "model.skops").read_bytes()
    assert any(line.startswith("scikit-learn==") for line in (files / "requirements.txt").read_text().splitlines())


def tabled(n, with_gaps):
    """Return a table of all kinds of columns as text of a CSV file, and its target."""
    rng = np.random.default_rng(n)
    cause = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "whole": np.round(100 * cause).astype(int),
            "rating": rng.integers(1, 6, n),
            "number": cause + rng.normal(size=n),
            "member": cause > rng.normal(size=n),
            "city": np.where(cause > 0, "Bonn", rng.choice(["Köln", "Ulm"], n)),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    if with_gaps:
        table = table.astype(object)
        for number, column in enumerate(table.columns):
            table.loc[number::7, column] = None
    return table.to_csv(index=False), np.where(cause > 0, "yes", "no")


@pytest.mark.filterwarnings("ignore:column .* have a category that no training row has")
@pytest.mark.parametrize(("task", "trained_with_gaps"), first(1, [("classification", True), ("regression", False)]))
def test_the_recipe_of_the_card_takes_what_read_csv_gives(here, trained_with_gaps, task):
    text, target = tabled(80, trained_with_gaps)
    if task == "regression":
        target = np.where(target == "yes", 2.5, 1.25)
    features = pd.read_csv(io.StringIO(text))
    estimator = GaussianNB() if task == "classification" else DummyRegressor()
    scaled = [("imputer", SimpleImputer()), ("estimator", estimator)]
    model = Pipeline([("table", TablePreprocessor()), *scaled]).fit(features, target)
    dump_model(model, "model.skops")
    with Writer("shop", "customers") as writer:
        home = writer.container("dataset", {"study": "shop", "dataset": "customers"})
        run = writer.leaf("model", {"study": "shop"}, home, "customers / model", RECORD, {}, {})
        writer.log_model(run.run_id, Path("model.skops"), features)
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
        if task == "classification":
            found = mlflow.pyfunc.load_model(loaded).predict(table, params={"probabilities": True})
            assert found.columns.tolist() == ["probability=no", "probability=yes"]
            np.testing.assert_array_equal(found, model.predict_proba(table))
            request = {
                "dataframe_records": json.loads(table.to_json(orient="records")),
                "params": {"probabilities": True},
            }
            answer = invocations(json.dumps(request), "application/json", mlflow.pyfunc.load_model(loaded), None)
            assert answer.status == 200
            (first_row, *_) = json.loads(answer.response)["predictions"]
            assert list(first_row) == ["probability=no", "probability=yes"]
    missing = pd.read_csv("new.csv").drop(columns="rating")
    with pytest.raises(mlflow.MlflowException, match="missing inputs .*rating"):
        mlflow.pyfunc.load_model(loaded).predict(missing)


@pytest.mark.slow
def test_a_folder_that_was_moved_gets_a_fresh_store(tmp_path, capsys):
    """Each time; what was there is kept."""
    folder = tmp_path / "first place"
    folder.mkdir()
    for number, name in enumerate(["first place", "second", "first place"]):
        folder = folder.rename(tmp_path / name)
        for again in range(2):
            run_id = log(folder)
            said = capsys.readouterr().err
            assert said.count("was made in another folder") == said.count("\n") == (number > 0 and not again)
        asides = sorted(p.name for p in folder.glob("results/mlflow-of-another-folder-*"))
        assert asides == [f"mlflow-of-another-folder-{k + 1}" for k in range(number)]
        assert all((folder / "results" / aside / "artifacts").is_dir() for aside in asides)
        mlflow.set_tracking_uri(tracking_uri(folder))
        for address in (f"runs:/{run_id}/model", "models:/customers@champion"):
            assert mlflow.pyfunc.load_model(address).predict(X)[:2].tolist() == ["x", "z"]
        mlflow.set_tracking_uri(None)  # it puts the address into the environment


@pytest.mark.slow
def test_experiments_of_others_are_no_reason(tmp_path):
    """They may have their files anywhere, also as another folder does that brings its runs here."""
    run_id = log(tmp_path)
    client = MlflowClient(tracking_uri(tmp_path))
    client.create_experiment("mine", "file:///elsewhere/runs")
    client.create_experiment("theirs", "file:///elsewhere/results/mlflow/artifacts/theirs")
    assert log(tmp_path) == run_id
    assert not list(tmp_path.glob("results/mlflow-*"))


def test_readers_make_no_database(tmp_path):
    with pytest.raises(RotastackError, match=r"^[^\n]*mlflow.db: tracking database not found; [^\n]*$"):
        existing_uri(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_damaged_database_is_one_line(tmp_path):
    (tmp_path / "results/mlflow").mkdir(parents=True)
    (tmp_path / "results/mlflow/mlflow.db").write_text("no database" * 100)
    damaged = r"^[^\n]*mlflow.db: the tracking database is damaged; move the file away [^\n]*not a database[^\n]*$"
    with chdir(tmp_path), pytest.raises(RotastackError, match=damaged), Writer("shop"):
        pass


STORY = [
    # study, its choice, data -> who is champion then: the study and its choice
    ("shop", "forest", "monday", "shop forest"),  # the first
    ("shop", "boosted", "monday", "shop boosted"),  # the same study chooses anew for the same data
    ("rival", "linear", "monday", "shop boosted"),  # another study does not take it away
    ("shop", "boosted", "tuesday", "shop boosted"),  # other data are no reason, even for the same study
    ("shop", "forest", "monday", "shop forest"),  # the first choice once more, which is a version already
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The client after the story, and who was champion and who was logged last after each part of it."""
    folder = tmp_path_factory.mktemp("told")
    dump_model(fitted(), folder / "m.skops")
    found = []
    with chdir(folder):
        for study, method, data, _ in STORY:
            with Writer(study, "customers") as writer:
                home = writer.container("dataset", {"study": study, "dataset": "customers"})
                key = {"study": study, "method": method, "data": data}
                run = writer.leaf("model", key, home, f"customers / {method} {data}", RECORD, {}, {})
                if run.is_new:
                    writer.log_model(run.run_id, folder / "m.skops", X)
                writer.finish(run.run_id)
                tags = {"study": study, "method": method, "data": data}
                writer.register_model(run.run_id, "customers", f"# {study} {method}", tags, "Who buys.")
                versions = [
                    writer.client.get_model_version_by_alias("customers", alias) for alias in ("champion", "current")
                ]
                found.append([" ".join(v.tags[k] for k in ("study", "method", "data")) for v in versions])
        return MlflowClient(tracking_uri(folder)), found


@pytest.mark.slow
def test_the_champion_follows_its_study_on_the_same_data_and_current_is_the_last(told):
    _, found = told
    assert found == [[f"{champion} monday", f"{study} {method} {data}"] for study, method, data, champion in STORY]


@pytest.mark.slow
def test_a_model_that_comes_back_is_no_new_version(told):
    client, _ = told
    versions = client.search_model_versions("name = 'customers'")
    assert sorted(int(v.version) for v in versions) == [1, 2, 3, 4]
    assert {v.description for v in versions} == {"# shop forest", "# shop boosted", "# rival linear"}
    assert client.get_registered_model("customers").description == "Who buys."


@pytest.mark.slow
def test_the_description_is_kept_up_to_date_and_is_never_too_long(tmp_path):
    with chdir(tmp_path), Writer("shop") as writer:
        for text in ("first", "second", "\n".join(["# Verdict", *["| row |"] * 2000])):
            writer.describe_experiment(text)
            note = writer.client.get_experiment(writer.experiment_id).tags["mlflow.note.content"]
            assert note == text or len(text) > 5000
    assert len(note) <= 5000
    assert note.startswith("# Verdict\n| row |")
    assert note.endswith("…")


@pytest.mark.slow
def test_an_experiment_that_was_deleted_comes_back(tmp_path):
    with chdir(tmp_path):
        with Writer("shop") as writer:
            writer.client.delete_experiment(number := writer.experiment_id)
        with Writer("shop") as writer:
            assert writer.experiment_id == number
            assert writer.client.get_experiment(number).lifecycle_stage == "active"


@pytest.mark.slow
def test_runs_of_an_earlier_form_are_marked_and_logged_anew(tmp_path, monkeypatch):
    """After an upgrade nothing has two names for one number."""
    record = {"parameters": {"n": 1}, "code": "c", "version": "0", "status": "ok", "message": "", "seed": 7}
    found = []
    with chdir(tmp_path):
        for form in (1, 2, 2):
            monkeypatch.setattr(writing, "FORM", form)
            with Writer("shop", "customers") as writer:
                home = writer.container("dataset", {"study": "shop", "dataset": "customers"})
                run = writer.leaf("method", {"method": "RF"}, home, "customers / RF", record, {"code": "a-c"}, {"n": 2})
                writer.finish(run.run_id)
                found.append(run)
        client = writer.client
        assert [run.is_new for run in found] == [True, True, False]
        runs = [client.get_run(run.run_id).data for run in found[:2]]
    assert [r.tags["rotastack.superseded"] for r in runs] == ["yes", "no"]
    assert {k: runs[1].tags[k] for k in ("code", "version", "seed")} == {"code": "a-c", "version": "0", "seed": "7"}
    assert runs[1].params == {"n": "2"}
