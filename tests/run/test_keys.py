"""A key follows what its result is made from, and nothing else; records of other keys are stale."""

import json
import os
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from tests.edits import edited
from tests.run.running import changed as with_values

from rotastack.workflow.run import keys as keys_module
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.study import Study

VOTE = {"kind": "vote"}
STUDY = {
    "name": "s",
    "title": "A study",
    "seed": 1,
    "datasets": [
        {"name": "own", "sources": [{"file": {"path": "own.csv", "target": "y"}}]},
        {"name": "pub", "sources": [], "mirror": "pub"},
    ],
    "protocol": {"rotation_groups": 3, "fold_groups": 1, "folds": 3, "rotations": 2},
    "blocks": {"rotation_groups": 2},
    "model": {"explain": True},
    "pools": {
        "forest": {"estimator": "forest", "parameters": {"n_estimators": 3}},
        "rotated": {"view": "rotation", "estimator": "naive_bayes"},
    },
    "methods": {
        "RF": {"pool": "forest", "combiner": VOTE},
        "R": {"pool": "rotated", "combiner": VOTE},
        "S": {"pool": "rotated", "combiner": {"kind": "stacking", "estimator": "logistic"}},
    },
}
DATASETS = ("own", "pub")
BLOCKS = ("RG-01-02/FG-01", "RG-03/FG-01")
INNER = tuple(f"{block}.inner" for block in BLOCKS)
SHOWN = {"report", "track"}
OF_STUDY = {"summarize", "draw"} | SHOWN


def of(*rules, datasets=DATASETS):
    """Return the names of jobs of data sets."""
    return {(rule, dataset) for rule in rules for dataset in datasets}


def trained(*pools, blocks=BLOCKS, datasets=DATASETS):
    return {("train", d, pool, block) for d in datasets for pool in pools for block in blocks}


def combined(*labels, datasets=DATASETS):
    return {("combine", d, label) for d in datasets for label in labels}


def judged(datasets=DATASETS):
    """Return what follows the outputs of any method."""
    return of("score", "refit", "explain", datasets=datasets) | OF_STUDY


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with an own table and a mirror."""
    (tmp_path / "mirror").mkdir()
    for name in ("own.csv", "mirror/pub.csv.gz"):
        (tmp_path / name).write_text(f"{name}\n")
    monkeypatch.setenv("DATA_MIRROR", "mirror")
    with chdir(tmp_path):
        yield tmp_path


def plan(**values):
    """Return the plan of the study with other values of keys; None removes a key."""
    return Plan(Study.from_mapping(with_values(STUDY, **values), "s"), {"data": {"missing": "stop"}})


def keys(found):
    """Return job -> key, for all jobs of a plan."""
    found.jobs.all()
    return {name: job.key for name, job in found.jobs.items()}


def changed(before, after):
    """Return the jobs whose keys differ, among those in both; new jobs are not among them."""
    return {name for name in before.keys() & after.keys() if before[name] != after[name]}


def result(job, **content):
    """Write the record of a job."""
    path = Path(job.record)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": job.key, **content}))
    return path


# What counts


def test_equal_plans_have_equal_keys_and_each_job_its_own(folder):
    before = keys(plan())
    assert keys(plan()) == before
    assert keys(Plan(Study.from_mapping(STUDY, "elsewhere"), {})) == before
    assert len(set(before.values())) == len(before)
    expected = of("fetch", "prepare", "groups") | judged() | combined("RF", "R", "S")
    expected |= trained("forest") | trained("rotated", blocks=BLOCKS + INNER)
    assert {name for name in before if "rotations" not in name} == expected


OF_OWN = (
    of("fetch", "prepare", "groups", datasets=["own"])
    | trained("forest", datasets=["own"])
    | trained("rotated", blocks=BLOCKS + INNER, datasets=["own"])
    | combined("RF", "R", "S", datasets=["own"])
    | judged(["own"])
)


def test_the_content_of_a_table_changes_all_of_its_data_set_and_no_other(folder):
    before = keys(plan())
    os.utime("own.csv", (0, 0))
    assert keys(plan()) == before
    Path("own.csv").write_text("other\n")
    assert {name for name in changed(before, keys(plan())) if "rotations" not in name} == OF_OWN


VOTED = combined("RF", "R")
"""One job lets all methods that only vote decide."""

CHANGES = {
    # place in the study -> another value, and the jobs whose keys change
    "seed": (
        2,
        of("groups")
        | trained("forest")
        | trained("rotated", blocks=BLOCKS + INNER)
        | combined("RF", "R", "S")
        | judged(),
    ),
    "pools.forest.parameters": ({"n_estimators": 4}, trained("forest") | VOTED | judged()),
    "pools.rotated.scaling": ("rank", trained("rotated", blocks=BLOCKS + INNER) | VOTED | combined("S") | judged()),
    "methods.S.combiner": ({"kind": "stacking", "estimator": "naive_bayes"}, combined("S") | judged()),
    "methods.RF.combiner": ({"kind": "vote", "voting": "hard"}, combined("RF") | judged()),
    "evaluation": ({"alpha": 0.1}, of("refit", "explain") | OF_STUDY),
    "title": ("Another", SHOWN),
    "sizes": ({"small": {"seed": 3}}, set()),
}


@pytest.mark.parametrize("place", CHANGES)
def test_a_change_of_the_study_changes_the_keys_that_follow(folder, place):
    value, expected = CHANGES[place]
    before, after = keys(plan()), keys(plan(**{place: value}))
    assert before.keys() == after.keys()
    drawn = {name for name in before if "rotations" in name}
    assert changed(before, after) - drawn == expected
    assert (drawn <= changed(before, after)) == (place == "seed")


def test_an_edit_of_code_changes_the_keys_of_its_jobs_and_those_that_follow(folder):
    before = keys(plan())
    with edited("combine/stacking.py"):
        after = keys(plan())
    assert changed(before, after) == combined("S") | judged()
    with edited("cli/run.py"):
        assert keys(plan()) == before


def test_templates_of_the_report_count_by_their_content(folder, monkeypatch):
    (template := folder / "report.html.j2").write_text("<p>")
    monkeypatch.setattr(keys_module, "report_texts", lambda: [template])
    before = keys(plan())
    template.write_text("<p><!-- older -->")
    os.utime(template, (0, 0))
    assert changed(before, keys(plan())) == SHOWN | of("explain")


# Files from outside


def test_a_file_of_the_mirror_counts_by_its_content_and_no_more_once_it_is_gone(folder):
    before = plan().jobs["fetch", "pub"]
    record = result(before, parameters=json.loads(before.slice))
    shutil.copytree("mirror", "moved")
    shutil.rmtree("mirror")
    assert plan().jobs["fetch", "pub"].key != before.key, "there is no table"
    raw = Path(plan().raw("pub"))
    raw.touch()
    assert (plan().jobs["fetch", "pub"], plan().jobs.stale()) == (before, [])
    record.write_text("{")
    assert plan().jobs["fetch", "pub"].key != before.key
    Path("moved").rename("mirror")
    assert plan().jobs["fetch", "pub"] == before, "the file counts again"
    result(before)
    Path("mirror/pub.csv.gz").write_text("corrected")
    assert plan().jobs["fetch", "pub"].key != before.key, "whatever the record says"
    assert plan().jobs.stale() == [str(record)]


# Records


@pytest.mark.parametrize(
    ("text", "is_stale"),
    [
        ('{"key": "KEY"}', False),
        ('{"key": "another"}', True),
        ('{"status": "ok"}', True),
        ('{"key": "KEY"', True),
        ("[]", True),
        ("", True),
        ("\0\xff", True),
        (None, False),
    ],
)
def test_a_record_of_another_key_is_stale_and_a_missing_one_is_not(folder, text, is_stale):
    found = plan()
    job = found.jobs["combine", "own", "S"]
    if text is not None:
        path = result(job)
        path.write_bytes(text.replace("KEY", job.key).encode("latin-1"))
    assert (job.is_stale, job.is_current) == (is_stale, text is not None and not is_stale)
    assert found.jobs.stale() == [job.record] * is_stale


def test_a_change_of_a_pool_makes_the_results_that_follow_stale_in_the_order_of_jobs(folder):
    before = plan()
    for job in before.jobs.all():
        result(job)
    assert before.jobs.stale() == []
    after = plan(**{"pools.forest.parameters": {"n_estimators": 4}})
    found = after.jobs.stale()
    expected = trained("forest") | VOTED | judged()
    assert sorted(found) == sorted(after.jobs[name].record for name in expected)
    assert found.index("results/s/own/pools/forest/RG-03/FG-01.run.json") < found.index("results/s/own/scores.run.json")
    assert found[-1] == "results/s/tracking.json"


# Inner folds are blocks of their own


def trainings(found):
    """Return the trainings of a plan with their keys."""
    return {name: key for name, key in keys(found).items() if name[0] == "train"}


def test_the_first_stacker_on_a_pool_that_votes_trains_the_inner_blocks_alone(folder):
    without, stacked = trainings(plan(**{"methods.S": None})), trainings(plan())
    assert without.items() <= stacked.items()
    assert stacked.keys() - without.keys() == trained("rotated", blocks=INNER)


def test_without_its_only_stacker_a_pool_is_not_trained_again(folder):
    before = plan()
    for job in before.jobs.all():
        result(job)
    after = plan(**{"methods.S": None})
    assert not [record for record in after.jobs.stale() if "/pools/" in record or "/methods/" in record]
    assert "results/s/own/scores.run.json" in after.jobs.stale()


@pytest.mark.parametrize("label", ["RF", "S"])
def test_another_label_trains_nothing_again(folder, label):
    methods = {"Renamed" if name == label else name: method for name, method in STUDY["methods"].items()}
    before, after = plan(), plan(methods=methods)
    assert trainings(before) == trainings(after)
    others = {"RF", "R", "S"} - {label}
    assert not changed(keys(before), keys(after)) & combined(*others)
    assert judged() <= changed(keys(before), keys(after))


def test_other_blocks_are_trained_and_those_of_the_same_groups_stay(folder):
    before, after = keys(plan()), keys(plan(blocks={"rotation_groups": 1}))
    names = [f"{group}/FG-01" for group in ("RG-01", "RG-02", "RG-03")]
    names_of_all = names + [f"{name}.inner" for name in names]
    assert {name for name in after if name[0] == "train"} == (
        trained("forest", blocks=names) | trained("rotated", blocks=names_of_all)
    )
    assert changed(before, after) == combined("RF", "R", "S") | judged()
    assert not {name for name in after.keys() - before.keys() if "RG-03" in str(name)}
    more = trainings(plan(blocks={"rotation_groups": 1}, **{"protocol.rotation_groups": 4}))
    assert {name for name, key in more.items() if after.get(name) != key} == {n for n in more if "RG-04" in str(n)}
