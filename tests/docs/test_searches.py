"""The searches of the page about MLflow find what they say, among runs as studies write them."""

import re
from contextlib import chdir

import pytest
from tests.docs.blocks import ROOT, blocks

PAGE = "docs/how-to/mlflow.md"
SEARCHES = dict(re.findall(r"^\| ([^|]+) \| ``(.+?)``", (ROOT / PAGE).read_text(), re.M))
CODE = "342c644026e4eaf4-cc6537a57f79f933"
RUNS = (  # kind, method, error, what else it is
    ("method", "Random forest", 0.2, {"n": 1}),  # an earlier configuration of the next
    ("method", "Random forest", 0.05, {"n": 2}),
    ("method", "Rotastack", 0.15, {"seed": 7}),
    ("model", "Random forest", 0.04, {}),
)
METHODS = [0.05, 0.15, 0.2]
FOUND = {  # question -> errors of the runs
    "all methods": METHODS,
    "a method in two studies (tick both experiments)": [0.05, 0.2],
    "before and after a change of the code or of parameters": [0.05, 0.2],
    "releases": [0.15],
    "with or without rotations": METHODS,
    "another seed": [0.05, 0.2],
    "error below 10 %": [0.05],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with the runs of a study."""
    from rotastack.workflow.tracking.writer import Writer

    folder = tmp_path_factory.mktemp("project")
    with chdir(folder), Writer("quickstart", "wine") as writer:
        home = writer.container("dataset", {"study": "quickstart", "dataset": "wine"})
        for kind, method, error, about in RUNS:
            record = {"code": CODE, "version": "0.1.0", "status": "ok", "message": "",
                      "seed": about.get("seed", 20260701)}  # fmt: skip
            tags = {"dataset": "wine", "method": method, "rotated": "no"}
            key = {"study": "quickstart", "dataset": "wine", "method": method, "parameters": about}
            run = writer.leaf(kind, key, home, f"wine / {method}", record, tags, {"n": 1, **about})
            scores = {"test/error": error, "test/rank": 1.0}
            writer.log_metrics(run.run_id, scores, "2026-01-01T00:00:00+00:00")
            writer.finish(run.run_id)
    return folder


@pytest.fixture(autouse=True)
def address(project):
    """MLflow's address, which is forgotten after each test."""
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{project}/results/mlflow/mlflow.db")


@pytest.mark.slow
def test_each_search_of_the_page_is_tried():
    assert set(SEARCHES) == set(FOUND)


@pytest.mark.slow
@pytest.mark.parametrize("question", FOUND)
def test_a_search_finds_what_it_asks_for(question):
    import mlflow

    runs = mlflow.search_runs(experiment_names=["quickstart"], filter_string=SEARCHES[question])
    assert sorted(runs["metrics.test/error"]) == FOUND[question]


@pytest.mark.slow
def test_the_same_in_python(project, monkeypatch, capsys):
    (block,) = [block for block in blocks(PAGE) if block.language == "python"]
    monkeypatch.chdir(project)
    exec(block.text, {})
    assert re.findall(r"^\d +(\w+)", capsys.readouterr().out, re.M) == ["Random", "Rotastack", "Random"]
