"""Parts of pages that are made anew whenever the site is: ``<!-- part: name -->`` in a page's source.

``<!-- table: name -->`` is a table of results of :mod:`_site.tables`, ``<!-- printed: study -->`` what a paper prints beside a
study of ours, ``<!-- ranks: study -->`` the ranks of
both, ``<!-- tested: study -->`` what the study tests, ``<!-- figure: name | words -->`` a figure of it, and
``<!-- file: CONTRIBUTING.md | ## First heading | ## Heading after the last -->`` a piece of another file.
"""

import importlib
import re
from pathlib import Path

from _site import papers
from _site.links import relinked
from _site.project import DOCS, ROOT
from _site.tables import table

__all__ = ["PARTS", "fill_in", "filled", "with_parts"]

PARTS = {
    "api": "api.overview",
    "choosing-kinds": "choosing.by_kind",
    "choosing-times": "choosing.measured",
    "choosing-tree": "choosing.tree",
    "choosing-worth": "choosing.worth",
    "classifiers-best": "classifiers.best",
    "classifiers-few": "classifiers.few",
    "classifiers-forests": "classifiers.forests",
    "classifiers-friedman": "classifiers.friedman",
    "classifiers-hardest": "classifiers.hardest",
    "classifiers-hours": "classifiers.hours",
    "classifiers-kinds": "classifiers.kinds",
    "classifiers-sentence": "classifiers.sentence",
    "classifiers-with": "classifiers.with_and_without",
    "commands": "commands.page",
    "flagship-ablation": "evidence.ablation",
    "flagship-summary": "evidence.summary",
    "published-exrm-squared": "evidence.exrm_squared",
    "papers-agreement": "papers.agreement",
    "papers-claims": "papers.claims",
    "papers-costs": "papers.costs",
    "papers-exact-nb": "papers.exact_cells",
    "papers-members": "papers.kept_members",
    "papers-pruning": "papers.pruned_sizes",
    "papers-qmm": "papers.pruned_trees",
    "papers-stacking": "papers.stacking",
    "schema": "schema.page",
    "short-names": "catalogue.short_names",
    "steps": "commands.steps",
    "studies": "studies.page",
}
"""Name -> function of this package, which is given the page's name and returns Markdown."""

MARK = re.compile(r"^<!-- (part|figure|file|printed|ranks|table|tested): (.+?) -->$", re.M)


def with_parts(_app, env, added, changed, _removed) -> list[str]:
    """Return the pages to be read again although their sources have not changed: what their parts come from may have."""
    return [name for name in env.found_docs - added - changed if MARK.search(Path(env.doc2path(name)).read_text())]


def fill_in(_app, docname, source) -> None:
    """Fill in the parts of a page, and lead its links to pages of the site."""
    if (DOCS / f"{docname}.md").exists():
        source[0] = filled(relinked(source[0], (DOCS / docname).parent, docname), docname)


def filled(text: str, docname: str) -> str:
    """Return a page with its parts."""

    def part(match: re.Match) -> str:
        if match[1] == "file":
            return _of_file(*match[2].split(" | "), docname=docname)
        if match[1] == "figure":
            return papers.figure(*match[2].split(" | "))
        if match[1] in ("printed", "ranks", "tested"):
            return getattr(papers, match[1])(match[2])
        if match[1] == "table":
            return table(match[2])
        module, _, function = PARTS[match[2]].partition(".")
        return getattr(importlib.import_module(f"_site.{module}"), function)(docname)

    return MARK.sub(part, text)


def _of_file(name, first=None, after=None, *, docname):
    text = (ROOT / name).read_text()
    if first:
        start = text.index(f"\n{first}\n") + 1
        text = text[start : text.index(f"\n{after}\n", start) + 1 if after else None]
    else:
        text = re.sub(r"\A# .*\n", "", text)  # the page has a title of its own
    return relinked(text, (ROOT / name).parent, docname)
