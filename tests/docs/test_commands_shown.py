"""Commands, options, studies, sizes, targets and files that pages name exist; the commands are parsed, and not run."""

import argparse
import contextlib
import importlib.util
import io
import re
import shlex
from itertools import dropwhile, groupby

import pytest
import yaml
from tests.docs.blocks import PAGES, ROOT, Block, blocks

from rotastack.cli.commands import _parser
from rotastack.workflow.run.modules import STEPS

SHELL = ("bash", "console")
ALL = [*PAGES, "CONTRIBUTING.md", "benchmarks/README.md"]
OTHERS = {
    "ssh",
    "su",
    "mlflow",
    "cd",
    "source",
    "tmux",
    "export",
    "curl",
    "rm",
    "rsync",
    "scancel",
    "kubectl",
    "git",
    "pip",
    "pipx",
    "apt-get",
}
"""Programs of the system, which are not looked into."""
ENDS = {"|", "&&", "||", ";", "&", ">", "2>"}


def commands(block: Block) -> list[list[str]]:
    """Return the commands of a block as lists of words; of a ``console`` block those after ``$``."""
    text = block.text
    if block.language == "console":
        text = "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))
    text = re.sub(r"\\\n\s*", " ", text)
    found = []
    for line in text.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;>")
        lexer.whitespace_split, lexer.commenters = True, "#"
        found += [list(words) for is_end, words in groupby(lexer, ENDS.__contains__) if not is_end]
    return found


def wrong(words: list[str]) -> str | None:
    """Return what is wrong with a command, or None."""
    words = [*dropwhile(lambda word: "=" in word, words)]  # variables of the environment
    if not words:
        return None
    program = words[0].removeprefix(".venv/bin/")
    if program in OTHERS:
        return None
    check = {"rotastack": _rotastack, "snakemake": _snakemake, "make": _make, "python": _python}.get(program)
    return check(words[1:]) if check else f"what is {program}?"


def _parsed(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace | str:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            return parser.parse_args(words)
    except SystemExit as end:
        if not end.code:  # --version, --help
            return argparse.Namespace()
        return said.getvalue().strip().splitlines()[-1]


def _rotastack(words):
    found = _parsed(_parser(), words[: words.index("--")] if "--" in words else words)
    if isinstance(found, str):
        return found
    if not vars(found):
        return None
    if words[0] == "step" and words[1] not in ("NAME", "list", *STEPS):
        return f"there is no step {words[1]}"
    is_of_study = words[0] in ("run", "report", "tables")
    return _study(getattr(found, "what", None) or found.study, found.size, found) if is_of_study else None


def _study(name, size, found):
    if name.isupper() or "." in name or getattr(found, "target", None):
        return None  # of the reader's own
    file = ROOT / "config/studies" / f"{name}.yaml"
    if not file.exists():
        return f"there is no study {name}"
    sizes = {"full", *yaml.safe_load(file.read_text()).get("sizes", {})}
    return None if size in (None, *sizes) else f"{name} has no size {size}"


def _snakemake(words):
    from snakemake.cli import get_argument_parser

    found = _parsed(get_argument_parser(), ["1" if word == "N" else word for word in words])
    if isinstance(found, str):
        return found
    missing = [str(file) for file in found.configfile or () if not (ROOT / file).exists()]
    profile = found.workflow_profile
    if profile and not (ROOT / "workflow/profiles" / profile).exists():
        missing.append(f"profile {profile}")
    return f"missing: {', '.join(missing)}" if missing else None


def _make(words):
    targets = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M)
    for word in words:
        key, is_variable, value = word.partition("=")
        if not is_variable and word not in targets:
            return f"make has no target {word}"
        if key == "STUDY" and not (ROOT / f"config/studies/{value}.yaml").exists():
            return f"there is no study {value}"
    return None


def _python(words):
    if words[0] == "-m":
        return None if importlib.util.find_spec(words[1]) else f"module {words[1]}?"
    return None if (ROOT / words[0]).exists() else f"there is no file {words[0]}"


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
