"""Row and class weights in ensembles: handed to the parts, equal to removed rows where they are 0."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter
from tests.test_estimator_checks import FIRST

from rotastack import (
    DoubleRotationForestClassifier,
    DoubleRotationMarginForestClassifier,
    ExclusivityRegularizedClassifier,
    MultiRotationForestClassifier,
    MultiRotationForestRegressor,
    PooledEnsembleClassifier,
    PooledEnsembleRegressor,
    PrimalSVMClassifier,
    PrunedEnsembleClassifier,
    RandomProjectionEnsembleClassifier,
    RandomRotationBoostingClassifier,
    RandomRotationForestClassifier,
    RandomRotationForestRegressor,
    RandomSubspaceEnsembleClassifier,
    RegularizedRotationForestClassifier,
    RotastackClassifier,
    RotastackRegressor,
    RotationForestClassifier,
    StackedRotationClassifier,
)
from rotastack.combine import LogLinearWeights, Stacking
from rotastack.combine.pruning import KappaPruner
from rotastack.trees import (
    C45Classifier,
    ExtraForestClassifier,
    ExtraForestRegressor,
    ForestClassifier,
    ForestRegressor,
)
from rotastack.views import RandomRotation

X, y = load_wine(return_X_y=True)

CLASSIFIERS = [
    RandomRotationForestClassifier(8, drop_worst=0.25),
    MultiRotationForestClassifier(3, 8),
    RegularizedRotationForestClassifier(12, n_rotations=3, micro_forest_size=2),
    RotationForestClassifier(4, bootstrap=True),
    DoubleRotationForestClassifier(4),
    DoubleRotationMarginForestClassifier(8),
    RotastackClassifier(5),
    *(ForestClassifier(8, criterion=criterion) for criterion in ("gini", "entropy", "c45")),
    ExtraForestClassifier(8, bootstrap=True),
    PooledEnsembleClassifier(RandomRotation(), n_estimators=4, bootstrap=True),
    PooledEnsembleClassifier(RandomRotation(), ForestClassifier(4), n_estimators=4),
    PooledEnsembleClassifier(
        [("plain", None, 1), ("turned", RandomRotation(), 1)],
        combiner=LogLinearWeights(),
        n_estimators=6,
        bootstrap=True,
    ),
    RandomProjectionEnsembleClassifier(GaussianNB(), n_estimators=3),
    RandomSubspaceEnsembleClassifier(KNeighborsClassifier(1), n_estimators=3),
    StackedRotationClassifier(2, KNeighborsClassifier(1), DecisionTreeClassifier(), cv=3),
    RandomRotationBoostingClassifier(2, trees_per_rotation=3),
    StackedRotationClassifier(3, n_trees=4, cv=3),
    StackedRotationClassifier(3, n_trees=4, cv=3, refit=True),
    PrunedEnsembleClassifier(ForestClassifier(10), KappaPruner(4)),
]
REGRESSORS = [
    ForestRegressor(8),
    ExtraForestRegressor(8, bootstrap=True),
    RandomRotationForestRegressor(8),
    MultiRotationForestRegressor(3, 8),
    RotastackRegressor(5),
    PooledEnsembleRegressor(RandomRotation(), n_estimators=4, bootstrap=True),
]
OF_ROWS = ("oob_decision_function_", "oob_prediction_", "oof_proba_")
OTHERS = ("oob_score_", "oob_family_errors_", "rotation_oob_error_", "family_weights_", "oob_errors_", "oob_error_")


def known(estimator, X, there=None):
    """Return what a fitted estimator gives; of training rows those that are `there`."""
    found = [estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else estimator.predict(X)]
    found += [getattr(estimator, n)[slice(None) if there is None else there] for n in OF_ROWS if hasattr(estimator, n)]
    return found + [getattr(estimator, n) for n in OTHERS if hasattr(estimator, n)]


def same(one, two):
    for a, b in zip(one, two, strict=True):
        if isinstance(a, dict):
            a, b = list(a.values()), list(b.values())
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=lambda e: type(e).__name__)
def test_equal_weights_are_no_weights_and_rows_of_weight_0_are_not_there(estimator):
    X, y = load_diabetes(return_X_y=True) if estimator in REGRESSORS else load_wine(return_X_y=True)
    X, y = X[:178], y[:178]
    fresh = estimator.set_params(random_state=0)
    plain = known(clone(fresh).fit(X, y), X)
    same(known(clone(fresh).fit(X, y, np.full(len(y), 0.3)), X), plain)
    there = np.arange(len(y)) % 5 > 0
    spoiled = np.where(there[:, None], X, 1e6)
    left_out = clone(fresh).fit(spoiled, y, np.where(there, 7.0, 0.0))
    removed = clone(fresh).fit(X[there], y[there])
    same(known(left_out, X, there), known(removed, X))
    for name in OF_ROWS:
        assert np.isnan(getattr(left_out, name, np.full(len(y), np.nan))[~there]).all()
    uneven = clone(fresh).fit(X, y, np.random.default_rng(0).random(len(y)) + 0.2)
    assert not np.array_equal(known(uneven, X)[0], plain[0])


def test_a_splitter_counts_rows_of_weight_0_and_a_fold_of_these_alone_is_left_out():
    folds = np.arange(len(y)) % 4
    there = (folds != 1) & (np.arange(len(y)) % 5 > 0)
    clf = StackedRotationClassifier(2, n_trees=4, random_state=0)
    left_out = clone(clf).set_params(cv=PredefinedSplit(folds)).fit(X, y, there)
    removed = clone(clf).set_params(cv=PredefinedSplit(folds[there])).fit(X[there], y[there])
    same(known(left_out, X, there), known(removed, X))
    assert left_out.folds_[there].tolist() == removed.folds_.tolist()
    assert (left_out.folds_[~there] == -1).all()


def imbalanced():
    X, y = make_classification(1600, 8, n_informative=5, weights=[0.93], flip_y=0.02, class_sep=0.8, random_state=0)
    return X[:600], y[:600], X[600:], y[600:]


@pytest.mark.parametrize(
    "estimator",
    [
        RandomRotationForestClassifier(40),
        RandomRotationForestClassifier(40, tree="extra"),
        MultiRotationForestClassifier(3, 40),
        RegularizedRotationForestClassifier(40, n_rotations=4, micro_forest_size=5),
        RotationForestClassifier(20, bootstrap=True),
        DoubleRotationForestClassifier(20, bootstrap=True),
        RotastackClassifier(30),
    ],
    ids=lambda e: type(e).__name__,
)
def test_recall_rises_with_the_weight_of_a_class(estimator):
    X, y, X_new, y_new = imbalanced()
    found = []
    for weight in (0.1, 1, 10, 100):
        fitted = clone(estimator).set_params(class_weight={0: 1, 1: weight}, random_state=0).fit(X, y)
        found.append(recall_score(y_new, fitted.predict(X_new)))
    assert (np.diff(found) > -0.02).all(), found
    assert found[-1] > found[1] + 0.15, found
    by_row = clone(estimator).set_params(random_state=0).fit(X, y, np.where(y == 1, 100, 1))
    np.testing.assert_array_equal(by_row.predict_proba(X_new), fitted.predict_proba(X_new))


@pytest.mark.parametrize("weight", [1e-6, 1e3, 1e6])
def test_the_flagships_pool_is_never_empty(weight):
    X, y, X_new, _ = imbalanced()
    clf = RotastackClassifier(5, class_weight={0: 1, 1: weight}, random_state=0).fit(X, y)
    assert clf.family_weights_.any()
    assert (clf.predict(X_new) == (weight > 1)).mean() > 0.9


def test_out_of_bag_errors_of_pools_by_hand():
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    clf = PooledEnsembleClassifier(n_estimators=5, bootstrap=True, random_state=0).fit(X, y, weights)
    for member, error in zip(clf.pool_.members, clf.oob_errors_, strict=True):
        out = member.out_of_bag
        wrong = member.outputs(*clf.pool_.scaled(X[out])).argmax(axis=1) != y[out]
        assert error == pytest.approx(np.average(wrong, weights=weights[out]))
    seen = ~np.isnan(clf.oob_decision_function_[:, 0])
    right = clf.oob_decision_function_[seen].argmax(axis=1) == y[seen]
    assert clf.oob_score_ == pytest.approx(np.average(right, weights=weights[seen]))


@pytest.mark.parametrize(
    "estimator",
    [
        PooledEnsembleClassifier(RandomRotation(), KNeighborsClassifier(), n_estimators=3),
        RandomSubspaceEnsembleClassifier(KNeighborsClassifier(1), n_estimators=3),
        PooledEnsembleRegressor(RandomRotation(), KNeighborsRegressor(1), n_estimators=3),
    ],
    ids=lambda e: type(e).__name__,
)
def test_rows_are_drawn_by_weight_for_members_that_take_no_weights(estimator):
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    fitted = clone(estimator).set_params(random_state=0).fit(X, y, weights)
    drawn = clone(estimator).set_params(bootstrap=True, random_state=0).fit(X, y, weights)
    assert fitted.predict(X).tobytes() == drawn.predict(X).tobytes()
    assert not hasattr(fitted, "oob_score_")
    heavy = clone(estimator).set_params(random_state=0).fit(X, y, np.where(y == 1, 1.0, 1e-12))
    assert (heavy.predict(X) == 1).all()


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            StackedRotationClassifier(2, n_trees=2, final_estimator=KNeighborsClassifier(), cv=3),
            "KNeighborsClassifier.fit has no parameter sample_weight; choose another level-1 estimator",
        ),
        (
            PooledEnsembleClassifier(combiner=Stacking(make_pipeline(LogisticRegression())), cv=3),
            "Pipeline.fit has no parameter sample_weight",
        ),
        (PrunedEnsembleClassifier(make_pipeline(ForestClassifier(3))), "Pipeline.fit has no parameter sample_weight"),
        (RotationForestClassifier(2), "Negative values in data passed to `sample_weight`"),
    ],
)
def test_parts_that_take_no_weights_are_named(estimator, message):
    weights = np.arange(len(y), dtype=float)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y, weights - ("Negative" in message))


@pytest.mark.parametrize(
    "estimator",
    [
        PooledEnsembleClassifier(RandomRotation(), LogisticRegression(), n_estimators=2, random_state=0),
        StackedRotationClassifier(2, LogisticRegression(), LogisticRegression(), cv=3, random_state=0),
        RandomProjectionEnsembleClassifier(GaussianNB(), n_estimators=3, random_state=0),
        RandomProjectionEnsembleClassifier(KNeighborsClassifier(1), n_estimators=5, random_state=0),
        PrunedEnsembleClassifier(ForestClassifier(20), KappaPruner(9), random_state=0),
        PooledEnsembleClassifier(estimator=KNeighborsClassifier(1), n_estimators=5, bootstrap=True, random_state=0),
    ],
    ids=lambda e: type(e).__name__,
)
def test_weights_reach_base_learners_and_level_1(estimator):
    X, y, X_new, y_new = imbalanced()
    heavy = np.where(y == 1, 30.0, 1.0)
    plain, weighed = (recall_score(y_new, clone(estimator).fit(X, y, w).predict(X_new)) for w in (None, heavy))
    assert weighed > plain


COUNTED = (C45Classifier, PrimalSVMClassifier, ExclusivityRegularizedClassifier)
"""Whose weights are numbers of cases: they say how small a leaf is, or how much the penalty counts."""


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20, 1e-6, 1e6])
@pytest.mark.parametrize(
    "estimator", [e for e in FIRST if has_fit_parameter(e, "sample_weight")], ids=lambda e: type(e).__name__
)
def test_the_scale_of_weights_has_no_effect(estimator, scale):
    """Exactly for powers of two; for others up to the last digits, which break ties of cuts in trees."""
    X, y = make_classification(60, 5, n_informative=4, n_redundant=0, random_state=3)
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    plain, found = (known(clone(estimator).fit(X, y, sample_weight=w), X)[0] for w in (weights, weights * scale))
    if isinstance(estimator, COUNTED):
        assert found.shape == plain.shape
    elif np.log2(scale) % 1 == 0:
        np.testing.assert_array_equal(found, plain)
    else:
        assert np.abs(found - plain).mean() < 0.1
