"""Python that pages show, and commands that they mark as run, run and print what the pages say; shown files are the project's."""

import doctest
import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout

import pytest
from tests.docs.blocks import MARK, NOT_RUN, PAGES, ROOT, blocks

from rotastack.cli import main

OWN_FILES = {"scores.csv": "dataset,RF,Rotastack,XGBoost\na,.2,.1,.3\nb,.3,.2,.2\nc,.1,.1,.2\nd,.4,.2,.3\ne,.2,.1,.1\n"}
"""Files that a reader of a page has, by the names that pages call them."""


def is_python(block):
    return block.language == "python" and not block.reason


def is_run(block):
    return block.mark is not None and block.mark[0].startswith("run")


COMMANDS = [page for page in PAGES if any(map(is_run, blocks(page)))]
SHOWN = [page for page in PAGES if page in COMMANDS or any(map(is_python, blocks(page)))]


def printed_by(command: str, more: str) -> str:
    """Return what a command prints, on both streams."""
    program, *words = shlex.split(command)
    assert program == "rotastack"
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        assert main([*words, *more.split()]) == 0, command
    return printed.getvalue()


def assert_same(shown, printed, block):
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, printed, options), f"{block} prints\n{printed}and not\n{shown}"


@pytest.mark.parametrize("page", SHOWN)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    for name, text in OWN_FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    known: dict = {"__name__": "page"}
    found = ""
    for block in blocks(page):
        what, of = block.mark or ("", "")
        if what == "saved as":
            (tmp_path / of).write_text(block.text)
        if is_python(block):
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile("\n" * block.line + block.text, str(ROOT / page), "exec"), known)
            if block.output is not None:
                assert_same(block.output, printed.getvalue(), block)
        elif is_run(block):
            lines = [line for line in block.text.splitlines() if line.startswith("$ ")]
            found = "".join(f"{line}\n{printed_by(line[2:], of)}" for line in lines)
            assert_same(block.text, found, block)
        elif what == "printed":
            assert block.text in found, f"{block} is not in\n{found}"


def test_some_commands_and_output_are_shown():
    assert {"docs/how-to/compare.md", "docs/how-to/own-table.md", "docs/start/own-table.md"} <= set(COMMANDS)
    shown = [block for page in PAGES for block in blocks(page)]
    assert sum(b.output is not None for b in shown) == sum(b.language == "output" for b in shown) >= 6


def test_no_mark_is_misspelt():
    for page in PAGES:
        for mark in re.findall(r"^(<!-- .*? -->\n)```", (ROOT / page).read_text(encoding="utf-8"), re.M):
            assert MARK.search(mark) or NOT_RUN.search(mark), f"{page}: {mark}"


def test_files_of_the_project_are_shown_as_they_are():
    shown = [block for page in PAGES for block in blocks(page) if block.mark and block.mark[0] == "begins"]
    assert shown
    for block in shown:
        assert (ROOT / block.mark[1]).read_text(encoding="utf-8").startswith(block.text), str(block)
