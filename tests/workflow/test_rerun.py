"""Change one thing, and only what depends on it is done again."""

import os
import random
import time

import pytest

pytestmark = pytest.mark.workflow

AFTER_COMBINE = {
    "score",
    "summarize",
    "draw_dataset",
    "draw_study",
    "refit",
    "track_dataset",
    "track_study",
    "report",
    "front_page",
}


def test_second_run_has_nothing_to_do(finished):
    assert "Nothing to be done" in finished.snakemake().stderr


def test_touching_everything_reruns_nothing(project):
    now = time.time()
    files = [p for p in project.folder.rglob("*") if p.is_file() and ".snakemake" not in p.parts]
    random.Random(0).shuffle(files)
    for i, path in enumerate(files):
        os.utime(path, (now + i / 100, now + i / 100))
    assert project.planned() == ({}, [])


def test_the_receipt_of_compilation_makes_nothing_rerun(project):
    """It only orders jobs: machine code changes no result."""
    (receipt,) = project.folder.glob("results/compiled/*.json")
    receipt.write_text("{}")
    assert project.planned() == ({}, [])
    receipt.unlink()
    assert set(project.planned()[0]) <= {"compile"}


def test_editing_the_kernel_compiles_and_reruns_forests_only(project):
    project.edit("src/rotastack/trees/kernel/splitting.py", "n_useful += 1", "n_useful += 2")
    rules, messages = project.planned()
    assert set(rules) == AFTER_COMBINE | {"compile", "train", "combine"}
    trained = {m.split(" on ")[0].split()[-1] for m in messages if "training pool" in m}
    assert trained == {"forest", "rotated_forest"}


def test_a_comment_reruns_nothing(project):
    for name in (
        "views/rotation.py",
        "combine/stacking.py",
        "ensembles/pooled/pool.py",
        "study/steps/train.py",
    ):
        project.edit(f"src/rotastack/{name}", '"""', '"""Reworded: ')
    assert project.planned() == ({}, [])


def test_editing_a_combiner_reruns_no_pool(project):
    project.edit("src/rotastack/combine/stacking.py", "np.ascontiguousarray", "np.array")
    rules, messages = project.planned()
    assert set(rules) == AFTER_COMBINE | {"combine"}
    combined = {m for m in messages if "combining" in m}
    assert combined == {
        f"{d}: combining for method {m}" for d in ("iris", "balance-scale") for m in ("S-RRE_RF", "S-RRE_XGB")
    }


def test_editing_a_view_reruns_its_pools_only(project):
    project.edit("src/rotastack/views/rotation.py", "rotated = X.copy()", "rotated = X.copy() + 0")
    rules, messages = project.planned()
    assert "rotations" not in rules
    trained = {m.split(" on ")[0] for m in messages if "training pool" in m}
    assert trained == {
        f"{d}: training pool {p}"
        for d in ("iris", "balance-scale")
        for p in ("rotated_forest", "rotated_boosted")
    }
    assert rules["combine"] == 6


def test_changing_one_methods_parameter_reruns_it_and_what_follows(project):
    project.edit("config/studies/tiny.yaml", "kind: forest, n_trees: 10", "kind: forest, n_trees: 11")
    rules, messages = project.planned()
    assert set(rules) == AFTER_COMBINE | {"combine"}
    assert {m for m in messages if "combining" in m} == {
        "iris: combining for method S-RRE_RF", "balance-scale: combining for method S-RRE_RF",
    }  # fmt: skip


def test_adding_a_data_set_runs_its_jobs_and_the_statistics(project):
    project.edit("config/studies/tiny.yaml", "[iris, balance-scale]", "[iris, balance-scale, wine]")
    rules, messages = project.planned()
    named = [
        m
        for m in messages
        if ": " in m and not m.startswith(("statistics", "drawing", "writing", "results", "bringing"))
    ]
    assert {m.split(":")[0] for m in named} == {"wine"}
    assert rules["summarize"] == rules["report"] == rules["track_study"] == 1
    assert rules["train"] == 3


def test_changing_only_the_level_of_significance_trains_and_combines_nothing(project):
    project.edit(
        "config/studies/tiny.yaml", "evaluation: {control: RF}", "evaluation: {control: RF, alpha: 0.1}"
    )
    rules, _ = project.planned()
    assert set(rules) == {"summarize", "draw_study", "report", "front_page", "track_study"}


def test_adding_a_rotation_group_trains_the_new_one_only(project):
    project.edit("config/studies/tiny.yaml", "blocks: {rotation_groups: 2", "blocks: {rotation_groups: 1")
    project.snakemake()
    project.edit("config/studies/tiny.yaml", "protocol: {rotation_groups: 2", "protocol: {rotation_groups: 3")
    rules, messages = project.planned()
    assert {m.split(" on ")[1] for m in messages if "training pool" in m} == {"RG-03, FG-01-02"}
    assert rules["train"] == 6
    assert "folds" not in rules
