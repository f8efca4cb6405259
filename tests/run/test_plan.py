"""What a plan finds of its data sets, before anything is computed."""

import json
from contextlib import chdir
from pathlib import Path

import pytest

from rotastack.base.documents import load_yaml
from rotastack.data import loading
from rotastack.run.launch import config_file, read_plan

STUDY = {
    "name": "small",
    "datasets": ["iris", "glass"],
    "missing": "skip",
    "pools": {"forest": {"estimator": "forest"}},
    "methods": {name: {"pool": "forest", "combiner": {"kind": "vote"}} for name in ("RF", "again")},
}


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Return a function that gives the plan of a new process: glass cannot be had unless it is said to be."""
    there = {"iris"}
    monkeypatch.setattr(loading, "unavailable", lambda name, spec: None if name in there else f"no {name}")

    def read(*names):
        there.update(names)
        return read_plan(load_yaml(Path(config_file())) | STUDY, [config_file()], check=False)

    with chdir(tmp_path):
        yield read


def raw(*names):
    for name in names:
        path = Path(f"data/raw/{name}.csv.gz")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def seen_by_a_job(plan):
    found = plan()
    found.drop_what_is_not_there()
    return found.datasets, found.skipped


def test_what_is_skipped_is_so_in_jobs_until_it_is_there(plan):
    first = plan()
    first.drop_unavailable(only_warn=False)
    assert first.datasets == ["iris"]
    assert first.skipped == ["skipped: no glass"]
    raw("iris")
    assert seen_by_a_job(plan) == (["iris"], ["skipped: no glass"])
    plan("glass").drop_unavailable(only_warn=False)
    raw("glass")
    assert seen_by_a_job(plan) == (["iris", "glass"], [])


def test_looking_leaves_the_note(plan):
    plan().drop_unavailable(only_warn=False)
    plan("glass").drop_unavailable(only_warn=True)
    assert json.loads(Path("results/small/skipped.json").read_text()) == ["skipped: no glass"]
