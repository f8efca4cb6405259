"""Python that pages show, and commands that they mark as run, run and print what the pages say; shown files are the project's."""

import doctest
import io
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest
from tests.docs.blocks import MARK, NOT_RUN, PAGES, ROOT, blocks, marked

from rotastack.cli import main

OWN_FILES = {"scores.csv": "dataset,RF,Rotastack,XGBoost\na,.2,.1,.3\nb,.3,.2,.2\nc,.1,.1,.2\nd,.4,.2,.3\ne,.2,.1,.1\n"}
"""Files that a reader of a page has, by the names that pages call them."""
SECONDS = re.compile(r"(?<=\(in )\d+ \w+|[\d.]+(?= times the training time)")
"""What depends on the machine in what commands print."""


def is_python(block):
    return block.language == "python" and not block.reason


SHOWN_BLOCKS = [block for page in PAGES for block in blocks(page)]


def pages_with(*names):
    return sorted({block.page for block in SHOWN_BLOCKS if marked(block, *names)})


COMMANDS = pages_with("run", "run with")
SLOW = ("docs/start/own-table.md", "docs/understand/reduction.md", "docs/understand/flagship.md")
"""Pages that take seconds each."""
SHOWN = [
    pytest.param(page, marks=[pytest.mark.slow] * (page in SLOW))
    for page in PAGES
    if page in COMMANDS or any(map(is_python, blocks(page)))
]


def printed_by(command: str, more: str = "", *, at_length: bool = False) -> str:
    """Return what a command prints, on both streams."""
    program, *words = shlex.split(command)
    assert program == "rotastack"
    if at_length:
        python = [sys.executable, "-m", program]
        done = subprocess.run([*python, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        return done.stdout
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        assert main([*words, *more.split()]) == 0, command
    return printed.getvalue()


def assert_same(shown, printed, block):
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, printed, options), f"{block} prints\n{printed}and not\n{shown}"


def run(page, folder, at_length=False):
    """Run the blocks of a page in a folder, and compare what they print."""
    for name, text in OWN_FILES.items():
        (folder / name).write_text(text)
    known: dict = {"__name__": "page"}
    found = ""
    for block in blocks(page):
        what, of = block.mark or ("", "")
        if what == "saved as":
            (folder / of).write_text(block.text)
        if is_python(block):
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile("\n" * block.line + block.text, str(ROOT / page), "exec"), known)
            if block.output is not None:
                assert_same(block.output, printed.getvalue(), block)
        elif marked(block, "run", "run with", *["run at length"] * at_length):
            lines = [line for line in block.text.splitlines() if line.startswith("$ ")]
            alone = what == "run at length"
            found = "".join(f"{line}\n{printed_by(line[2:], of, at_length=alone)}" for line in lines)
            assert_same(block.text, found, block)
        elif what == "printed":
            assert block.text in found, f"{block} is not in\n{found}"
        elif what == "printed by" and at_length:
            shown, found = (SECONDS.sub("", text) for text in (block.text, printed_by(of, at_length=True)))
            assert_same(f"...\n{shown}", found, block)


@pytest.mark.parametrize("page", SHOWN)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_page_runs_and_prints_what_it_says(page, here):
    run(page, here)


@pytest.mark.slow
@pytest.mark.nightly  # minutes each; what the commands do is tested in tests/workflow, and here what they print
@pytest.mark.workflow
@pytest.mark.parametrize("page", pages_with("run at length", "printed by"))
def test_commands_of_minutes_print_what_a_page_says(page, here):
    run(page, here, at_length=True)


def test_the_readme_shows_the_answer_of_its_page():
    (answer,) = (block.text for block in blocks("docs/start/own-table.md") if marked(block, "printed by"))
    assert answer in [block.text for block in blocks("README.md")]


@pytest.mark.parametrize("page", PAGES)
def test_no_mark_is_misspelt(page):
    marks = re.findall(r"^(<!-- .*? -->\n)```", (ROOT / page).read_text(encoding="utf-8"), re.M)
    assert not [mark for mark in marks if not MARK.search(mark) and not NOT_RUN.search(mark)]


def test_blocks_of_what_commands_print_are_run():
    """Pages for users show no console that nothing repeats; README.md repeats a page."""
    shown = [b for b in SHOWN_BLOCKS if b.language == "console" and re.match("docs/(start|how-to)/", b.page)]
    assert not [str(block) for block in shown if not block.mark]


@pytest.mark.parametrize("block", [block for block in SHOWN_BLOCKS if marked(block, "begins")], ids=str)
def test_files_of_the_project_are_shown_as_they_are(block):
    assert (ROOT / block.mark[1]).read_text(encoding="utf-8").startswith(block.text)
