"""One formula has the costs of all classes, and a table its numbers."""

import pytest

from rotastack.workflow.study.building import load_class
from rotastack.workflow.study.catalogue import ESTIMATORS, REGRESSORS
from rotastack.workflow.study.costs import COSTS, USUAL_COST, Cost, cost_of


def test_seconds_are_of_members_rows_columns_and_classes():
    cost = Cost(500, 1.0, 0.5, 100, 0.1)
    assert cost.training_seconds(10, 1000, 10, 2) == pytest.approx(10 * 500e-6)
    assert cost.training_seconds(20, 3000, 40, 12) == pytest.approx(20 * 500e-6 * 3 * 2 * 2)
    assert cost.training_seconds(10, 1000, 10, 0) == cost.training_seconds(10, 1000, 10, 2)
    assert cost.prediction_seconds(10, 1000) == pytest.approx(10 * 100e-9 * 1000)


def test_every_class_of_the_table_is_one_that_a_study_names():
    entries = [entry for names in (ESTIMATORS, REGRESSORS) for entry in names.values()]
    ours = [load_class(entry.path) for entry in entries if entry.path.startswith("rotastack.")]
    named = {f"{base.__module__}.{base.__qualname__}" for kind in ours for base in kind.__mro__}
    named |= {e.path for e in entries} | {
        e.parameters["steps"][-1][1]["class"] for e in entries if "steps" in e.parameters
    }
    assert COSTS.keys() <= named


def test_a_derived_class_has_the_cost_of_its_base_and_an_unknown_one_none():
    assert cost_of("rotastack.trees.forest.ForestClassifier") is USUAL_COST
    assert cost_of(ESTIMATORS["rotation_forest"].path) is cost_of(ESTIMATORS["double_rotation_forest"].path) is not None
    assert cost_of("rotastack.nowhere.Forest") is cost_of("sklearn.svm.SVC") is None
