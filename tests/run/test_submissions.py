"""How many submissions a study is, and what they ask for."""

import json
from contextlib import chdir
from pathlib import Path

import pytest

from rotastack.base.documents import load_yaml
from rotastack.run.launch import config_file, read_plan
from rotastack.run.submissions import ATTEMPTS, MINUTES, MOST, Submissions

LARGE = {
    "name": "large",
    "datasets": ["iris", "balance-scale"],
    "protocol": {"rotation_groups": 100, "fold_groups": 50, "folds": 5, "rotations": 10},
    "blocks": {"rotation_groups": 2, "fold_groups": 5},
    "pools": {
        "forest": {"estimator": "forest", "parameters": {"n_estimators": 1000}},
        "rotated": {"view": "rotation", "estimator": "forest", "parameters": {"n_estimators": 200}},
    },
    "methods": {
        "RF": {"pool": "forest", "combiner": {"kind": "vote"}},
        "RRE": {"pool": "rotated", "combiner": {"kind": "vote"}},
    },
}


@pytest.fixture
def laid_out(tmp_path):
    """Return a function from a study to its submissions, in a folder without results."""

    def lay_out(study, **options):
        machine = load_yaml(Path(config_file()))
        return Submissions(read_plan(machine | study, [config_file()], check=False), **options)

    with chdir(tmp_path):
        yield lay_out


def test_ten_thousand_cells_are_at_most_fifty_submissions_of_equal_work(laid_out):
    found = laid_out(LARGE)
    assert found.plan.study.protocol.n_cells * len(found.plan.datasets) == 10_000
    trainings = [work for work in found.work if work.rule == "train"]
    assert len(trainings) == 2000
    assert sum(found.counts.values()) <= MOST
    assert found.counts["train"] >= 30
    assert found.components["train"] * (found.counts["train"] - 1) < 2000
    assert found.components["train"] * found.counts["train"] >= 2000


def test_twice_the_work_is_no_more_submissions_beyond_the_most(laid_out):
    more = {**LARGE, "protocol": {**LARGE["protocol"], "rotation_groups": 400}}
    found = laid_out({**more, "blocks": {"rotation_groups": 4, "fold_groups": 10}})
    assert 30 < sum(found.counts.values()) <= MOST


def test_small_data_sets_are_whole_and_share_submissions(laid_out):
    small = {**LARGE, "protocol": {"rotation_groups": 1, "fold_groups": 1, "rotations": 2}, "blocks": {}}
    found = laid_out(small)
    assert found.whole
    assert set(found.groups.values()) == {"datasets", "study"}
    assert found.components == {"datasets": 2}
    assert found.counts == {"datasets": 1, "study": 1}
    alone = laid_out(small, minutes=1)
    assert alone.counts == {"datasets": 2, "study": 1}


def test_a_submission_asks_for_no_more_time_than_the_cluster_allows(laid_out):
    """What the rule asks for, and not what is thought: whichever trainings come together, and at the last attempt, too."""
    limited = laid_out(LARGE, most_minutes=120)
    assert 1 < limited.components["train"] < laid_out(LARGE).components["train"]
    resources = read_plan(load_yaml(Path(config_file())) | LARGE, [config_file()], check=False).resources
    resources.spare_minutes = 1
    longest = max(resources.train_minutes(d, p, 1) for d in LARGE["datasets"] for p in LARGE["pools"])
    assert 120 / ATTEMPTS - longest < limited.components["train"] * longest <= 120 / ATTEMPTS


def test_a_job_alone_asks_for_no_more_than_that_either(laid_out):
    found = laid_out(LARGE, most_minutes=3)
    assert found.components["train"] == 1
    resources = found.plan.resources
    free = laid_out(LARGE).plan.resources.train_minutes("iris", "forest", ATTEMPTS)
    assert resources.train_minutes("iris", "forest", ATTEMPTS) == 3 < free


def test_a_data_set_is_cut_where_the_cluster_does_not_let_it_take_so_long(laid_out):
    small = {**LARGE, "protocol": {"rotation_groups": 1, "fold_groups": 1, "rotations": 2}, "blocks": {}}
    assert laid_out(small, most_minutes=600).whole
    assert not laid_out(small, most_minutes=5).whole


def test_records_of_earlier_runs_say_how_long_jobs_take(laid_out):
    before = laid_out(LARGE)
    made = [w for w in before.work if w.rule == "train" and "/iris/pools/forest/" in w.file]
    for work in made[:3]:
        path = Path(work.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        path.with_suffix(".run.json").write_text(json.dumps({"seconds": 100.0}))
    after = {w.file: w.seconds for w in laid_out(LARGE).work}
    assert made[0].file not in after
    assert after[made[3].file] == pytest.approx(104, abs=4)
    other = next(w for w in before.work if w.rule == "train" and "/iris/pools/rotated/" in w.file)
    assert after[other.file] == other.seconds


def test_what_snakemake_is_told(laid_out):
    told = laid_out(LARGE).arguments()
    groups = told[told.index("--groups") + 1 : told.index("--group-components")]
    assert {"prepare=data", "train=train", "combine=combine", "score=evaluate", "report=study"} <= set(groups)
    assert not any(group.startswith(("fetch", "track", "front")) for group in groups)
    resources = told[told.index("--set-resources") + 1 :]
    assert "train:lane=1" in resources
    assert "prepare:runtime=attempt * 1" in resources
    assert not any(text.startswith("train:runtime") for text in resources)  # as large as the block is


def test_the_text(laid_out):
    found = laid_out(LARGE)
    assert found.seconds == 60 * MINUTES
    said = found.as_text()
    assert f"{len(found.work)} jobs as {sum(found.counts.values())} submissions (about " in said
    assert "% of it to start jobs: larger blocks in the study save that" in said
    wide = laid_out({**LARGE, "blocks": {"rotation_groups": 20, "fold_groups": 25}})
    assert "larger blocks" not in wide.as_text()
