"""The file and the study of the page about extending: classes beside a study are found, and are what it takes."""

import re

from tests.docs.blocks import blocks

from rotastack.base.documents import load_yaml
from rotastack.study.classes import check_classes
from rotastack.study.study import Study


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
    assert study.pools["centroid"].resolved()["estimator"] == "mine.CentroidClassifier"
    assert next(iter(study.methods)) == "Random forest"  # the control of which the page speaks
