"""What CONTRIBUTING.md says is done, on a copy of the project: each block is applied, and the new things work."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a copy of the project in an interpreter of its own

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(python|diff|yaml)\n# (\S+)\n(.*?)^```$", re.M | re.S)

RUN = """
import json
from pathlib import Path

from rotastack.base.documents import load_yaml
from rotastack.project import project_file
from rotastack.study.classes import check_classes
from rotastack.run.job import Job
from rotastack.study.names import slug
from rotastack.run.plan import Plan
from rotastack.run.steps import combine, draw_study, fetch, folds, prepare, refit, score, summarize, train
from rotastack.study.study import Study

study = Study.from_mapping(load_yaml(project_file("config/studies/added.yaml")), "added.yaml")
check_classes(study, "added.yaml")
plan = Plan(study, {})
(dataset,) = study.datasets
root = Path(plan.root)
here = root / dataset

def paths(files):
    return {name: [Path(f) for f in (value if isinstance(value, list) else [value])] for name, value in files.items()}

def do(step, spec, inputs, about=None, **outputs):
    about = {"study": "added", "dataset": dataset, **(about or {})}
    name = step.__name__.rpartition(".")[2]
    step.run(Job(name, json.loads(spec), paths(inputs), paths(outputs), about))

table, raw = f"results/{dataset}.parquet", f"results/{dataset}.csv.gz"
do(fetch, plan.spec("fetch", dataset), {}, raw=raw, record="results/raw.json")
do(prepare, plan.spec("prepare", dataset), {"raw": raw}, table=table, record="results/prepare.json")
known = {"table": table, "folds": here / "folds.parquet"}
do(folds, plan.spec("folds", dataset), {"table": table}, folds=known["folds"], record="results/folds.json")
for pool in study.used_pools:
    for block in study.blocks:
        file = here / "pools" / pool / block
        do(train, plan.spec("train", dataset, pool, block), known, {"pool": pool},
           pool=f"{file}.nc", record=f"{file}.run.json")
failed = {}
for label in study.methods:
    file = here / "methods" / slug(label)
    do(combine, plan.spec("combine", dataset, label), {**known, "pools": here / "pools"}, {"method": label},
       method=f"{file}.nc", record=f"{file}.run.json")
    failed[label] = json.loads(Path(f"{file}.run.json").read_text())["message"]
files = {n: [root / f"{n}.parquet"] for n in ("scores", "calibration")}
do(score, plan.spec("score"), {**known, "methods": plan.method_files(dataset), "pools": here / "pools",
   "records": plan.method_files(dataset, "run.json")}, **files, record=root / "scores.run.json")
do(summarize, plan.summarize_spec(), {**files, "records": [root / "scores.run.json"]}, tables=plan.tables,
   **{n: root / "all" / n for n in ("scores", "comparison", "verdict", "variance", "record")})
do(draw_study, plan.draw_study_spec(), {**files, "tables": plan.tables}, figures=plan.study_figure_files("svg"))
do(refit, plan.spec("refit", dataset), {"raw": raw, "scores": files["scores"][0]}, model=root / "model.skops",
   record=root / "refit.run.json")
print(json.dumps({
    "refit": json.loads((root / "refit.run.json").read_text()),
    "failed": failed,
    "estimators": {name: pool.resolved()["estimator"] for name, pool in study.pools.items()},
    "tables": plan.tables, "figures": plan.study_figure_files("svg"),
    "errors": (root / "tables" / "error.csv").read_text().splitlines(),
    "worst": (root / "tables" / "worst_cells.csv").read_text().splitlines(),
    "trained": plan._modules("train", "centroid"), "combined": plan._modules("combine", "Median"),
}))
"""


def apply(kind: str, path: Path, content: str) -> None:
    if kind != "diff":
        assert not path.exists(), f"{path.name} is there already: CONTRIBUTING.md adds what the package has"
        path.write_text(content)
        return
    lines = content.splitlines(keepends=True)
    there = "".join(line[1:] for line in lines if line.startswith(" "))
    text = path.read_text()
    assert text.count(there) == 1, f"{path.name} has {text.count(there)} times: {there}"
    path.write_text(text.replace(there, "".join(line[1:] for line in lines)))


@pytest.fixture(scope="module")
def blocks():
    return BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())


@pytest.fixture(scope="module")
def found(tmp_path_factory, blocks):
    """What the new things do in the copy, in an interpreter of its own."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("src", "config", "workflow"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", copy)
    for kind, path, content in blocks:
        apply(kind, copy / path, content)
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=copy, env={**os.environ, "PYTHONPATH": str(copy / "src")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_new_thing_is_one_file_or_one_place(blocks):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    recipes = re.split(r"^### ", text.partition("## Add to the package")[2], flags=re.M)[1:]
    names = [recipe.splitlines()[0] for recipe in recipes]
    assert names == [
        "Estimator", "View", "Pruner", "Combiner", "Data source", "Statistic and table", "Figure", "Study",
    ]  # fmt: skip
    for recipe in recipes:
        kinds = [kind for kind, *_ in BLOCK.findall(recipe)]
        assert kinds in (["python"], ["diff"], ["yaml"], ["python", "diff"], ["python", "diff", "diff"])


def test_an_estimator_has_three_names(found):
    path = "rotastack.ensembles.inducers.centroid.CentroidClassifier"
    assert [found["estimators"][name] for name in ("by_path", "centroid", "sharp")] == [path] * 3


def test_estimator_view_pruner_combiner_and_source_run_in_a_study(found):
    assert set(found["failed"]) == {"By path", "Mean", "Median", "Sharp", "Pruned"}
    assert not any(found["failed"].values()), found["failed"]
    assert found["errors"][1].startswith("two-lines,")
    assert found["refit"]["status"] == "ok", found["refit"]["message"]
    assert found["refit"]["metrics"]["method"] == "Median"
    assert "rotastack.views.deviations" in found["trained"]
    assert "rotastack.combine.median" in found["combined"]


def test_a_table_and_a_figure_are_made(found):
    assert "results/added/tables/worst_cells.csv" in found["tables"]
    assert found["worst"][0] == "dataset,method,error"
    assert len(found["worst"]) == 6
    assert "results/added/figures/study/mean_errors.svg" in found["figures"]
