"""The file and the study of the page about extending: classes beside a study are found, and are what it takes."""

import re

import pytest
import yaml
from tests.docs.blocks import PAGES, blocks

from rotastack.base.documents import load_yaml
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.study import Study


def test_the_study_of_the_page_takes_the_classes_of_its_file(tmp_path, monkeypatch):
    files = {
        found[1]: block.text
        for block in blocks("docs/how-to/extend.md")
        if (found := re.match(r"# (mine\.\w+)\n", block.text))
    }
    assert set(files) == {"mine.py", "mine.yaml"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    study = Study.from_mapping(load_yaml(tmp_path / "mine.yaml"), "mine.yaml")
    check_classes(study, "mine.yaml")
    assert study.pools["centroid"].resolved().estimator == "mine.CentroidClassifier"
    assert next(iter(study.methods)) == "Random forest"  # the control of which the page speaks


WHOLE = [block for page in PAGES for block in blocks(page) if re.match(r"(# .*\n)?name: ", block.text)]


@pytest.mark.parametrize("block", WHOLE, ids=str)
def test_studies_that_pages_show_whole_are_taken(block, tmp_path, monkeypatch):
    for other in blocks(block.page):
        if found := re.match(r"# (\w+\.py)\n", other.text):
            (tmp_path / found[1]).write_text(other.text)
    monkeypatch.syspath_prepend(tmp_path)
    check_classes(Study.from_mapping(yaml.safe_load(block.text), str(block)), str(block))


def test_some_studies_are_shown_whole():
    assert {"docs/reference/study-keys.md", "docs/how-to/extend.md"} <= {block.page for block in WHOLE}
