"""Forests on rotations: random, regularised, several at once, boosted; classification and regression."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from tests.ensembles.forests.test_regularized import regularized

from rotastack import (
    MultiRotationForestClassifier,
    MultiRotationForestRegressor,
    PooledEnsembleClassifier,
    PooledEnsembleRegressor,
    RandomRotationBoostingClassifier,
    RandomRotationBoostingRegressor,
    RandomRotationForestClassifier,
    RandomRotationForestRegressor,
    RegularizedRotationForestClassifier,
)
from rotastack.combine import Voting
from rotastack.trees import ForestClassifier
from rotastack.views import RandomRotation

DIABETES = load_diabetes(return_X_y=True)
CLASSIFIERS = [
    RandomRotationForestClassifier(30, random_state=1),
    RandomRotationForestClassifier(30, tree="extra", n_cuts=3, flip=True, random_state=1),
    RegularizedRotationForestClassifier(60, n_rotations=5, micro_forest_size=4, random_state=1),
    MultiRotationForestClassifier(6, 30, random_state=1),
    RandomRotationBoostingClassifier(4, trees_per_rotation=8, learning_rate=0.3, random_state=1),
]
REGRESSORS = [
    RandomRotationForestRegressor(60, random_state=1),
    RandomRotationForestRegressor(60, tree="extra", n_trees_per_rotation=3, random_state=1),
    MultiRotationForestRegressor(4, 40, random_state=1),
    RandomRotationBoostingRegressor(6, trees_per_rotation=60, learning_rate=0.1, random_state=1),
    PooledEnsembleRegressor(RandomRotation(), combiner=Voting(), n_estimators=60, random_state=1),
]
named = {"ids": lambda estimator: type(estimator).__name__}


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], **named)
def test_they_learn_and_do_not_depend_on_threads(estimator):
    X, y = DIABETES if estimator in REGRESSORS else load_iris(return_X_y=True)
    X = np.where((np.arange(len(X)) % 9 == 0)[:, None] & (np.arange(X.shape[1]) == 2), np.nan, X)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    fitted = clone(estimator).fit(train, y_train)
    assert fitted.score(test, y_test) > (0.25 if estimator in REGRESSORS else 0.88)
    again = clone(estimator).set_params(n_jobs=2).fit(train, y_train)
    answer = "predict" if estimator in REGRESSORS else "predict_proba"
    np.testing.assert_array_equal(getattr(again, answer)(test), getattr(fitted, answer)(test))


def test_out_of_bag_scores_are_honest():
    train, test, y_train, y_test = train_test_split(*DIABETES, random_state=1)
    reg = RandomRotationForestRegressor(300, random_state=0).fit(train, y_train)
    assert reg.oob_score_ == pytest.approx(reg.score(test, y_test), abs=0.12)
    mask = reg.forest_.out_of_bag(len(train))
    trees = reg.forest_.outputs(reg._checked(train))[:, :, 0].T
    by_hand = np.where(mask, trees, 0).sum(axis=1) / mask.sum(axis=1)
    np.testing.assert_allclose(reg.oob_prediction_, by_hand, rtol=1e-6)
    errors = [np.mean((trees[mask[:, t], t] - y_train[mask[:, t]]) ** 2) for t in range(300)]
    np.testing.assert_allclose(reg.rotation_oob_error_, errors, rtol=1e-5)


def test_rotations_come_in_order_however_many_there_are(iris):
    few = RandomRotationForestClassifier(3, random_state=0).fit(*iris).forest_
    many = RandomRotationForestClassifier(9, random_state=0).fit(*iris).forest_
    for v in range(3):
        np.testing.assert_array_equal(few.views.matrix(v), many.views.matrix(v))
    X = np.ascontiguousarray(iris[0], dtype=np.float32)
    np.testing.assert_array_equal(few.votes(X), many.votes(X)[:, :3])


def test_the_worst_rotations_are_dropped(iris):
    whole, cut = (
        RandomRotationForestClassifier(40, n_trees_per_rotation=2, drop_worst=share, random_state=0).fit(*iris)
        for share in (0, 0.1)
    )
    assert len(cut.forest_) == 36
    dropped = np.setdiff1d(np.arange(20), cut.forest_.tree_view)
    errors = whole.rotation_oob_error_
    assert errors[dropped].min() >= np.delete(errors, dropped).max()
    np.testing.assert_array_equal(errors, cut.rotation_oob_error_)


def test_only_a_few_axes_rotate_beyond_the_limit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 12)), rng.integers(0, 2, 40)
    X[:, 3] += 9 * y
    clf = RandomRotationForestClassifier(6, max_axes=3, categorical_features=[0, 5], random_state=0).fit(X, y)
    matrices = [clf.forest_.views.matrix(v) for v in range(6)]
    subsets = {tuple(np.flatnonzero((matrix != 0).sum(axis=1) > 1)) for matrix in matrices}
    assert {len(mapped) for mapped in subsets} == {3}
    assert max(map(max, subsets)) < 10  # the categorical ones come last
    np.testing.assert_allclose([matrix @ matrix.T for matrix in matrices], [np.eye(12)] * 6, atol=1e-6)
    assert clf.feature_importances_.argmax() == 3


def test_multi_rotation_finds_the_rotation_that_helps():
    """Class = sign of a rotated coordinate: its rotation gets most of the importance."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(600, 2))
    probe = MultiRotationForestClassifier(8, 10, scaling=None, random_state=3).fit(X, rng.integers(0, 2, 600))
    blocks = [probe.forest_.views.matrix(0)[:, 2 * k : 2 * k + 2] for k in range(8)]
    z = X @ blocks[5]
    y = (z[:, 0] > np.median(z[:, 0])).astype(int)
    clf = MultiRotationForestClassifier(8, 100, max_features=None, scaling=None, random_state=3).fit(X, y)
    assert clf.rotation_importances_.argmax() == 5
    best = MultiRotationForestClassifier(8, 100, n_best=2, scaling=None, random_state=3).fit(X, y)
    assert 5 in best.kept_rotations_
    assert best.forest_.views.widths().tolist() == [4]
    assert (best.rotation_importances_ > 0).sum() <= 2


@pytest.mark.parametrize(
    "forest",
    [
        RandomRotationForestClassifier(400, scaling=None, max_features=1, random_state=0),
        RegularizedRotationForestClassifier(400, 4, scaling=None, max_features=1, random_state=0),
        MultiRotationForestClassifier(1, 400, scaling=None, max_features=1, random_state=0),
    ],
    **named,
)
def test_constant_leaf(forest):
    """One column that is rotated (to itself, as it is alone) and one category, which is constant."""
    X = np.column_stack([np.arange(60.0), np.zeros(60)])
    y = np.arange(60) >= 30
    forest.set_params(categorical_features=[1])
    assert (clone(forest).fit(X, y).forest_.complexity()["n_nodes"] == 3).all()
    stopped = clone(forest).set_params(constant_leaf=True).fit(X, y)
    assert (stopped.forest_.complexity()["n_nodes"] == 1).mean() == pytest.approx(0.5, abs=0.08)
    assert clone(forest).set_params(constant_leaf=True).unrotated().constant_leaf


# Regression pools


def test_rotating_changes_nothing_for_ridge():
    """A rotation-invariant learner predicts the same on any rotation: the views are applied right."""
    X, y = DIABETES
    reg = PooledEnsembleRegressor(RandomRotation(), Ridge(), n_estimators=3, scaling=None, random_state=0)
    np.testing.assert_allclose(reg.fit(X, y).predict(X), Ridge().fit(X, y).predict(X), rtol=1e-2)


# Bad input


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            regularized(n_rotations=100),
            r"micro_forest_size times n_rotations \(\d+ x 100 = \d+\) must be at most n_estimators",
        ),
        (
            RegularizedRotationForestClassifier(50),
            r"10 x 25 = 250\) .* \(50\); lower n_rotations or micro_forest_size, or raise",
        ),
        (regularized(micro_forest_size=20), r"20 x 6 = 120\) must be at most n_estimators"),
        (regularized(weighting="cut", h=7), "whole number from 1 to 6"),
        (regularized(weighting="exp", h=6.5), "from 0.1 to 6"),
        (regularized(weighting="best", h=1), "has no parameter h"),
        (regularized(categorical_features=range(4)), "a rotation needs a numeric column"),
        (RandomRotationBoostingClassifier(2, categorical_features=range(4)), "a rotation needs a numeric column"),
        (RandomRotationForestClassifier(tree="extra", drop_worst=0.1), "drop_worst needs out-of-bag errors"),
        (MultiRotationForestClassifier(3, 10, n_best=4), r"n_best \(4\) must be at most n_rotations \(3\)"),
        (RandomRotationForestClassifier(5, n_trees_per_rotation=2), "multiple of n_trees_per_rotation"),
    ],
)
def test_bad_parameters_are_named(estimator, message, iris):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*iris)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomRotationForestClassifier(5, scaling=None),
        regularized(scaling=None),
        MultiRotationForestClassifier(2, 5, scaling=None),
        PooledEnsembleClassifier(RandomRotation(), n_estimators=2, scaling=None),
    ],
    **named,
)
def test_huge_differences_of_scale_are_warned_of(estimator, iris, recwarn):
    X, y = iris
    estimator.fit(X, y)
    assert not [w for w in recwarn if "unscaled" in str(w.message)]
    frame = pd.DataFrame(X * [1, 1, 1e6, 1], columns=["sepal_l", "sepal_w", "petal_l", "petal_w"])
    with pytest.warns(UserWarning, match=r"'petal_l' .* dominate the rotation") as caught:
        estimator.fit(frame, y)
    assert "sepal_l" not in str(caught[0].message)


def test_learners_that_rotate_leave_the_dummies_of_a_pool_alone(iris):
    X, y = iris
    X = np.c_[X[:, 2] > 3, X]  # the dummy comes first; the pool puts it last
    inner = RandomRotationForestClassifier(5, scaling=None)
    clf = PooledEnsembleClassifier(None, inner, n_estimators=2, categorical_features=[0], random_state=0)
    for member in clf.fit(X, y).pool_.members:
        assert member.model.estimator.categorical_features == [4]
    alone = PooledEnsembleClassifier(None, inner, n_estimators=1, categorical_features=range(5)).fit(X > 3, y)
    assert isinstance(alone.pool_.members[0].model.estimator, ForestClassifier)
    told = inner.set_params(categorical_features=[1])
    kept = PooledEnsembleClassifier(None, told, n_estimators=1).fit(X, y).pool_.members[0]
    assert kept.model.estimator.categorical_features == [1]
