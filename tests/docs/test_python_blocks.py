"""Python that pages show runs, page by page, and prints what they say."""

import doctest
import io
from contextlib import redirect_stdout

import pytest
from tests.docs.blocks import PAGES, ROOT, blocks

SHOWN = [page for page in PAGES if any(block.language == "python" and not block.reason for block in blocks(page))]
OWN_FILES = {"scores.csv": "dataset,RF,Rotastack,XGBoost\na,.2,.1,.3\nb,.3,.2,.2\nc,.1,.1,.2\nd,.4,.2,.3\ne,.2,.1,.1\n"}
"""Files that a reader of a page has, by the names that pages call them."""


@pytest.mark.parametrize("page", SHOWN)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_python_of_a_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    for name, text in OWN_FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    known: dict = {"__name__": "page"}
    for block in blocks(page):
        if block.mark and block.mark[0] == "saved as":
            (tmp_path / block.mark[1]).write_text(block.text)
        if block.language != "python" or block.reason:
            continue
        printed = io.StringIO()
        code = compile("\n" * block.line + block.text, str(ROOT / page), "exec")
        with redirect_stdout(printed):
            exec(code, known)
        if block.output is not None:
            options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            same = doctest.OutputChecker().check_output(block.output, printed.getvalue(), options)
            assert same, f"{block} prints\n{printed.getvalue()}and not\n{block.output}"


def test_output_that_is_shown_belongs_to_a_block():
    for page in PAGES:
        shown = blocks(page)
        assert sum(b.language == "output" for b in shown) == sum(b.output is not None for b in shown), page


def test_some_output_is_shown():
    assert sum(block.output is not None for page in PAGES for block in blocks(page)) >= 6
