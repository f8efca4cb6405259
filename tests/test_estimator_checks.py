"""scikit-learn's own checks, in full, on every public estimator; no check is skipped by us."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from rotastack import (
    PooledEnsembleClassifier,
    RandomRotationForestClassifier,
    StackedRotationClassifier,
)
from rotastack.combine import Stacking
from rotastack.trees import (
    ExtraForestClassifier,
    ExtraForestRegressor,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
)
from rotastack.views import MinMaxScaler01, QuantileScaler, RandomRotation, RelativeRankScaler

INSTANCES = [
    MinMaxScaler01(),
    QuantileScaler(),
    RelativeRankScaler(),
    RandomRotation(random_state=0),
    RandomRotation(max_axes=2, flip=True, random_state=0),
    ForestClassifier(n_estimators=5, random_state=0),
    ForestClassifier(n_estimators=5, criterion="gain_ratio", max_features=None, random_state=0),
    ForestRegressor(n_estimators=5, random_state=0),
    ExtraForestClassifier(n_estimators=5, n_cuts=2, random_state=0),
    ExtraForestRegressor(n_estimators=5, random_state=0),
    TreeClassifier(random_state=0),
    TreeClassifier(splitter="random", random_state=0),
    TreeRegressor(random_state=0),
    PooledEnsembleClassifier(n_estimators=3, random_state=0),
    PooledEnsembleClassifier(RandomRotation(), n_estimators=3, bootstrap=True, random_state=0),
    PooledEnsembleClassifier(
        [("identity", None, 1), ("rotation", RandomRotation(), 2)],
        combiner=Stacking(LogisticRegression()),
        n_estimators=3,
        cv=3,
        random_state=0,
    ),
    RandomRotationForestClassifier(n_estimators=4, n_trees_per_rotation=2, random_state=0),
    RandomRotationForestClassifier(n_estimators=3, tree="extra", random_state=0),
    StackedRotationClassifier(n_rotations=2, n_trees=3, cv=3, random_state=0),
    StackedRotationClassifier(n_rotations=2, n_trees=3, cv=3, refit=True, random_state=0),
]


def expected_failures(estimator):
    """Return the checks that cannot hold, with the reason."""
    if getattr(estimator, "bootstrap", False) and hasattr(estimator, "min_weight_fraction_leaf"):
        reason = "a bootstrap draws among the rows, so a weight of 2 is not the same as a row given twice"
        return {"check_sample_weight_equivalence_on_dense_data": reason}
    return {}


@parametrize_with_checks(INSTANCES, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked():
    import rotastack
    import rotastack.trees
    import rotastack.views

    public = {
        name
        for module in (rotastack, rotastack.views, rotastack.trees)
        for name in module.__all__
        if isinstance(getattr(module, name), type) and issubclass(getattr(module, name), BaseEstimator)
    }
    assert public == {type(e).__name__ for e in INSTANCES}


@pytest.mark.parametrize("estimator", INSTANCES, ids=lambda e: type(e).__name__)
def test_parameters_are_documented(estimator):
    text = type(estimator).__doc__
    for name in estimator.get_params(deep=False):
        assert f"{name} :" in text or f"{name}," in text or f", {name}" in text, name
