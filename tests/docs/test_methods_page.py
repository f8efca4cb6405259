"""The pools and combiners of the page of methods are what studies take."""

import re

import yaml
from tests.docs.blocks import ROOT

from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.study import Study

TOO_FAR = {"catboost", "lightgbm"}
"""Of the extra `bench`, which need not be here."""


def _entries():
    """Yield the pools and the combiner of each row."""
    for row in re.findall(r"^\|.*\{.*$", (ROOT / "docs/reference/methods.md").read_text(), re.M):
        found = [yaml.safe_load(text) for text in re.findall(r"`(\{[^`]*\})`", row)]
        pools = [entry for entry in found if "kind" not in entry and entry["estimator"] not in TOO_FAR]
        combiners = [entry for entry in found if "kind" in entry]
        yield pools, combiners[0] if combiners else {"kind": "vote"}


def test_each_pool_and_combiner_of_the_page_makes_a_study():
    entries = [(pool, combiner) for pools, combiner in _entries() for pool in pools]
    assert len(entries) > 35
    holdout = {"kind": "holdout", "repeats": 2, "rotations": 2}
    nested = {"rotation_groups": 1, "fold_groups": 1, "folds": 3, "rotations": 2}
    for protocol, is_stacked in ((holdout, False), (nested, True)):
        own = [entry for entry in entries if (entry[1]["kind"] in ("stacking", "weights")) == is_stacked]
        pools = {f"pool_{k}": pool for k, (pool, _) in enumerate(own)}
        methods = {f"method {k}": {"pool": f"pool_{k}", "combiner": combiner} for k, (_, combiner) in enumerate(own)}
        study = {"name": "page", "datasets": ["iris"], "pools": pools, "methods": methods, "protocol": protocol}
        check_classes(Study.from_mapping(study, "page.yaml"), "page.yaml")
