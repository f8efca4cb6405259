"""Look through the built site: every link within it leads somewhere, and no page loads anything from elsewhere.

``python docs/_extensions/check_html.py FOLDER`` prints what is wrong, and fails if anything is.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["problems"]

LOADED = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}
"""Elements whose address a browser asks for by itself."""
NAMED = {"canonical", "author", "license", "next", "prev", "search", "index"}
"""Relations of <link> that nothing is loaded for."""


class Page(HTMLParser):
    """A page's anchors, links and what it loads."""

    def __init__(self):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := known.get(key)))
        if tag == "a" and known.get("href"):
            self.links.append(known["href"])
        if tag == "link" and NAMED & set((known.get("rel") or "").split()):
            return
        if known.get(LOADED.get(tag)):
            self.loads.append(known[LOADED[tag]])


@cache
def _read(file: Path) -> Page:
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def problems(folder: Path) -> list[str]:
    """Return what is wrong with the pages of a folder, a line each."""
    found = []
    pages = [file for file in sorted(folder.rglob("*.html")) if file.relative_to(folder).parts[0] != "_static"]
    for file in pages:
        page, name = _read(file), file.relative_to(folder)
        for address in page.loads:
            if urlsplit(address).scheme not in ("", "data") or address.startswith("//"):
                found.append(f"{name}: loads {address}")
            elif not address.startswith("data:") and _broken(file, address):
                found.append(f"{name}: {address} is not there")
        found += [f"{name}: link to {link} leads nowhere" for link in page.links if _broken(file, link)]
    for file in sorted((folder / "_static").rglob("*.css")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if "url(http" in text or "url(//" in text or ("@import url(" in text and "http" in text):
            found.append(f"{file.relative_to(folder)}: loads from elsewhere")
    return found


def _broken(file: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False  # of others: not looked at, as the site is built without network
    target = file if not parts.path else (file.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return True
    anchor = unquote(parts.fragment)
    return bool(anchor) and target.suffix == ".html" and anchor not in _read(target).anchors


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]).resolve())
    print("\n".join(wrong))
    sys.exit(bool(wrong))
