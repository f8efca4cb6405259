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


def test_further_members_cost_the_same_whatever_the_number_of_others():
    cost = Cost(500, 1.0, 0.5, 100, extra=50)
    few, more, most = (cost.training_seconds(n, 1000, 10, 2) for n in (0, 100, 200))
    assert few == pytest.approx(50 * 500e-6)
    assert more - few == pytest.approx(most - more)


def test_kept_members_take_their_nodes_and_matrices():
    assert Cost(1, 1, 1, 1).kept_megabytes(100, 1000, 10, 2) == pytest.approx(1e-6 * 100 * 1000 * (16 + 4 * 2))
    assert Cost(1, 1, 1, 1, row_bytes=60).kept_megabytes(100, 1000, 10, 2) == pytest.approx(6)
    turned = Cost(1, 1, 1, 1, row_bytes=1, matrices=50, axes=500)
    assert turned.kept_megabytes(80, 100, 1000, 2) == pytest.approx(8e-6 * 50 * 1000 * 200 + 80e-4)
    assert turned.kept_megabytes(20, 1000, 1000, 2) == pytest.approx(8e-6 * 20 * 1000 * 500 + 20e-3)


def test_every_class_of_the_table_is_one_that_a_study_names():
    entries = [entry for names in (ESTIMATORS, REGRESSORS) for entry in names.values()]
    lineages = {
        f"{c.__module__}.{c.__qualname__}"
        for e in entries
        if e.path.startswith("rotastack.")
        for c in load_class(e.path).__mro__
    }
    named = (
        lineages
        | {e.path for e in entries}
        | {e.parameters["steps"][-1][1]["class"] for e in entries if "steps" in e.parameters}
    )
    assert COSTS.keys() <= named


def test_a_derived_class_has_the_cost_of_its_base_and_an_unknown_one_none():
    assert cost_of("rotastack.trees.forest.ForestClassifier") is USUAL_COST
    assert cost_of(ESTIMATORS["rotation_forest"].path) is cost_of(ESTIMATORS["double_rotation_forest"].path) is not None
    assert cost_of("rotastack.nowhere.Forest") is cost_of("sklearn.svm.SVC") is None
