"""The studies shown in the documents are valid, including classes and parameters."""

import importlib.util
import re
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml

from rotastack.errors import RotastackError
from rotastack.workflow.study.catalogue import find
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.study import Study, resized

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *(p.relative_to(ROOT).as_posix() for p in sorted((ROOT / "docs").rglob("*.md")))]
STUDIES = [
    pytest.param(yaml.safe_load(block), id=f"{page}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"^```yaml\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S))
    if re.search(r"^pools:", block, re.M)
]
DATA_SETS = [
    pytest.param(yaml.safe_load(block), id=page)
    for page in PAGES
    for block in re.findall(r"^```yaml\n(datasets:\n.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
]


def completed(shown):
    """Complete a part of a study with a name, data, a protocol and a second method."""
    usual = {"name": "shown", "datasets": ["iris"], "protocol": {"kind": "holdout"}, **shown}
    if len(usual["methods"]) == 1:
        usual["pools"] = {**usual["pools"], "other": {"estimator": "naive_bayes"}}
        usual["methods"] = {**usual["methods"], "Other": {"pool": "other", "combiner": {"kind": "vote"}}}
    return usual


@pytest.mark.parametrize("shown", STUDIES)
def test_a_study_that_is_shown_is_sound(shown):
    for size in ("full", *shown.get("sizes", {})):
        study = Study.from_mapping(resized(completed(shown), size, "shown"), "shown")
        paths = [find(pool.estimator, study.task.estimators).path for pool in study.pools.values()]
        foreign = {path.partition(".")[0] for path in paths}
        missing = [name for name in foreign if importlib.util.find_spec(name) is None]
        with pytest.raises(RotastackError, match="needs the package") if missing else nullcontext():
            check_classes(study, "shown")


@pytest.mark.parametrize("shown", DATA_SETS)
def test_data_sets_that_are_shown_are_sound(shown):
    pools = {"pools": {"rf": {"estimator": "forest"}}, "methods": {"RF": {"pool": "rf", "combiner": {"kind": "vote"}}}}
    study = Study.from_mapping(completed({**pools, **shown}), "shown")
    assert len(study.datasets) == len(shown["datasets"])


def test_studies_are_shown():
    assert len(STUDIES) >= 9
    assert len(DATA_SETS) >= 2
