"""Pairs of methods that differ by rotations alone, found in the study."""

import pytest

from rotastack.ensembles.flagship.families import FAMILIES, NUMBER_FAMILIES
from rotastack.workflow.study.catalogue import ESTIMATORS, REGRESSORS, traits_of
from rotastack.workflow.study.study import Study
from rotastack.workflow.use.explanation import ROTATED

FLAGSHIP = {"estimator": "rotastack"}
PLAIN = {
    "estimator": "rotastack",
    "parameters": {"families": ["discriminants", "pairs", "boosted", "boosted_large", "kernel"]},
}
FOREST = {"estimator": "forest", "parameters": {"n_estimators": 80}}
STACKING = {"kind": "stacking", "estimator": "forest", "parameters": {"n_estimators": 10}}
VOTE = {"kind": "vote"}


def study(combiners=(VOTE, VOTE), **pools):
    methods = {name: {"pool": name, "combiner": c} for name, c in zip(pools, combiners, strict=True)}
    protocol = {"rotation_groups": 2, "fold_groups": 2, "folds": 3, "rotations": 8}
    content = {
        "name": "s",
        "title": "t",
        "description": "d",
        "seed": 1,
        "datasets": ["iris"],
        "protocol": protocol,
        "blocks": {"rotation_groups": 2, "fold_groups": 2},
        "pools": pools,
        "methods": methods,
    }
    return Study.from_mapping(content, "s.yaml")


TURNED = {"view": "rotation", "estimator": "forest", "parameters": {"n_estimators": 10}}


@pytest.mark.parametrize(
    ("turned", "plain", "combiner"),
    [
        (TURNED, FOREST, VOTE),  # 8 rotations of 10 trees
        ({"view": "rotation", "estimator": "sklearn.svm.SVC"}, {"estimator": "sklearn.svm.SVC"}, VOTE),
        ({"estimator": "random_rotation_forest", "parameters": {"n_estimators": 80}}, FOREST, VOTE),
        (
            {"estimator": "rotation_forest"},
            {"estimator": "forest", "parameters": {"criterion": "entropy", "max_features": None}},
            VOTE,
        ),
        (FLAGSHIP, PLAIN, VOTE),
        (TURNED, FOREST, STACKING),
    ],
)
def test_a_method_and_the_same_without_rotations_are_a_pair(turned, plain, combiner):
    found = study((combiner, combiner), a=turned, b=plain)
    assert (found.rotation_pairs, found.rotated) == ([["a", "b"]], ["a"])


@pytest.mark.parametrize(
    ("turned", "plain", "combiners"),
    [
        (FLAGSHIP, FOREST, (VOTE, VOTE)),
        (
            {"estimator": "random_rotation_forest", "parameters": {"n_estimators": 100}},
            FOREST,
            (VOTE, VOTE),
        ),  # more trees
        ({**TURNED, "scaling": "rank"}, FOREST, (VOTE, VOTE)),
        ({**TURNED, "view": "projection"}, FOREST, (VOTE, VOTE)),  # no rotation
        ({"estimator": "rotation_forest"}, {"estimator": "extra_forest"}, (VOTE, VOTE)),
        (TURNED, FOREST, (STACKING, VOTE)),
    ],
)
def test_methods_that_differ_by_more_than_rotations_are_no_pair(turned, plain, combiners):
    assert study(combiners, a=turned, b=plain).rotation_pairs == []


def test_the_flagship_states_its_families_on_rotated_columns():
    for task, named in ((ESTIMATORS, FAMILIES), (REGRESSORS, NUMBER_FAMILIES)):
        turned = [name for name, family in named.items() if set(family.parts) & set(ROTATED)]
        assert list(traits_of(task["rotastack"].path).rotated_families) == turned
