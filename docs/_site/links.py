"""Links of pages, as they stand in the repository, to pages of the site."""

import os
import re
from pathlib import Path

from _site.project import DOCS, ROOT

__all__ = ["PAGES", "relinked"]

PAGES = {
    "benchmarks/README.md": "evidence/benchmarks.md",
    "CHANGELOG.md": "whats-new.md",
    "CONTRIBUTING.md": "how-to/contribute.md",
    "config/README.md": "how-to/study.md",
    "examples/README.rst": "gallery/index.rst",
    "README.md": "index.md",
}
"""Files that are a page of the site under another name."""

LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\])\(([^)\s]+)\)")
FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.M | re.S)


def relinked(text: str, folder: Path, docname: str) -> str:
    """Return Markdown with links that lead from the page `docname`; in `text` they lead from `folder`."""
    here = (DOCS / docname).parent

    def other(match: re.Match) -> str:
        label, target = match.groups()
        path, mark, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match[0]
        absolute = Path(os.path.normpath(folder / path))
        try:
            known = PAGES.get(absolute.relative_to(ROOT).as_posix())
        except ValueError:
            known = None
        if label.startswith("!"):
            known = None
        leads_to = os.path.relpath(DOCS / known if known else absolute, here)
        return f"{label}({Path(leads_to).as_posix()}{mark}{anchor})"

    pieces, end = [], 0
    for fence in FENCE.finditer(text):
        pieces += [LINK.sub(other, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*pieces, LINK.sub(other, text[end:])])
