"""After a change only the dependent jobs rerun.

Most questions are asked in this process: which instances of rules have other parameters after an edit, and does
Snakemake do just these and what follows. A few starts of Snakemake show that it answers the same when a user asks.
"""

import json
import os
import random
import re
import shutil
import time
from unittest import mock

import pytest
from tests.edits import edited
from tests.quick import first
from tests.run.running import changed as with_values
from tests.workflow.project import ROOT, SCORES, TINY, Project, changed, following

from rotastack.base.documents import load_yaml
from rotastack.workflow.run import keys

pytestmark = pytest.mark.workflow

DATASETS = ("iris", "balance-scale")
BLOCK = "RG-01-02/FG-01-02"


def trained(*pools):
    """Return the trainings of pools, also those of inner folds, which stackers need."""
    stacked = {"rotated_forest", "rotated_boosted"}
    inner = {("train", d, p, f"{BLOCK}.inner") for d in DATASETS for p in pools if p in stacked}
    return inner | {("train", d, p, BLOCK) for d in DATASETS for p in pools}


def combined(*methods):
    return {("combine", d, m) for d in DATASETS for m in methods}


def each(rule):
    return {(rule, d) for d in DATASETS}


REFIT = each("refit")
STACKED = combined("S-RRE_RF", "S-RRE_XGB")
DRAWN = {("rotations", d, "RandomRotation", g) for d in DATASETS for g in ("RG-01-02",)}
ALL = trained("forest", "rotated_forest", "rotated_boosted")
ROTATED = trained("rotated_forest", "rotated_boosted")
SHOWN = {("report",), ("track",)}  # these rules have the whole study

EDITS = {
    # file -> instances with changed code: code of all pools, of one pool, and of one combiner
    "workflow/run/nested.py": ALL,
    "workflow/run/steps/combine.py": STACKED | each("vote"),
    "workflow/run/folds.py": each("groups") | DRAWN | each("score"),  # the baseline needs the rows of each
    "combine/stacking.py": STACKED | REFIT,
    "views/rotation.py": ROTATED | DRAWN | REFIT,
    "trees/forest.py": trained("forest", "rotated_forest") | STACKED | REFIT,
    "trees/kernel/splitting.pxd": ALL | STACKED | REFIT,
    "stats/scores.py": each("score") | REFIT | {("summarize",), ("draw",), ("report",), ("track",)},
    "plots/cells.py": {("draw",)},
    "workflow/run/steps/summarize.py": {("summarize",)},
    "workflow/run/steps/report.py": {("report",)},
    "workflow/run/steps/track.py": {("track",)},
}
WITHOUT_EFFECT = (
    # other protocols, and code that only reads, checks and plans studies
    "workflow/run/splits.py",
    "combine/pruning/qmm.py",
    "workflow/study/model.py",
    "workflow/run/plan.py",
    "workflow/run/resources.py",
    "cli/run.py",
    "workflow/run/fingerprint.py",
    "workflow/study/catalogue.py",
)


@pytest.fixture(scope="module")
def before(finished):
    """All jobs of the finished study."""
    return finished.jobs()


def agree(before, after, expected):
    """Check that Snakemake runs the expected jobs and the jobs that depend on these; return the jobs that it runs."""
    needed = {job.name for job in after if job.is_needed}
    assert needed == changed(before, after)
    if expected is not None:
        assert needed == following(after, expected)
    return needed


@pytest.mark.parametrize("file", EDITS)
def test_an_edit_reruns_what_uses_it_and_what_follows(finished, before, file):
    with edited(file):
        agree(before, finished.jobs(), EDITS[file])


@pytest.mark.parametrize("file", ["combine/stacking.py", "workflow/run/nested.py", "plots/cells.py"])
def test_an_edit_reruns_the_same_jobs_of_one_data_set(scored, file):
    before = scored.jobs(SCORES)
    with edited(file):
        expected = {name for name in EDITS[file] if "iris" in name}
        agree(before, scored.jobs(SCORES), expected)


def test_neither_code_without_effect_nor_comments_nor_touching_everything_reruns_anything(project):
    for path in (project.folder / "src").rglob("*.py"):
        path.write_text(path.read_text().replace('"""', '"""Reworded: ', 1) + "\n# another comment\n")
    now = time.time()
    files = [p for p in project.folder.rglob("*") if p.is_file() and ".snakemake" not in p.parts]
    random.Random(0).shuffle(files)
    for i, path in enumerate(files):
        os.utime(path, (now + i / 100, now + i / 100))
    with edited(*WITHOUT_EFFECT):
        assert project.planned() == ({}, [])


def test_a_copy_without_notes_of_snakemake_and_with_times_in_any_order_has_nothing_to_do(scored, tmp_path):
    copy = Project.copy(tmp_path / "project", scored)
    shutil.rmtree(copy.folder / ".snakemake")
    draw, now = random.Random(0), time.time()
    records = {path: path.read_bytes() for path in copy.folder.rglob("*.run.json")}
    for path in sorted(p for top in ("results", "data") for p in (copy.folder / top).rglob("*") if p.is_file()):
        os.utime(path, (now + draw.uniform(-1e6, 1e6),) * 2)
    with mock.patch.object(keys.Jobs, "settle_times"):
        assert any(job.is_needed for job in copy.jobs(SCORES)), "Snakemake compares times"
    assert [job.name for job in copy.jobs(SCORES) if job.is_needed] == []
    assert {path: path.read_bytes() for path in copy.folder.rglob("*.run.json")} == records


def test_the_command_answers_as_this_process_does(project):
    """With another profile, too."""
    project.edit("src/rotastack/combine/stacking.py", "", "")
    rules, messages = project.planned()
    done = project.snakemake("--dry-run", "--workflow-profile", "slurm").stdout
    found = {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", done, re.M) if rule not in ("total", "all")}
    assert found == rules
    assert len([m for m in messages if "combining" in m]) == 2 * len(DATASETS) == rules["combine"]
    assert "train" not in rules
    assert "mem_mb=" in done


STUDY_EDITS = {
    # the place of a key -> its other value, and the instances that are told of it
    "protocol.rotations": (4, DRAWN | ROTATED | REFIT | SHOWN),
    "methods.S-RRE/RF.combiner.parameters.n_estimators": (11, combined("S-RRE_RF") | REFIT | SHOWN),
    "pools.forest.parameters.n_estimators": (7, trained("forest") | REFIT | SHOWN),
    "pools.rotated_boosted.scaling": ("rank", trained("rotated_boosted") | REFIT | SHOWN),
    "evaluation.alpha": (0.1, {("summarize",), ("draw",)} | REFIT | SHOWN),
    "pools.rotated_boosted": (
        {
            "view": "rotation",
            "scaling": "quantile",
            "estimator": "xgboost.XGBClassifier",
            "parameters": {"n_estimators": 3, "n_jobs": 1, "verbosity": 0},
        },  # the class and parameters of "boosted"
        SHOWN,
    ),
    "title": ("A small study", SHOWN),
}


@pytest.mark.parametrize("place", STUDY_EDITS)
def test_an_edit_of_the_study_reruns_what_it_concerns(finished, before, tmp_path, place):
    value, expected = STUDY_EDITS[place]
    (tmp_path / "changed.yaml").write_text(json.dumps(with_values(load_yaml(ROOT / TINY), **{place: value})))
    agree(before, finished.jobs(study=str(tmp_path / "changed.yaml")), expected)


DELIVERABLES = {
    "scores.parquet": "summarize",
    "report.html": "report",
    "figures/study/differences.png": "draw",
    "iris/scores.parquet": "score",
    "iris/methods/S-RRE_RF.nc": "combine",
    "iris/methods/RF.nc": "vote",
    "iris/model/model.skops": "refit",
    "tracking.json": "track",
}


def test_what_was_deleted_is_made_again_and_nothing_before_it(project):
    """Like a purge of a scratch disk."""
    root = project.folder / "results/tiny"
    before = {"table", "groups", "rotations", "train"}
    for name, rule in DELIVERABLES.items():
        (path,) = root.glob(name)
        content = path.read_bytes()
        path.unlink()
        planned, _ = project.planned()
        assert planned.get(rule) == 1, name
        assert not set(planned) & before, name
        path.write_bytes(content)


# Classes and libraries that pools use


FOREIGN = """
from sklearn.ensemble import ExtraTreesClassifier


class Grove(ExtraTreesClassifier):
    pass
"""
MANY = """
name: many
datasets: [iris]
protocol: {rotation_groups: 1, fold_groups: 1, folds: 3, rotations: 3}
pools:
  grove: {estimator: foreign_grove.Grove, parameters: {n_estimators: 3}}
  nested_grove: {estimator: bagging, parameters: {estimator: {class: foreign_grove.Grove}}}
  boosted: {estimator: xgboost.XGBClassifier, parameters: {n_estimators: 3}}
  logistic: {estimator: sklearn.linear_model.LogisticRegression}
  own: {estimator: RotationForestClassifier, parameters: {n_estimators: 3}}
  rotated: {view: rotation, estimator: naive_bayes}
  subspace: {view: {class: RandomSubspace}, estimator: naive_bayes}
  projected: {view: {class: projection}, estimator: naive_bayes}
  ranked: {view: {class: sklearn.preprocessing.QuantileTransformer, parameters: {n_quantiles: 10}}, estimator: naive_bayes}
methods:
  Grove: {pool: grove, combiner: {kind: vote}}
  Nested: {pool: nested_grove, combiner: {kind: vote}}
  Boosted: {pool: boosted, combiner: {kind: vote}}
  Logistic: {pool: logistic, combiner: {kind: vote}}
  Own: {pool: own, combiner: {kind: vote}}
  Rotated: {pool: rotated, combiner: {kind: vote}}
  Subspace: {pool: subspace, combiner: {kind: vote}}
  Projected: {pool: projected, combiner: {kind: vote}}
  Ranked: {pool: ranked, combiner: {kind: stacking, estimator: foreign_grove.Grove}}
model: {refit: none}
"""


@pytest.fixture
def many(blank, tmp_path, monkeypatch):
    """A study of estimators and views from many modules; one is in a separate distribution."""
    place = tmp_path / "site"
    (place / "foreign_grove-1.0.dist-info").mkdir(parents=True)
    (place / "foreign_grove.py").write_text(FOREIGN)
    (place / "foreign_grove-1.0.dist-info/RECORD").write_text("foreign_grove.py,,\n")
    monkeypatch.syspath_prepend(place)

    def ask(version="1.0"):
        about = f"Metadata-Version: 2.1\nName: foreign-grove\nVersion: {version}\n"
        (place / "foreign_grove-1.0.dist-info/METADATA").write_text(about)
        return blank.jobs(study="config/studies/many.yaml")

    (blank.folder / "config/studies/many.yaml").write_text(MANY)
    return ask


def pools(different):
    return {name[2] for name in different if name[0] == "train"}


@pytest.mark.slow
def test_another_version_of_a_foreign_estimator_reruns_its_pools_alone(many):
    different = changed(many(), many("2.0"))
    assert pools(different) == {"grove", "nested_grove"}
    assert ("combine", "iris", "Ranked") in different


@pytest.mark.parametrize(
    ("distribution", "some", "others"),
    first(
        1,
        [
            ("xgboost-cpu", {"boosted"}, {"grove", "nested_grove", "logistic", "own", "rotated", "subspace", "ranked"}),
            ("scikit-learn", {"logistic", "rotated", "ranked"}, set()),
        ],
    ),
)
def test_another_version_of_a_library_reruns_what_computes_with_it(many, monkeypatch, distribution, some, others):
    from rotastack.workflow.run import fingerprint

    before, version = many(), fingerprint.version
    monkeypatch.setattr(fingerprint, "version", lambda name: "99" if name == distribution else version(name))
    found = pools(changed(before, many()))
    assert (some <= found, found & others) == (True, set())


@pytest.mark.parametrize(
    ("file", "expected"), first(1, [("ensembles/forests/rotation.py", {"own"}), ("combine/pruning/margin.py", set())])
)
def test_an_edit_of_one_class_reruns_its_pools_only(many, file, expected):
    before = many()
    with edited(file):
        different = changed(before, many())
    assert pools(different) == expected
    assert not {name[0] for name in different} & {"table", "groups", "combine"}
