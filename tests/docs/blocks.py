"""Blocks of code in the pages, with what stands before them."""

import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

__all__ = ["MARK", "NOT_RUN", "PAGES", "ROOT", "Block", "blocks"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if not re.match(r"docs/(_build|gallery|evidence/data)/", page)]
FENCE = re.compile(r"^(?P<fence>```+)(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=fence)[ \t]*$", re.M | re.S)
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->\n\Z")
"""Stands right before a block that cannot be run here, and says why."""
MARK = re.compile(
    r"<!-- (?P<what>run|run with|run at length|printed|printed by|saved as|begins)(?:: (?P<of>[^>]+?))? -->\n\Z"
)
"""Stands right before a block, and says what it is: commands that tests run (with more options; at length: by the slow
tests), what these printed, what a command of minutes prints, a reader's file, the beginning of a file of the project."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes
    ----------
    line : int
        Where it begins.
    language, text : str
    reason : str or None
        Why it is not run.
    output : str or None
        What the page says it prints: the block ``output`` that follows.
    mark : tuple of str, or None
        What stands before it, and the options, command or file that it names.
    """

    page: str
    line: int
    language: str
    text: str
    reason: str | None
    output: str | None = None
    mark: tuple[str, str] | None = None

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    shown = []
    for match, following in zip_longest(found, found[1:]):
        output = None
        if following and following["language"] == "output" and not text[match.end() : following.start()].strip():
            output = following["text"]
        reason, mark = NOT_RUN.search(text[: match.start()]), MARK.search(text[: match.start()])
        line = text.count("\n", 0, match.start()) + 1
        shown.append(
            Block(
                page,
                line,
                match["language"].strip(),
                match["text"],
                reason[1] if reason else None,
                output,
                (mark["what"], mark["of"] or "") if mark else None,
            )
        )
    return shown


def marked(block: Block, *names: str) -> bool:
    """Return whether a mark with one of these names stands before a block."""
    return block.mark is not None and block.mark[0] in names
