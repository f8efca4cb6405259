"""What a step is given: what is missing is named in one line, and other faults are not taken for it."""

import json

import pytest

from rotastack.cli import main
from rotastack.errors import RotastackError
from rotastack.run import job as module
from rotastack.run.job import Job, declarations, step_names


def test_a_missing_key_of_the_slice_is_named(tmp_path, capsys):
    (tmp_path / "t").touch()
    assert (
        main(
            [
                "step",
                "folds",
                "--spec",
                '{"seed": 1}',
                "--input",
                "table",
                str(tmp_path / "t"),
                "--output",
                "folds",
                "f",
            ]
        )
        == 2
    )
    assert capsys.readouterr().err == "rotastack: error: --spec: key 'protocol' is missing; there are seed\n"
    with pytest.raises(RotastackError, match="--about: key 'dataset' is missing; there are none"):
        _ = Job("fetch", {}, {}, {}).about["dataset"]


@pytest.mark.parametrize("option", ["input", "output"])
def test_a_missing_file_is_named(option):
    job = Job("folds", {}, {"tables": ["x"]}, {"fold": ["y"]})
    given = {"input": "tables", "output": "fold"}[option]
    with pytest.raises(RotastackError, match=f"folds: --{option} table is missing; given are {given}"):
        getattr(job, option)("table")


def test_a_step_that_lacks_a_file_says_so_on_one_line(capsys):
    spec = json.dumps({"kinds": "auto"})
    assert main(["step", "prepare", "--spec", spec, "--about", "dataset=iris"]) == 2
    assert capsys.readouterr().err == "rotastack: error: prepare: --input raw is missing; given are none\n"


def test_a_key_error_within_a_step_is_no_missing_key_of_the_slice(monkeypatch):
    """It is a fault of the step, and shows where it is."""

    def broken(self, name):
        return {}["something else"]

    monkeypatch.setattr(module.Job, "input", broken)
    with pytest.raises(KeyError, match="something else"):
        main(["step", "folds", "--spec", '{"protocol": "splits", "seed": 1}'])


def test_slices_that_are_no_json_and_unknown_steps_are_named(capsys):
    assert main(["step", "folds", "--spec", "{"]) == 2
    assert "--spec: not valid JSON" in capsys.readouterr().err
    assert main(["step", "fold"]) == 2
    said = capsys.readouterr().err
    assert "step 'fold' is unknown; did you mean 'folds'; there are combine, draw_dataset" in said


@pytest.mark.parametrize("step", step_names())
def test_every_step_declares_what_it_reads_and_writes(step):
    found = declarations(step)
    assert found["OUTPUTS"]
    assert found["help"]
