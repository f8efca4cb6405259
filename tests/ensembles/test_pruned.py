"""PrunedEnsembleClassifier over scikit-learn's ensembles and ours."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from rotastack import (
    PooledEnsembleClassifier,
    PrunedEnsembleClassifier,
    RandomRotationForestClassifier,
    RegularizedRotationForestClassifier,
    RotationForestClassifier,
)
from rotastack.combine.pruning import KappaPruner, MarginPruner, MeanDMPruner, QMMPruner
from rotastack.ensembles.voters import voters_of
from rotastack.trees import ExtraForestClassifier, ForestClassifier
from rotastack.views import RandomRotation

X, y = load_iris(return_X_y=True)

ENSEMBLES = [
    (RandomForestClassifier(20), "oob"),
    (RandomForestClassifier(20, max_samples=0.5), "oob"),
    (ExtraTreesClassifier(20), 0.3),
    (BaggingClassifier(DecisionTreeClassifier(), 20, max_features=0.6), "oob"),
    (BaggingClassifier(GaussianNB(), 15, bootstrap=False, max_samples=0.5), "train"),
    (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=20), "train"),
    (VotingClassifier([("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))], weights=[2, 1]), "train"),
    (ForestClassifier(20), "oob"),
    (ExtraForestClassifier(20), 0.3),
    (RandomRotationForestClassifier(20), "oob"),
    (RegularizedRotationForestClassifier(20, n_rotations=4, micro_forest_size=3), "oob"),
    (PooledEnsembleClassifier(RandomRotation(), n_estimators=15, bootstrap=True), "oob"),
    (PooledEnsembleClassifier(RandomRotation(), ForestClassifier(3), n_estimators=8), "train"),
]


@pytest.mark.parametrize(
    ("ensemble", "selection"), ENSEMBLES, ids=lambda e: type(e).__name__ if not isinstance(e, (str, float)) else str(e)
)
@pytest.mark.parametrize("labels", ["numbers from 1", "names"])
def test_members_kept_vote_as_they_did_in_the_ensemble(ensemble, selection, labels):
    X, y = load_wine(return_X_y=True)
    y = y + 1 if labels == "numbers from 1" else np.array(["red", "green", "blue"])[y]
    X, Z, y, t = train_test_split(X, y, random_state=0, stratify=y)
    pruned = PrunedEnsembleClassifier(ensemble, MeanDMPruner(0.4), selection, random_state=0).fit(X, y)
    assert set(np.unique(pruned.member_votes(Z))) <= set(pruned.classes_)
    assert pruned.score(Z, t) > 0.7
    # The same ensemble, unpruned, and by hand the votes of its members of the same numbers.
    again = PrunedEnsembleClassifier(ensemble, MeanDMPruner(1.0), selection, random_state=0).fit(X, y)
    all_votes = again.member_votes(Z)[:, np.argsort(again.selected_)]
    assert (all_votes[:, pruned.selected_] == pruned.member_votes(Z)).all()


@pytest.mark.parametrize("ensemble", [RandomForestClassifier(30), ForestClassifier(30)])
def test_votes_out_of_bag_are_those_of_members_that_have_not_seen_the_row(ensemble):
    voters = voters_of(ensemble.set_params(random_state=0).fit(X, y))
    out, right = voters.out_of_bag(len(y)), voters.votes(X) == y[:, None]
    assert 0.3 < out.mean() < 0.43
    assert right[~out].mean() > 0.98 > right[out].mean()  # members fit the rows of their bags


@pytest.mark.parametrize("ensemble", [RandomForestClassifier(40), ForestClassifier(40)])
def test_a_pruned_ensemble_lets_the_other_members_go(ensemble):
    X, y = load_breast_cancer(return_X_y=True)
    few, whole = (PrunedEnsembleClassifier(ensemble, KappaPruner(n), random_state=0).fit(X, y) for n in (5, 40))
    assert len(few.voters_) == 5
    assert len(pickle.dumps(few)) < 0.3 * len(pickle.dumps(whole))


def test_weights_of_boosting_reach_the_pruner():
    X, y = load_breast_cancer(return_X_y=True)
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=30, random_state=0).fit(X, y)
    pruned = PrunedEnsembleClassifier(FrozenEstimator(boosted), QMMPruner(), "train").fit(X, y)
    assert pruned.pruner_.v_ == 0.5  # the default where original weights differ
    whole = PrunedEnsembleClassifier(FrozenEstimator(boosted), KappaPruner(30, vote="weighted"), "train").fit(X, y)
    assert (whole.predict(X) == boosted.predict(X)).all()


def test_a_pruner_as_combiner_of_a_pool():
    X, y = load_wine(return_X_y=True)
    given = {"n_estimators": 25, "bootstrap": True, "random_state": 0}
    pool = PooledEnsembleClassifier(RandomRotation(), combiner=MarginPruner(), **given).fit(X, y)
    pruner = pool.combiners_[0]
    assert len(pool.pool_.members) == pruner.n_selected_ < 25
    whole = PooledEnsembleClassifier(RandomRotation(), **given).fit(X, y)
    assert (whole.member_votes(X)[:, pruner.selected_] == pool.member_votes(X)).all()
    together = PooledEnsembleClassifier(RandomRotation(), ForestClassifier(5), MeanDMPruner(4), 10, random_state=0)
    assert together.fit(X, y).pool_.outputs(X).shape == (4, len(y), 3)


def test_a_pruner_without_shares_of_votes_is_refused_before_training():
    pruner = VotingClassifier([])
    pruner.combine = pruner.predict
    with pytest.raises(ValueError, match="'pruner' parameter .* 'fit' and 'kept_shares'"):
        PrunedEnsembleClassifier(RandomForestClassifier(3), pruner).fit(X, y)


@pytest.mark.parametrize(
    ("ensemble", "selection", "message"),
    [
        (RandomForestRegressor(5), "oob", "RandomForestRegressor is not a classifier"),
        (LogisticRegression(), "train", r"LogisticRegression is not an ensemble: attribute estimators_ is missing"),
        (GradientBoostingClassifier(n_estimators=3), "train", "are DecisionTreeRegressor, not classifiers"),
        (AdaBoostClassifier(n_estimators=3), "oob", "the training rows of the members are unknown"),
        (ExtraTreesClassifier(3), "oob", "the training rows of the members are unknown"),
        (BaggingClassifier(n_estimators=3, bootstrap=False), "oob", "the training rows of the members are unknown"),
        (ExtraForestClassifier(3), "oob", "no bootstrap samples of their own"),
        (PooledEnsembleClassifier(n_estimators=3), "oob", "a member has no bootstrap sample of its own"),
        (RotationForestClassifier(3), "oob", "selection='oob' needs members with out-of-bag rows"),
        (RandomForestClassifier(3), "all", "'selection' parameter"),
        (
            FrozenEstimator(RandomForestClassifier(3).fit(*load_iris(return_X_y=True))),
            "oob",
            "RandomForestClassifier: the fitted .* train it with oob_score=True",
        ),
    ],
)
def test_what_cannot_be_pruned(ensemble, selection, message):
    with pytest.raises(ValueError, match=message):
        PrunedEnsembleClassifier(ensemble, MeanDMPruner(), selection).fit(X, y)


FITTED = [
    RandomForestClassifier(20, oob_score=True, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=4), 20, max_features=0.6, oob_score=True, random_state=0),
    ForestClassifier(20, random_state=0),
    RandomRotationForestClassifier(20, random_state=0),
    PooledEnsembleClassifier(RandomRotation(), n_estimators=20, bootstrap=True, random_state=0),
]


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("ensemble", FITTED, ids=lambda ensemble: type(ensemble).__name__)
@pytest.mark.parametrize("n_new", [30, 60, 90])
def test_a_fitted_ensemble_has_bags_of_its_own_rows_only(ensemble, n_new):
    order = np.random.default_rng(0).permutation(len(y))
    own, new = order[:60], order[60 : 60 + n_new]
    frozen = FrozenEstimator(clone(ensemble).fit(X[own], y[own]))
    pruned = PrunedEnsembleClassifier(frozen, KappaPruner(5)).fit(X[new], y[new])
    by_all = PrunedEnsembleClassifier(frozen, KappaPruner(5), "train").fit(X[new], y[new])
    assert pruned.selected_.tolist() == by_all.selected_.tolist()
    with pytest.raises(ValueError, match=f"the {n_new} rows are not its training rows"):
        PrunedEnsembleClassifier(frozen, KappaPruner(5), "oob").fit(X[new], y[new])
    if n_new == 60:
        by_bags = PrunedEnsembleClassifier(frozen, KappaPruner(5), "oob").fit(X[own], y[own])
        voters = voters_of(frozen)
        votes = np.where(voters.out_of_bag(60), voters.votes(X[own]), -1)
        assert by_bags.selected_.tolist() == KappaPruner(5).fit(votes, y[own]).selected_.tolist()


def test_new_rows_may_lack_a_class_of_the_fitted_forest():
    forest = ForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    new = np.flatnonzero(y > 0)
    pruned = PrunedEnsembleClassifier(FrozenEstimator(forest), KappaPruner(5)).fit(X[new], y[new])
    assert pruned.classes_.tolist() == [0, 1, 2]
    assert pruned.score(X, y) > 0.9


def test_numbers_of_classes_are_not_taken_for_labels():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, 3, 2)
    y[0] = 1  # a class that no small sample holds: members know the numbers 1 and 2
    bagging = BaggingClassifier(GaussianNB(), n_estimators=5, max_samples=0.1, random_state=5)
    whole = bagging.fit(X, y).score(X, y)
    assert PrunedEnsembleClassifier(bagging, KappaPruner(1.0)).fit(X, y).score(X, y) > whole - 0.1


def test_members_without_bags_are_pruned_on_held_out_rows():
    """Rotation Forest's trees have no out-of-bag rows; the default is then that of a share of held-out rows."""
    forest = RotationForestClassifier(10, random_state=0)
    by_default, stated = (
        PrunedEnsembleClassifier(forest, selection=selection, random_state=0).fit(X, y) for selection in (None, 0.25)
    )
    assert by_default.selected_.tolist() == stated.selected_.tolist()
    np.testing.assert_array_equal(by_default.predict_proba(X), stated.predict_proba(X))
