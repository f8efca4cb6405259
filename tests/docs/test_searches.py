"""The searches of the page about MLflow find what they say, among runs as studies write them."""

import re
from contextlib import chdir

import mlflow
import pytest
from tests.docs.blocks import ROOT

from rotastack.workflow.tracking.writer import Writer

PAGE = "docs/how-to/mlflow.md"
SEARCHES = dict(re.findall(r"^\| ([^|]+) \| ``(.+?)``", (ROOT / PAGE).read_text(), re.M))
CODE = "342c644026e4eaf4-cc6537a57f79f933"
RUNS = {  # version -> kind, method, error, seed
    "earlier": [("method", "Random forest", 0.2, 20260701)],
    "current": [
        ("method", "Random forest", 0.05, 20260701),
        ("method", "Rotastack", 0.15, 7),
        ("model", "Random forest", 0.04, 20260701),
    ],
}
METHODS = [0.05, 0.15]
FOUND = {  # question -> errors of the runs
    "all methods, as they are now": METHODS,
    "a method in two studies (tick both experiments)": [0.05],
    "before and after a change of the code or of parameters": [0.05, 0.2],
    "releases": [0.15],
    "with or without rotations": METHODS,
    "another seed": [0.05, 0.2],
    "error below 10 %": [0.05],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with the runs of a study."""
    folder = tmp_path_factory.mktemp("project")
    with chdir(folder):
        for version in ("earlier", "current"):
            with Writer("quickstart") as writer:
                for kind, method, error, seed in RUNS[version]:
                    record = {"code": CODE, "version": "0.1.0", "seed": seed}
                    tags = {"dataset": "wine", "method": method, "rotated": "no"}
                    run = writer.run(kind, f"wine / {method}", version, None, record, tags)
                    writer.log(run.run_id, {"test/error": error, "test/rank": 1.0}, "2026-01-01T00:00:00+00:00")
                    writer.finish(run.run_id)
                writer.mark_history([])
    return folder


@pytest.fixture(autouse=True)
def address(project):
    """MLflow's address, which is forgotten after each test."""
    mlflow.set_tracking_uri(f"sqlite:///{project}/results/mlflow/mlflow.db")


@pytest.mark.slow
def test_each_search_of_the_page_finds_what_it_asks_for():
    found = {}
    for question, search in SEARCHES.items():
        runs = mlflow.search_runs(experiment_names=["quickstart"], filter_string=search)
        found[question] = sorted(runs["metrics.test/error"])
    assert found == FOUND
