"""Tables and requests at the edge: nothing crashes, and nothing is silently wrong."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from tests.quick import first

from rotastack import (
    MultiRotationForestClassifier,
    MultiRotationForestRegressor,
    PooledEnsembleClassifier,
    PooledEnsembleRegressor,
    RandomRotationBoostingRegressor,
    RandomRotationForestClassifier,
    RandomRotationForestRegressor,
    RegularizedRotationForestClassifier,
    RotastackRegressor,
)
from rotastack.combine import RotationWeights, Stacking
from rotastack.ensembles.forests.regularized import GrowingForests
from rotastack.ensembles.forests.weightings import RotationWeightingsClassifier
from rotastack.trees import (
    BoostedTreesRegressor,
    ExtraForestRegressor,
    ForestClassifier,
    ForestRegressor,
    LinearViews,
    TrainingRows,
    TreeRegressor,
)
from rotastack.trees.growing import TreeOptions
from rotastack.views import RandomRotation

REGRESSORS = [
    BoostedTreesRegressor(n_bags=2),
    ExtraForestRegressor(20, bootstrap=True),
    ForestRegressor(20),
    MultiRotationForestRegressor(20),
    PooledEnsembleRegressor(RandomRotation(), n_estimators=20, bootstrap=True),
    PooledEnsembleRegressor(RandomRotation(), combiner=Stacking(LinearRegression())),
    RandomRotationBoostingRegressor(4),
    RandomRotationBoostingRegressor(4, engine="histogram"),
    RandomRotationForestRegressor(20),
    RotastackRegressor(10),
    TreeRegressor(min_samples_leaf=5),
]


@pytest.mark.parametrize("regressor", REGRESSORS, ids=lambda e: f"{type(e).__name__}-{getattr(e, 'engine', '')}")
@pytest.mark.parametrize(("unit", "offset"), first(1, [(2.0**-40, 1), (1, 1e10), (2.0**40, 0)]))
def test_the_offset_and_the_unit_of_a_target_change_no_prediction(regressor, unit, offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 4))
    y = X[:, 0] + (X[:, 1] > 0) + 0.1 * rng.normal(size=160)
    y = np.round(y * 2**12) / 2**12  # so that an offset rounds nothing
    one, other = (clone(regressor).set_params(random_state=0) for _ in range(2))
    one.fit(X[:100], y[:100])
    other.fit(X[:100], y[:100] * unit + offset)
    error = np.mean((one.predict(X[100:]) - y[100:]) ** 2)
    moved = (other.predict(X[100:]) - offset) / unit
    assert np.mean((moved - y[100:]) ** 2) == pytest.approx(error, rel=0.25)
    assert error < 0.5 * y.var()
    scales = {"oob_prediction_": (unit, offset), "oob_score_": (1, 0)}
    for name in ("oob_prediction_", "oob_score_", "oob_errors_", "tree_oob_error_"):
        if hasattr(one, name):
            scale, shift = scales.get(name, (unit**2, 0))
            found = (getattr(other, name) - shift) / scale
            np.testing.assert_allclose(np.nanmean(found), np.nanmean(getattr(one, name)), rtol=0.1, atol=0.05)
    if hasattr(one, "feature_importances_"):
        np.testing.assert_allclose(other.feature_importances_, one.feature_importances_, atol=0.05)


FORESTS = [
    RandomRotationForestClassifier(5),
    RandomRotationForestClassifier(5, tree="extra"),
    RandomRotationForestRegressor(5),
    RegularizedRotationForestClassifier(8, 2, 2),
    MultiRotationForestClassifier(2, 5),
    PooledEnsembleClassifier(None, ForestClassifier(5), n_estimators=2),
]


@pytest.mark.parametrize("estimator", FORESTS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize(
    ("column", "options", "message"),
    [
        (
            np.where(np.arange(150) % 3, 1, np.nan),
            {"categorical_features": [0]},
            "contains NaN: categorical column 0, row 0; make missing a category",
        ),
        (np.full(150, 1e39), {"scaling": None}, "value too large for float32: numeric column 0"),
        (
            np.where(np.arange(150) % 2, 1.5e308, -1.5e308),
            {},
            r"column 0 has values from -1.5e\+308 to 1.5e\+308, a range too large",
        ),
    ],
)
def test_values_that_no_tree_can_use_are_refused(estimator, column, options, message, iris):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        clone(estimator).set_params(**{"scaling": "minmax", **options}).fit(np.c_[column, X], y)


def test_a_pool_with_bags_of_its_own_ranks_by_its_own_out_of_bag_errors():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    clf = PooledEnsembleClassifier(
        RandomRotation(), ForestClassifier(20), RotationWeights("oob"), 6, bootstrap=True, random_state=0
    ).fit(X, y)
    assert clf.combiners_[0].order_.tolist() == np.argsort(clf.oob_errors_, kind="stable").tolist()
    assert clf.oob_errors_.min() > 0.3


def test_memory_of_rotations_is_what_they_take():
    rng = np.random.default_rng(0)
    R, p = 40, 100
    rotations = rng.normal(size=(R, p, p)).astype(np.float32)
    views = LinearViews.dense(rotations)
    X, y = rng.normal(size=(60, p)).astype(np.float32), rng.integers(0, 2, 60)
    pool = GrowingForests(TrainingRows(X, y, 2), views, 2, "sqrt", np.random.SeedSequence(0), TreeOptions())
    tracemalloc.start()
    pool.forest(np.full(R, 5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * rotations.nbytes


@pytest.mark.parametrize(
    ("learner", "weighting", "y"),
    [
        (DecisionTreeClassifier(), "linear", np.arange(150) == 0),
        *((LogisticRegression(), weighting, load_iris(return_X_y=True)[1]) for weighting in ("equal", "oob")),
    ],
)
def test_weights_over_members_that_saw_one_class_or_are_no_trees(learner, weighting, y, iris):
    given = {"n_estimators": 8, "bootstrap": True, "random_state": 0}
    clf = PooledEnsembleClassifier(RandomRotation(), learner, RotationWeights(weighting), **given)
    assert clf.fit(iris[0], y).score(iris[0], y) > 0.9


def test_ties_of_votes_survive_float32():
    rng = np.random.default_rng(0)
    n_tied = 0
    for seed in range(10):
        X = rng.integers(0, 5, (60, 2)).astype(float)
        y = rng.integers(0, 2, 60)
        clf = RotationWeightingsClassifier(10, 2, 5, ("equal",), scaling=None, random_state=seed).fit(X, y)
        rows = np.ascontiguousarray(X, dtype=np.float32)
        votes, shares = clf.forest_.hardened().sums(rows), clf.predict_proba(X)
        tied = votes[:, 0] == votes[:, 1]
        n_tied += tied.sum()
        np.testing.assert_array_equal(shares.astype(np.float32).argmax(axis=1), shares.argmax(axis=1))
        sums = np.round(clf.forest_.sums(rows), 9)
        np.testing.assert_array_equal(shares[tied].argmax(axis=1), sums[tied].argmax(axis=1))
        np.testing.assert_allclose(shares, votes / 10, atol=1e-5)
    assert n_tied > 10


GIVEN = RandomRotation.from_matrix(np.eye(2))
OF_ANOTHER_WIDTH = "the view was fitted to 2 columns, but X has 4 numeric columns"


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (RandomRotationForestClassifier(categorical_features=["a"]), "must be column numbers or a mask"),
        (RandomRotationForestClassifier(categorical_features=[0.0, 1.0]), "must be column numbers or a mask"),
        (RandomRotationForestClassifier(categorical_features=[0, 0, 0, 1]), "names a column twice"),
        (RotationWeightingsClassifier(weightings=()), "weightings is empty"),
        (MultiRotationForestClassifier(8, 9, max_features=10, n_best=2), "max_features is 10; at most 8"),
        (PooledEnsembleClassifier(None, ForestClassifier(5), RotationWeights("cut", float("inf"))), "whole number"),
        (PooledEnsembleClassifier(GIVEN, ForestClassifier(5), n_estimators=2), OF_ANOTHER_WIDTH),
        (PooledEnsembleClassifier(GIVEN, DecisionTreeClassifier(), n_estimators=2), OF_ANOTHER_WIDTH),
        (
            PooledEnsembleClassifier(RandomRotation(), ForestClassifier(5), RotationWeights("new"), 3),
            "'new' selects members",
        ),
        (PooledEnsembleRegressor(estimator=DecisionTreeClassifier()), "estimator must be a regressor"),
    ],
)
def test_bad_requests_are_named(estimator, message, iris):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*iris)


def test_dropping_nothing_is_said(iris):
    with pytest.warns(UserWarning, match="drop_worst=0.1 drops none of 5 rotations"):
        RandomRotationForestClassifier(5, drop_worst=0.1).fit(*iris)
    assert len(RandomRotationForestClassifier(100, drop_worst=0.29, random_state=0).fit(*iris).forest_) == 71


@pytest.mark.parametrize("options", [{"flip": True}, {"method": "direct"}])
def test_one_column_is_never_flipped(options):
    assert all(RandomRotation(random_state=s, **options).fit([[1], [2]]).rotation_.item() == 1 for s in range(5))
