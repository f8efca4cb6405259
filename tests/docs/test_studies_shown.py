"""The studies that pages show are valid, with their classes, the parameters of these, and the modules beside them."""

import importlib.util
import re
from contextlib import nullcontext

import pytest
import yaml
from tests.docs.blocks import PAGES, blocks

from rotastack.errors import RotastackError
from rotastack.workflow.study.catalogue import find
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.study import Study, resized

YAML = [block for page in PAGES for block in blocks(page) if block.language == "yaml"]
STUDIES = [block for block in YAML if re.search(r"^pools:", block.text, re.M)]
POOL = {"pools": {"rf": {"estimator": "forest"}}, "methods": {"RF": {"pool": "rf", "combiner": {"kind": "vote"}}}}


def completed(shown):
    """Complete a part of a study with a name, data, a protocol and a second method."""
    if "name" in shown:
        return shown
    usual = {"name": "shown", "datasets": ["iris"], "protocol": {"kind": "holdout"}, **shown}
    if len(usual["methods"]) == 1:
        usual["pools"] = {**usual["pools"], "other": {"estimator": "naive_bayes"}}
        usual["methods"] = {**usual["methods"], "Other": {"pool": "other", "combiner": {"kind": "vote"}}}
    return usual


@pytest.mark.parametrize("block", STUDIES, ids=str)
def test_a_study_that_is_shown_is_sound(block, tmp_path, monkeypatch):
    for other in blocks(block.page):
        if found := re.match(r"# (\w+\.py)\n", other.text):
            (tmp_path / found[1]).write_text(other.text)
    monkeypatch.syspath_prepend(tmp_path)
    shown = yaml.safe_load(block.text)
    for size in ("full", *shown.get("sizes", {})):
        study = Study.from_mapping(resized(completed(shown), size, "shown"), "shown")
        paths = [find(pool.estimator, study.task.estimators).path for pool in study.pools.values() if not pool.of]
        missing = [path for path in paths if importlib.util.find_spec(path.partition(".")[0]) is None]
        with pytest.raises(RotastackError, match="needs the package") if missing else nullcontext():
            check_classes(study, "shown")


@pytest.mark.parametrize("block", [block for block in YAML if block.text.startswith("datasets:\n")], ids=str)
def test_data_sets_that_are_shown_are_sound(block):
    shown = yaml.safe_load(block.text)
    assert len(Study.from_mapping(completed({**POOL, **shown}), "shown").datasets) == len(shown["datasets"])
