"""The site in a browser, on a desktop and on a phone: no console message, no request elsewhere, no overflow."""

import pytest
from tests.docs.blocks import ROOT

SITE = ROOT / "docs/_build/html"
GENERATED = ("reference/api/", "gallery/")
"""Folders of pages that are all made alike: a few of each are opened."""

pytestmark = [
    pytest.mark.slow,
    # The build takes minutes and is a separate test: .ci/run builds the site before these tests.
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built: make docs"),
]


def pages():
    """Every page written by hand, and every 25th generated page."""
    found = sorted(page.relative_to(SITE).as_posix() for page in SITE.rglob("*.html"))
    found = [page for page in found if not page.startswith("_static/")]  # the theme's templates
    alike = [page for page in found if page.startswith(GENERATED)]
    return [page for page in found if page not in alike] + alike[::25]


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (390, True)], ids=["desk", "phone"])
def test_pages_are_silent_and_fit(browser, width, dark):
    faults = []
    for page in pages():
        browser.open(SITE / page, width=width, dark=dark)
        browser.wait("document.readyState === 'complete'")
        found = browser.complaints() + browser.requests()
        beyond = browser.run("return document.documentElement.scrollWidth - innerWidth")
        found += [f"{beyond} pixels wider than the window"] * (beyond > 0)
        broken = "[...document.images].filter(i => i.loading !== 'lazy' && !i.naturalWidth).map(i => i.src)"
        found += [f"no picture at {source}" for source in browser.run(f"return {broken}")]
        faults += [f"{page}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)
