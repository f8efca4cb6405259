"""Measured numbers on pages for users stand in what tests run or in what `benchmarks/make_tables.py` writes, never in free prose.

Fractions, percentages, sizes and times in prose and in tables written by hand must be settings, definitions or references, which are listed here.
"""

import re

import pytest
from tests.docs.blocks import FENCE, PAGES, ROOT

NUMBER = re.compile(
    r"(?<![\w.^])(?:\d*\.\d+(?!\.\d)|\d[\d,]*(?:\.\d+)? ?%|\d[\d,]* (?:of the\b|times|ms|MB|GB|s\b|minutes|seconds|hours|microseconds)|\d+x\b)"
)
NO_PROSE = re.compile(r"\$\$.*?\$\$|<!--.*?-->|`[^`\n]*`|\$[^$\n]*\$|\]\([^)\n]*\)", re.S)
REFERENCE = re.compile(
    r"(?:Python|python|scikit-learn|version|thesis,|Ensembles\*,|[Cc]hapters?|[Ll]istings?|[Tt]ables?|[Ff]igures?|[Ee]quations?|algorithm)"
    r" \d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*"
)
"""Versions, and numbers of sections, tables, figures and equations of sources."""
CHECKED = re.compile(
    r"README|docs/(?:index|faq|glossary|(?:start|how-to|choosing|understand)/|evidence/(?:index|flagship|regression|regressors|scale)\.)"
)
USERS = [page for page in PAGES if CHECKED.match(page)]
LEVELS = {".05", "0.05", "90 %", "95 %"}
"""Levels of tests and intervals."""
SETTINGS = {  # page -> settings and levels
    "docs/evidence/flagship.md": {".001", "70 %", ".1", ".01", ".005", "47 of the", "57 of the"},
    "docs/evidence/regressors.md": {"115 of the", "62 of the", ".01"},
    "docs/evidence/scale.md": {"2 GB", "1,000 times", "160 GB", "500 MB", "2 times"},
    "docs/how-to/mlflow.md": {"0.1", "5 seconds"},
    "docs/how-to/own-table.md": {"0.12", "31.1", "98 %", ".98", "1 %", "1.5", "50 times", ".3", "1 times"},
    "docs/how-to/publish.md": {"256 of the"},
    "docs/how-to/report.md": {"10 MB"},
    "docs/understand/exclusivity.md": {"1.1"},
    "docs/understand/flagship.md": {"63 %", ".25", ".5", "2 times", "8 times", ".01", ".0001"},
    "docs/understand/forest.md": {"256 MB", "3.11"},
    "docs/understand/pruning.md": {"2 %"},
    "docs/understand/random-rotations.md": {
        "1.1", "1.5", "1.10", "1.22", "2.5", "3.2", "4.2", "200 MB",
    },
    "docs/understand/reduction.md": {"5 %", ".01"},
    "docs/understand/regression.md": {"99 %", ".1", ".9"},
    "docs/understand/rotation-forest.md": {"8 MB", ".1"},
    "docs/understand/security.md": {"256 MB", "200 times"},
    "docs/understand/statistics.md": {
        "0.001", "0.002", "50 %", "9.28", "3.69", "0.8", "1.1", "0.1", "8 of the", "5 %", "0.007", "0.005", "45 times", "0.09",
        "0.95", "0.03", "0.01", "15 %",
    },
    "docs/understand/views.md": {"5 %"},
}  # fmt: skip


def numbers(text):
    """Return the numbers outside of blocks, code, equations and addresses, with their lines."""
    for pattern in (FENCE, NO_PROSE, REFERENCE):
        text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
    return [(k, number) for k, line in enumerate(text.splitlines(), 1) for number in NUMBER.findall(line)]


@pytest.mark.parametrize("page", USERS)
def test_numbers_of_prose_are_settings(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    known = LEVELS | SETTINGS.get(page, set())
    free = [f"{page}:{k}: {number}" for k, number in numbers(text) if number not in known]
    assert not free, "measured? then make them in benchmarks/tables/sentences.py, or print them in a block"


def test_no_setting_is_listed_that_no_page_has():
    for page, listed in SETTINGS.items():
        assert listed <= {number for _, number in numbers((ROOT / page).read_text(encoding="utf-8"))}, page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("err on 25 %, and .70 against 0.83", ["25 %", ".70", "0.83"]),
        ("took 18 s, 4.7 times as long, and 600 MB", ["18 s", "4.7", "600 MB"]),
        ("fewer errors on 10 of the 57 data sets", ["10 of the"]),
        ("with 500 trees, version 1.2.3, `.5` and $0.1$ ([a page](a-0.5.md))", []),
        ("```output\n0.97\n```\n", []),
        ("tables 1.2, 1.6 and 2.1 of the thesis, with Python 3.11 or newer", []),
    ],
)
def test_numbers_are_found(text, found):
    assert [number for _, number in numbers(text)] == found
