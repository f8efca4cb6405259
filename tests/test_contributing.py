"""The blocks of CONTRIBUTING.md, applied to a copy of the project: the additions work."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.slow  # a copy of the project in a separate interpreter

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(python|diff|yaml)\n# (\S+)\n(.*?)^```$", re.M | re.S)


def apply(kind: str, path: Path, content: str) -> None:
    if kind != "diff":
        assert not path.exists(), f"{path.name} is there already: CONTRIBUTING.md adds what the package has"
        path.write_text(content)
        return
    lines = content.splitlines(keepends=True)
    there, new = ("".join(line[1:] for line in lines if line[0] in marks) for marks in (" -", " +"))
    text = path.read_text()
    assert text.count(there) == 1, f"{path.name} has {text.count(there)} times: {there}"
    path.write_text(text.replace(there, new))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of the added study, in a copy of the project."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("src", "config", "workflow"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", copy)
    for kind, path, content in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text()):
        apply(kind, copy / path, content)
    command = [sys.executable, "-m", "rotastack", "run", "config/studies/added.yaml", "--cores", "2"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return copy / "results/added"


def test_estimator_view_pruner_combiner_and_source_run_in_a_study(results):
    methods = json.loads((results / "two-lines/records.json").read_text())["methods"]
    assert {record["method"]: record["message"] for record in methods} == dict.fromkeys(
        ("By path", "Mean", "Median", "Sharp", "Pruned"), ""
    )
    refit = json.loads((results / "two-lines/model/refit.run.json").read_text())
    assert refit["status"] == "ok", refit["message"]
    assert refit["metrics"]["method"] == "Median"


def test_a_score_a_table_and_a_figure_are_made(results):
    assert pd.read_parquet(results / "scores.parquet")["worst_recall"].between(0, 1).all()
    assert "smallest recall of a class" in (results / "report.html").read_text()
    worst = (results / "tables/worst_cells.csv").read_text().splitlines()
    assert (worst[0], len(worst)) == ("dataset,method,error", 6)
    assert (results / "figures/study/mean_errors.svg").is_file()
