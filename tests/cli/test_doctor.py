"""What ``rotastack doctor`` says."""

import pytest

from rotastack.cli import doctor, main


def test_all_is_there(capsys):
    assert main(["doctor"]) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["ok", "environment:"], ["ok", "snakemake:"], ["ok", "folder:"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "found", "words"),
    [
        ("find_spec", None, "PROBLEM  snakemake: not installed; `pip install 'rotastack[workflow]'`"),
        ("_GIGABYTES", 1e9, "GB left; make room, or run elsewhere"),
    ],
)
def test_what_is_not_is_a_line_and_an_exit_code(name, found, words, monkeypatch, capsys):
    monkeypatch.setattr(doctor, name, (lambda _: found) if name == "find_spec" else found)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert words in said
    assert said.count("PROBLEM") == 1
