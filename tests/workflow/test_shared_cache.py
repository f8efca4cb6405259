"""Checkouts that share a cache of outputs: what an entry's key depends on, and that it is taken, and looked at."""

import json

import pytest
from tests.workflow.project import TINY, Project

pytestmark = pytest.mark.workflow

SHARED = {"fetch", "prepare", "folds", "rotations", "train"}


def other(before, after):
    """Return the rules of which some instance has another key."""
    return {name[0] for name, key in after.items() if before.get(name) != key}


def with_text(project, old, new, study=TINY):
    project.edit(study, old, new)
    return project.keys(study)


def test_keys_are_the_same_in_another_folder_and_for_another_study_of_the_same_pools(blank, tmp_path):
    keys = blank.keys()
    assert {name[0] for name in keys} == SHARED
    assert len(set(keys.values())) == len(keys)
    twin = Project.copy(tmp_path / "twin")
    twin.edit(TINY, "name: tiny", "name: another")
    twin.edit(TINY, "kind: vote, voting: hard", "kind: vote")
    assert twin.keys() == keys


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        ("seed: 1", "seed: 2", {"folds", "rotations", "train"}),
        ("n_estimators: 6", "n_estimators: 7", {"train"}),
        ("n_estimators: 10", "n_estimators: 11", set()),
    ],
)
def test_parameters_change_the_keys_of_what_depends_on_them(blank, old, new, rules):
    assert other(blank.keys(), with_text(blank, old, new)) == rules


@pytest.mark.parametrize(
    ("file", "rules"),
    [
        ("src/rotastack/data/sources/bundled.py", SHARED),
        ("src/rotastack/run/nested/folds.py", {"folds", "train"}),
        ("src/rotastack/trees/forest.py", {"train"}),
        ("src/rotastack/combine/stacking.py", set()),
    ],
)
def test_code_changes_the_keys_of_what_runs_it_and_of_what_follows(blank, file, rules):
    keys = blank.keys()
    blank.edit(file, "", "")
    assert other(keys, blank.keys()) == rules


def test_ones_own_data_changes_the_keys_of_its_content_alone(blank):
    table = blank.folder / "own.csv"
    table.write_text("a,b\n" + "1,x\n2,y\n" * 20)
    with_text(blank, "[iris, balance-scale]", "[{name: own, sources: [{file: {path: own.csv, target: b}}]}]")
    keys = blank.keys()
    table.touch()
    assert blank.keys() == keys
    table.write_text("a,b\n" + "1,x\n3,y\n" * 20)
    assert other(keys, blank.keys()) == SHARED


@pytest.mark.slow
def test_a_second_checkout_trains_nothing_and_finds_a_damaged_entry(tmp_path):
    cache = tmp_path / "cache"
    first, second = Project.copy(tmp_path / "first"), Project.copy(tmp_path / "second")
    for project in (first, second):
        project.edit(TINY, "[iris, balance-scale]", "[iris]")
    run = ("rotastack", "run", TINY, "--cores", "2", "--verbose", "--cache", str(cache), "--")
    first.call(*run, "--until", "train")
    pools = {p.name: p.resolve() for p in first.folder.glob("results/tiny/iris/pools/forest/*/*")}
    assert all(p.parent == cache for p in pools.values())
    second.call(*run, "--until", "combine")
    mine = {p.name: p.resolve() for p in second.folder.glob("results/tiny/iris/pools/forest/*/*")}
    assert mine == pools

    pool = next(p for p in pools.values() if p.suffix == ".nc")
    content = bytearray(pool.read_bytes())
    content[-1] ^= 1
    pool.chmod(0o644)
    pool.write_bytes(content)
    method = second.folder / "results/tiny/iris/methods/RF.nc"
    was = method.read_bytes()
    method.unlink()
    failed = second.call(*run, str(method.relative_to(second.folder)), check=False)
    assert failed.returncode
    assert "not what was written there" in failed.stdout + failed.stderr
    second.call(*run, str(method.relative_to(second.folder)))
    assert method.read_bytes() == was
    record = json.loads(next(second.folder.glob("results/tiny/iris/pools/forest/*/*.run.json")).read_text())
    assert record["status"] == "ok"
