"""What a step is given: what is missing is named in one line, and other faults are not taken for it."""

import json
import os
import shlex
import subprocess
import sys
from contextlib import chdir

import numpy as np
import pytest
from tests.cli.conftest import refused
from tests.refusals import refusal
from tests.run.running import iris_table

from rotastack.cli import main
from rotastack.files import hashes
from rotastack.workflow.run.job import Job, joined
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.study import Study


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["groups", "--slice", '{"seed": 1}', "--input", "table", "table", "--output", "folds", "f"],
            "--slice: top level: key 'dataset' is missing",
        ),
        (
            ["prepare", "--slice", '{"dataset": "d", "task": "classification"}'],
            "prepare: --input raw is missing; given: none",
        ),
        (
            ["train", "--slice", '{"protocol": "splits", "pool": {"vew": null}}'],
            "--slice: pool: unknown key 'vew'; did you mean 'view'",
        ),
        (["groups", "--slice", "{"], "--slice: not valid JSON"),
        (["group"], "step 'group' is unknown; did you mean 'groups'; allowed: fetch, prepare, groups"),
    ],
)
def test_what_is_missing_is_named_in_one_line(tmp_path, capsys, arguments, said):
    iris_table(tmp_path)
    with chdir(tmp_path):
        assert refused(capsys, "step", *arguments).startswith(said)


def test_a_step_is_told_by_standard_input_what_is_too_long_for_an_argument(tmp_path):
    """A line of the length that ends in "Argument list too long", as a rule runs the line."""
    told = json.dumps({"protocol": "splits", "pool": {"x" * 200_000: 1}})
    (tmp_path / "script.sh").write_text(f"{sys.executable} -m rotastack step train --slice - <<< {shlex.quote(told)}")
    done = subprocess.run(["bash", tmp_path / "script.sh"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"rotastack: error: --slice: pool: unknown key '{'x' * 200_000}'")


def test_a_step_that_fails_leaves_no_record(tmp_path):
    with pytest.raises(ZeroDivisionError), Job("prepare", {}, {}, {"record": [tmp_path / "r"]}).recorded():
        raise ZeroDivisionError
    assert not (tmp_path / "r").exists()


# Files from outside that change between the plan and the work

OWN = {
    "name": "s",
    "datasets": [{"name": "own", "sources": [{"file": {"path": "own.csv", "target": "y"}}]}],
    "protocol": {"kind": "holdout", "repeats": 2},
    "pools": {"bayes": {"estimator": "naive_bayes"}},
    "methods": {name: {"pool": "bayes", "combiner": {"kind": "vote"}} for name in ("NB", "again")},
}


@pytest.fixture
def fetched(here):
    """The words of the step that fetches an own table, as planned."""
    (here / "own.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20)
    return planned(here)


def planned(folder):
    job = Plan(Study.from_mapping(OWN, "s"), {}).jobs["fetch", "own"]
    raw = folder / "own.parquet"
    return [
        "step",
        "fetch",
        "--slice",
        job.slice,
        "--output",
        "raw",
        str(raw),
        "--output",
        "record",
        job.record,
        "--key",
        job.key,
    ]


def test_a_table_that_changes_between_the_plan_and_the_reading_is_refused(here, fetched, capsys):
    (here / "own.csv").write_text("x,y\n" + "1,a\n3,b\n" * 20)
    assert refused(capsys, *fetched) == "own.csv changed during the run; repeat the command"
    assert [path.name for path in here.rglob("*")] == ["own.csv"], "neither a table nor a record is written"
    assert main(fetched[:-2]) == 0, "without a key nothing is checked"
    assert main(planned(here)) == 0
    assert Plan(Study.from_mapping(OWN, "s"), {}).jobs["fetch", "own"].is_current


def test_a_table_that_is_as_planned_is_read_whatever_its_time(here, fetched):
    os.utime("own.csv", (0, 0))
    assert main(fetched) == 0
    record = json.loads((here / "results/s/raw/own.run.json").read_text())
    assert (record["key"], record["code"]) == (fetched[-1], fetched[-1].rpartition("-")[2])
    assert record["files"] == [str(here / "own.parquet"), "results/s/raw/own.run.json"]
    assert record["parameters"]["contents"].keys() == {"own.csv"}


def test_files_that_are_not_planned_do_not_matter_and_planned_ones_must_be_there(here):
    for name in ("a", "b"):
        (here / name).write_text(name)
    found = hashes(["a"])
    job = Job("fetch", {"contents": found}, {}, {}, key="k-c")
    job.check_contents(["a", "b"])
    (here / "a").unlink()
    for read in (["b"], ["a", "b"]):
        assert refusal(job.check_contents, read) == "a changed during the run; repeat the command"
    for other in (Job("fetch", {}, {}, {}, key="k-c"), Job("fetch", {"contents": found}, {}, {})):
        other.check_contents(["a"])


@pytest.mark.parametrize(("kind", "fill"), [("f8", np.nan), ("i2", -1), ("?", 0)])
def test_arrays_of_several_trainings_are_joined_and_filled_up(kind, fill):
    whole = joined([np.ones((1, 2, 1), kind), np.ones((2, 1, 3), kind)])
    np.testing.assert_array_equal(whole[0], [[1, fill, fill], [1, fill, fill]])
    np.testing.assert_array_equal(whole[1:], [[[1, 1, 1], [fill] * 3]] * 2)
    assert whole.dtype == ("i1" if kind == "?" else kind)
