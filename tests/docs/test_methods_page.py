"""The pools and combiners of the page of methods are what studies take."""

import re

import yaml
from tests.docs.blocks import ROOT

import rotastack
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.study import Study

PAGE = ROOT / "docs/reference/methods.md"
TOO_FAR = {"catboost", "lightgbm"}
"""Of the extra `bench`, which need not be here."""


def _entries():
    """Yield the pools and the combiner of each row."""
    for row in re.findall(r"^\|.*\{.*$", PAGE.read_text(), re.M):
        found = [yaml.safe_load(text) for text in re.findall(r"`(\{[^`]*\})`", row)]
        pools = [entry for entry in found if "kind" not in entry and entry["estimator"] not in TOO_FAR]
        combiners = [entry for entry in found if "kind" in entry]
        yield pools, combiners[0] if combiners else {"kind": "vote"}


def test_each_pool_and_combiner_of_the_page_makes_a_study():
    pools, methods = {}, {}
    for found, combiner in _entries():
        for pool in found:
            name = f"pool_{len(pools)}"
            pools[name] = pool
            methods[f"method {name}"] = {"pool": name, "combiner": combiner}
    assert len(pools) > 35
    study = {"name": "page", "datasets": ["iris"], "pools": pools, "methods": methods}
    study["protocol"] = {"kind": "holdout", "repeats": 2, "rotations": 2}
    stacked = {k: m for k, m in methods.items() if m["combiner"]["kind"] in ("stacking", "weights")}
    study["methods"] = {k: m for k, m in methods.items() if k not in stacked}
    check_classes(Study.from_mapping(study, "page.yaml"), "page.yaml")
    nested = {"rotation_groups": 1, "fold_groups": 1, "folds": 3, "rotations": 2}
    check_classes(Study.from_mapping({**study, "methods": stacked, "protocol": nested}, "page.yaml"), "page.yaml")


def test_names_of_classes_in_the_readme_can_be_imported():
    named = set(re.findall(r"`(\w+(?:Classifier|Regressor))`", (ROOT / "README.md").read_text()))
    assert {"RotationForestClassifier", "ExclusivityRegularizedClassifier"} <= named
    assert all(hasattr(rotastack, name) for name in named)


def test_each_pruner_of_the_page_has_a_short_name():
    from rotastack.workflow.study.catalogue import PRUNERS

    section = PAGE.read_text().partition("## Pruners")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\|[^|]+\| `(\w+)` \|", section, re.M))
    assert named - {"pruner"} == set(PRUNERS) - {"none", "lasso"}
