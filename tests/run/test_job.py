"""What a step is given: what is missing is named in one line, and other faults are not taken for it."""

import json
import shlex
import subprocess
import sys
import warnings
from contextlib import chdir

import pytest
from tests.run.running import iris_table

from rotastack.cli import main
from rotastack.errors import RotastackError
from rotastack.workflow.run.job import Job


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["groups", "--slice", '{"seed": 1}', "--input", "table", "table", "--output", "folds", "f"],
         "--slice: top level: key 'dataset' is missing"),
        (["prepare", "--slice", '{"dataset": "d", "task": "classification"}'], "prepare: --input raw is missing; given: none"),
        (["train", "--slice", '{"protocol": "splits", "pool": {"vew": null}}'], "--slice: pool: unknown key 'vew'; did you mean 'view'"),
        (["groups", "--slice", "{"], "--slice: not valid JSON"),
        (["group"], "step 'group' is unknown; did you mean 'groups'; allowed: fetch, prepare, groups"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named_in_one_line(tmp_path, capsys, arguments, said):
    iris_table(tmp_path)
    with chdir(tmp_path):
        assert main(["step", *arguments]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"rotastack: error: {said}")
    assert line.count("\n") == 1


def test_a_step_is_told_by_standard_input_what_is_too_long_for_an_argument(tmp_path):
    """A line of the length that ends in "Argument list too long", as a rule runs the line."""
    told = json.dumps({"protocol": "splits", "pool": {"x" * 200_000: 1}})
    (tmp_path / "script.sh").write_text(f"{sys.executable} -m rotastack step train --slice - <<< {shlex.quote(told)}")
    done = subprocess.run(["bash", tmp_path / "script.sh"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"rotastack: error: --slice: pool: unknown key '{'x' * 200_000}'")


@pytest.mark.parametrize("option", ["input", "output"])
def test_a_missing_file_is_named(option):
    job = Job("groups", {}, {"tables": ["x"]}, {"fold": ["y"]})
    given = {"input": "tables", "output": "fold"}[option]
    with pytest.raises(RotastackError, match=f"groups: --{option} table is missing; given: {given}"):
        getattr(job, option)("table")


def test_a_record_has_each_warning_once(tmp_path):
    files = {"record": [tmp_path / "t.run.json"]}

    def work():
        with Job("prepare", {"seed": 3}, {}, files, {"dataset": "d"}).recorded():
            for _ in range(2):
                warnings.warn("odd\n  thing", UserWarning, stacklevel=1)

    with pytest.warns(UserWarning, match="odd"):
        work()
    record = json.loads((tmp_path / "t.run.json").read_text())
    assert (record["step"], record["dataset"], record["seed"], record["warnings"]) == ("prepare", "d", 3, ["odd thing"])


def test_a_step_that_fails_leaves_no_record(tmp_path):
    with pytest.raises(ZeroDivisionError), Job("prepare", {}, {}, {"record": [tmp_path / "r"]}).recorded():
        raise ZeroDivisionError
    assert not (tmp_path / "r").exists()
