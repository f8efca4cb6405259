"""Commands, options, studies, sizes, targets and files that pages name exist."""

import re

import pytest
from tests.docs.blocks import PAGES, Block, blocks
from tests.docs.shell import commands, wrong

SHELL = ("bash", "console")
ALL = [*PAGES, "CONTRIBUTING.md", "benchmarks/README.md"]
LOOKS_LIKE_SHELL = re.compile(r"^(?:\$ )?(?:rotastack|snakemake|make|pip) [\w'-]+", re.M)


@pytest.mark.parametrize("page", [p for p in ALL if any(b.language in SHELL for b in blocks(p))])
def test_what_commands_name_exists(page):
    found = [
        f"{block}: {' '.join(words)}: {reason}"
        for block in blocks(page)
        if block.language in SHELL and not block.reason
        for words in commands(block)
        if (reason := wrong(words))
    ]
    assert not found, "\n".join(found)


def test_no_command_hides_in_a_block_of_another_language():
    known = (*SHELL, "python", "output", "yaml", "diff", "dockerfile")
    hidden = [
        str(block)
        for page in ALL
        for block in blocks(page)
        if block.language not in known and LOOKS_LIKE_SHELL.search(block.text)
    ]
    shown_by_a_run = {"docs/start/own-table.md", "README.md"}  # the line that says how to predict
    assert {name.partition(":")[0] for name in hidden} <= shown_by_a_run


def test_languages_are_said():
    assert not [str(block) for page in ALL for block in blocks(page) if not block.language]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("rotastack run quickstart", None),
        ("rotastack --version", None),
        ("rotastack run quickstrat", "there is no study quickstrat"),
        ("rotastack run drmf --size huge", "drmf has no size huge"),
        ("rotastack run quickstart --corse 2", "unrecognized arguments"),
        ("rotastack run my.csv --target label", None),
        ("rotastack step fetsch", "there is no step"),
        ("make tests", "make has no target tests"),
        ("make run STUDY=tiny", None),
        ("snakemake --cores N --configfile config/studies/none.yaml", "missing"),
        ("snakemake --coars 2", "unrecognized|ambiguous|required"),
        ("python examples/none.py", "there is no file"),
        ("pip install 'rotastack[workflow,nothing]'", "there is no extra nothing"),
        ("OMP_NUM_THREADS=1 make lint | cat", None),
        ("frobnicate", "what is frobnicate"),
    ],
)
def test_what_is_wrong_is_seen(line, says):
    (words, *_) = commands(Block("page", 1, "bash", line + "\n", None))
    found = wrong(words)
    assert (found is None) if says is None else re.search(says, found)
