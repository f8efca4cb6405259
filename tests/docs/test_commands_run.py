"""Commands that pages mark as run print what the pages show; files that pages show are those of the project."""

import doctest
import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout

import pytest
from tests.docs.blocks import MARK, NOT_RUN, PAGES, ROOT, blocks

from rotastack.cli import main

MARKED = [p for p in PAGES if any(b.mark and b.mark[0].startswith("run") for b in blocks(p))]


def _printed(command: str, more: str) -> str:
    """What a command prints, on both streams."""
    program, *words = shlex.split(command)
    assert program == "rotastack"
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        assert main([*words, *more.split()]) == 0, command
    return printed.getvalue()


@pytest.mark.parametrize("page", MARKED)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known: dict = {"__name__": "page"}
    found = ""
    for block in blocks(page):
        what, of = block.mark or ("", "")
        if what == "saved as":
            (tmp_path / of).write_text(block.text)
        elif block.language == "python" and "to_csv(" in block.text:  # the page writes its table itself
            exec(block.text, known)
        elif what.startswith("run"):
            lines = [line for line in block.text.splitlines() if line.startswith("$ ")]
            found = "".join(f"{line}\n{_printed(line[2:], of)}" for line in lines)
            options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert doctest.OutputChecker().check_output(block.text, found, options), f"{block} prints\n{found}"
        elif what == "printed":
            assert block.text in found, f"{block} is not in\n{found}"


def test_commands_are_run():
    assert {"docs/how-to/compare.md", "docs/how-to/own-table.md", "docs/start/own-table.md"} <= set(MARKED)


def test_no_mark_is_misspelt():
    for page in PAGES:
        for mark in re.findall(r"^(<!-- .*? -->\n)```", (ROOT / page).read_text(encoding="utf-8"), re.M):
            assert MARK.search(mark) or NOT_RUN.search(mark), f"{page}: {mark}"


def test_files_of_the_project_are_shown_as_they_are():
    shown = [block for page in PAGES for block in blocks(page) if block.mark and block.mark[0] == "begins"]
    assert shown
    for block in shown:
        assert (ROOT / block.mark[1]).read_text(encoding="utf-8").startswith(block.text), str(block)
