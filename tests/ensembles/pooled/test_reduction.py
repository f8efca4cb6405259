"""Ensembles on random projections, random subspaces and diffusion maps."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from rotastack import (
    AdaBoostM1Classifier,
    DiffusionMapEnsembleClassifier,
    PooledEnsembleClassifier,
    RandomProjectionEnsembleClassifier,
    RandomSubspaceEnsembleClassifier,
)
from rotastack.combine import Stacking
from rotastack.trees import C45Classifier
from rotastack.views import DiffusionMap, RandomProjection, RandomSubspace

CASES = [
    (RandomProjectionEnsembleClassifier, RandomProjection),
    (RandomSubspaceEnsembleClassifier, RandomSubspace),
    (DiffusionMapEnsembleClassifier, DiffusionMap),
]
X, y = load_wine(return_X_y=True)


@pytest.mark.parametrize(("ensemble", "view"), CASES)
@pytest.mark.parametrize("estimator", [KNeighborsClassifier(1), C45Classifier()])
def test_it_is_the_pool_of_views_and_inducers(ensemble, view, estimator):
    ours = ensemble(estimator, 5, 4, random_state=0).fit(X[::2], y[::2])
    pool = PooledEnsembleClassifier(view(5), estimator, n_estimators=4, random_state=0).fit(X[::2], y[::2])
    np.testing.assert_array_equal(ours.predict_proba(X), pool.predict_proba(X))


def test_half_of_the_columns_ten_members_and_c45_by_default():
    pool = RandomSubspaceEnsembleClassifier(random_state=0).fit(X, y).pool_
    assert pool.grown.trees.views.widths().tolist() == [7] * 10


def test_boosting_inside_members():
    model = DiffusionMapEnsembleClassifier(GaussianNB(), n_estimators=2, boost=True, random_state=0).fit(X, y)
    boosters = [member.model.estimator for member in model.pool_.members]
    assert all(isinstance(booster, AdaBoostM1Classifier) and booster.resample for booster in boosters)


def test_parameters_of_the_map_reach_it():
    model = DiffusionMapEnsembleClassifier(
        n_estimators=2, epsilon=0.5, n_landmarks=50, extension="kernel", delta=0.01, t=2, random_state=0
    ).fit(X, y)
    view = model.pool_.members[0].view
    assert (view.epsilon_, len(view.landmarks_), view.extension, view.delta, view.t) == (0.5, 50, "kernel", 0.01, 2)


WRONG = [
    ({"n_components": 0}, y, "n_components"),
    ({}, np.zeros(len(X)), "only one class"),
    ({"estimator": LinearRegression()}, y, r"estimator must be a classifier, got LinearRegression\(\)"),
    ({"n_components": 14}, y, "n_components is 14; at most 13, the number of columns"),
]


@pytest.mark.parametrize(
    ("ensemble", "parameters", "target", "message"),
    [(ensemble, *wrong) for ensemble, view in CASES for wrong in WRONG[: 3 if view is DiffusionMap else 4]],
)
def test_bad_input(ensemble, parameters, target, message):
    with pytest.raises(ValueError, match=message):
        ensemble(**parameters).fit(X, target)


@pytest.mark.parametrize(("ensemble", "view"), CASES)
def test_stages_are_ensembles_of_the_first_members(ensemble, view):
    whole = ensemble(GaussianNB(), 5, 7, random_state=0).fit(X[::2], y[::2])
    stages = list(whole.staged_predict_proba(X))
    np.testing.assert_allclose(stages[-1], whole.predict_proba(X), atol=1e-6)
    part = ensemble(GaussianNB(), 5, 3, random_state=0).fit(X[::2], y[::2])
    np.testing.assert_allclose(stages[2], part.predict_proba(X), atol=1e-6)


def test_stages_are_of_members_whose_mean_decides():
    stacked = PooledEnsembleClassifier(None, n_estimators=2, combiner=Stacking(GaussianNB())).fit(X, y)
    with pytest.raises(AttributeError, match="without a combiner"):
        next(stacked.staged_predict_proba(X))
