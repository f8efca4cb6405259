"""What ``rotastack run`` tells Snakemake."""

import importlib.util
import sys

import pytest

from rotastack.cli import main, run, studies
from rotastack.cli.progress import Outcome
from rotastack.cli.studies import _tail


@pytest.mark.parametrize("options", [["--dry-run"], ["--verbose"]])
def test_what_follows_may_be_a_target(options, monkeypatch, tmp_path):
    """Options that take many values would have taken it, too."""
    from snakemake.cli import get_argument_parser

    monkeypatch.chdir(tmp_path)
    told = []
    monkeypatch.setattr(run, "snakemake", lambda arguments, **_: told.append(arguments) or 0)
    assert main(["run", "tiny", "--size", "small", *options, "--", "results/tiny/scores.parquet"]) == 0
    assert get_argument_parser().parse_args(told[0]).targets == ["results/tiny/scores.parquet"]


@pytest.mark.parametrize(("text", "found"), [
    ("evaluation: {control: RF}", "evaluation"), ("sizes: {small: {}}", "sizes"), ("{}", "nothing"),
    ("# nothing yet", "nothing"), ("- iris", "list"), ("iris", "str"),
])  # fmt: skip
@pytest.mark.parametrize("command", [["run", "--dry-run"], ["report"], ["tables"]], ids=lambda c: c[0])
def test_a_part_of_a_study_does_not_run_another_one(command, text, found, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part.yaml").write_text(text)
    assert main([command[0], "part.yaml", *command[1:]]) == 2
    said = f"part.yaml: a study has name, datasets, protocol, pools and methods, found {found}"
    assert said in capsys.readouterr().err


def test_a_study_that_was_edited_says_what_counts(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i / 7},{'xy'[i % 2]}\n" for i in range(40)))
    (tmp_path / "studies").mkdir()
    source = "{file: {path: t.csv, target: b}}"
    (tmp_path / "studies/t.yaml").write_text(f"datasets: [{{name: t, sources: [{source}], kinds: numeric}}]\n")
    assert main(["run", "t.csv", "--target", "b", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "studies/t.yaml, edited by you, and run as it is" in said
    assert "its kinds of columns count, not those above" in said


@pytest.mark.parametrize(("code", "goes_on"), [(2, False), (1, True)])
def test_only_a_run_that_began_goes_on(code, goes_on, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("name: mine")
    said = ["rotastack: error: mine.yaml: top level: key 'datasets' is missing"]
    outcome = Outcome(code, said, tmp_path / "mine.log", 1.0)
    monkeypatch.setattr(studies, "run_with_progress", lambda *_: outcome)
    assert main(["run", "mine.yaml"]) == code
    told = capsys.readouterr().err
    assert said[0] in told
    assert ("goes on from there" in told) == goes_on


@pytest.mark.parametrize(("command", "found"), [("run", True), ("step", True), ("serve", False)])
def test_classes_of_a_study_may_be_in_a_file_beside_it(command, found, monkeypatch, tmp_path):
    (tmp_path / "beside_the_study.py").write_text("class Mine: pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # the command adds to it
    monkeypatch.delenv("ROTASTACK_WARM", raising=False)
    with pytest.raises(SystemExit):
        main([command, "--none"])
    assert (importlib.util.find_spec("beside_the_study") is not None) == found


def test_the_error_of_a_job_is_told_before_what_snakemake_says_last(tmp_path):
    log = tmp_path / "study.log"
    log.write_text(
        "Traceback (most recent call last):\n  ...\nValueError: columns must be 3, got [1, 2]\n"
        + "more\n" * 20
        + "WorkflowError:\nAt least one job did not complete successfully.\n"
    )
    first, *_, last = _tail(log).splitlines()
    assert first == "  ValueError: columns must be 3, got [1, 2]"
    assert last == "  At least one job did not complete successfully."
