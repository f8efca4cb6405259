"""Commands, bad input, failures and tracking, as a user meets them."""

import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.workflow.project import TINY

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("studies/tiny.yaml", "seed: 1", "sed: 1", ["unknown key 'sed'; did you mean 'seed'"]),
        (
            "studies/tiny.yaml",
            "estimator: boosted",
            "estimator: sklearn.svm.SVX",
            ["pools.rotated_boosted", "SVX", "did you mean 'SV"],
        ),
        ("config.yaml", "missing: stop", "missing: hope", ["config.yaml: data.missing: ", "'hope'", "stop", "skip"]),
        ("datasets.yaml", "rows: 150", "row: 150", ["datasets.yaml", "unknown key 'row'; did you mean 'rows'"]),
    ],
)
def test_mistakes_in_files(blank, name, old, new, words):
    blank.edit(f"config/{name}", old, new)
    line = blank.refusal()
    for word in words:
        assert word in line


def test_a_model_that_fails_is_recorded_and_the_study_goes_on(project):
    project.edit(TINY, "parameters: {n_estimators: 2}", "parameters: {n_estimators: 2, max_features: 99}")
    project.make("results/tiny/report.html")
    root = project.folder / "results/tiny"
    record = json.loads(next((root / "iris/pools/rotated_forest").rglob("*.run.json")).read_text())
    assert record["status"] == "failed"
    assert "max_features is 99" in record["message"]
    scores = pd.read_parquet(root / "scores.parquet")
    assert scores["error"].isna().groupby(scores["method"]).mean()[["RRE", "RF"]].tolist() == [1, 0]
    assert "method RRE failed: the pool failed: ValueError: max_features is 99" in (root / "report.html").read_text()


def test_the_report_is_whole_and_self_contained(finished):
    page = (finished.folder / "results/report.html").read_text()
    assert page.count("<svg") == 6 + 2 * 6
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_the_environment_need_not_be_activated(project):
    """Like `make run`: Snakemake by its path, with an empty PATH of the environment."""
    project.edit(TINY, "[iris,", "[monks-1,")
    snakemake = str(Path(sys.executable).parent / "snakemake")
    target = "results/tiny/monks-1/table.parquet"
    command = [snakemake, target, "--cores", "1", "--configfile", TINY]
    project.call(*command, PATH="/usr/local/bin:/usr/bin:/bin")
    assert (project.folder / target).is_file()


def test_another_tracking_address_reruns_tracking_alone_and_one_that_is_dead_computes_nothing(
    project, tmp_path, monkeypatch
):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/other.db")
    assert project.planned()[0] == {"track": 1}
    project.call("rotastack", "run", "tiny", "--cores", "1")
    assert project.planned() == ({}, [])
    assert (tmp_path / "other.db").is_file()
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert project.planned()[0] == {"track": 1}

    project.edit(TINY, "seed: 1", "seed: 2")
    uri = "http://anna:secret@127.0.0.1:1"
    done = project.call("rotastack", "run", "tiny", "--cores", "1", check=False, MLFLOW_TRACKING_URI=uri)
    assert done.returncode == 2
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("rotastack: error: "))
    assert "http://127.0.0.1:1: the tracking server does not answer" in line
    assert not re.search("secret|Traceback", done.stdout + done.stderr)
    assert project.planned()[0]["train"] > 0
