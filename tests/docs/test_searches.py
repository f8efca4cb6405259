"""The searches of the page about MLflow find what they say, on a few runs written here."""

import re

import pytest
from tests.docs.blocks import ROOT, blocks

PAGE = "docs/how-to/mlflow.md"
SEARCHES = dict(re.findall(r"^\| ([^|]+) \| ``(.+?)``", (ROOT / PAGE).read_text(), re.M))
RUNS = {
    "wine / Random forest": {"kind": "method", "method": "Random forest", "error": 0.05},
    "wine / Random forest, before": {
        "kind": "method",
        "method": "Random forest",
        "error": 0.2,
        "superseded": "yes",
    },
    "wine / Rotastack": {"kind": "method", "method": "Rotastack", "error": 0.15, "seed": "7"},
    "wine / model": {"kind": "model", "method": "Random forest", "error": 0.05},
}
METHODS = [name for name in RUNS if name != "wine / model"]
FOUND = {
    "all methods, as they are today": ["wine / Random forest", "wine / Rotastack"],
    "a method in two studies (tick both experiments)": ["wine / Random forest"],
    "before and after a change of the code or of parameters": [
        "wine / Random forest",
        "wine / Random forest, before",
    ],
    "releases": ["wine / Rotastack"],
    "rotated against not": METHODS,
    "another seed": ["wine / Random forest", "wine / Random forest, before"],
    "below ten per cent": ["wine / Random forest"],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with the database that a study would have written."""
    mlflow = pytest.importorskip("mlflow")
    folder = tmp_path_factory.mktemp("project")
    (folder / "results/mlflow").mkdir(parents=True)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{folder}/results/mlflow/mlflow.db")
    mlflow.set_experiment("quickstart")
    for name, about in RUNS.items():
        with mlflow.start_run(run_name=name):
            mlflow.set_tags({
                "rotastack.kind": about["kind"], "rotastack.superseded": about.get("superseded", "no"),
                "method": about["method"], "dataset": "wine", "version": "0.1.0", "seed": about.get("seed", "20260701"),
            })  # fmt: skip
            mlflow.log_metrics({"test/error": about["error"], "test/rank": 1.0})
    yield folder
    mlflow.set_tracking_uri(before)


def test_each_search_of_the_page_is_tried():
    assert set(SEARCHES) == set(FOUND)


@pytest.mark.parametrize("question", FOUND)
def test_a_search_finds_what_it_asks_for(question, project):
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{project}/results/mlflow/mlflow.db")
    runs = mlflow.search_runs(experiment_names=["quickstart"], filter_string=SEARCHES[question])
    assert sorted(runs["tags.mlflow.runName"]) == sorted(FOUND[question])


def test_the_same_in_python(project, monkeypatch, capsys):
    (block,) = [block for block in blocks(PAGE) if block.language == "python"]
    monkeypatch.chdir(project)
    exec(block.text, {})
    assert re.findall(r"^\d +(\w+)", capsys.readouterr().out, re.M) == ["Random", "Rotastack", "Random"]
