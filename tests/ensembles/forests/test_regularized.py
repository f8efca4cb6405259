"""Regularised rotation forests: counts, shared trees, votes."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from rotastack import PooledEnsembleClassifier, RegularizedRotationForestClassifier
from rotastack.combine import RotationWeights
from rotastack.ensembles.forests.regularized import GrowingForests
from rotastack.trees import ForestClassifier, LinearViews, TrainingRows
from rotastack.trees.growing import TreeOptions
from rotastack.views import RandomRotation

X, y = load_iris(return_X_y=True)


def regularized(**options):
    settings = {"n_estimators": 90, "n_rotations": 6, "micro_forest_size": 5, "random_state": 2} | options
    return RegularizedRotationForestClassifier(**settings)


def test_facts_of_a_regularized_forest():
    clf = regularized(weighting="linear").fit(X, y)
    assert len(clf.forest_) == 90
    np.testing.assert_array_equal(clf.rotations_[0], np.eye(4))
    order = np.argsort(clf.complexity_, kind="stable")
    assert (np.diff(clf.trees_per_rotation_[order]) <= 0).all()
    np.testing.assert_array_equal(np.bincount(clf.forest_.tree_view, minlength=6), clf.trees_per_rotation_)
    # complexity and error of the micro-forests, by hand
    facts = clf.forest_.complexity()
    micro = np.flatnonzero(clf.forest_.tree_view == order[0])[:5]
    by_hand = np.median(facts["n_nodes"][micro]) + facts["depth"][micro].mean() / len(X)
    assert clf.complexity_[order[0]] == pytest.approx(by_hand)
    assert clf.oob_error_.max() < 0.3


def test_rotations_are_stored_once():
    X, y = np.random.default_rng(0).normal(size=(30, 60)), np.arange(30) % 2
    clf = regularized().fit(np.c_[X, y], y)
    assert clf.rotations_.shape == (6, 61, 61)
    assert np.shares_memory(clf.rotations_, clf.forest_.views.matrices)
    stored = pickle.dumps(clf)
    np.testing.assert_array_equal(pickle.loads(stored).rotations_, clf.rotations_)
    assert len(stored) < 1.5 * clf.rotations_.nbytes


def test_votes_of_many_weightings_are_those_of_each_forest():
    X32 = np.ascontiguousarray(X, dtype=np.float32)
    rotations = np.stack([np.eye(4), *(RandomRotation(random_state=s).fit(X).rotation_ for s in range(5))])
    views = LinearViews.dense(rotations)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(150) < 0.2, rng.integers(0, 3, 150), y)
    repeated = np.repeat(X32[:75], 2, axis=0)  # equal rows of different classes: impure leaves

    def pool():
        return GrowingForests(
            TrainingRows(repeated, noisy, 3), views, 4, "sqrt", np.random.SeedSequence(7), TreeOptions()
        )

    together = pool()
    counts = [
        RotationWeights(w).rank(together.complexity, together.oob_error).counts(60)
        for w in ("equal", "cut", "exp", "best", "new", "linear", "oob", "joint")
    ]
    shares, facts = together.vote_shares(X32, counts)
    for k, wanted in enumerate(counts):
        alone = pool().forest(wanted)
        np.testing.assert_allclose(alone.vote_shares(X32), shares[k], atol=1e-12)
        nodes, depth = (alone.complexity()[name] for name in ("n_nodes", "depth"))
        by_hand = {"n_nodes": nodes.mean(), "median_nodes": np.median(nodes), "depth": depth.mean()}
        assert {name: facts[k][name] for name in by_hand} == pytest.approx(by_hand)
    assert together.size.sum() < sum(int(c.sum()) for c in counts)


def test_rotation_weights_combine_any_pool_of_trees():
    views = [("identity", None, 1), ("rotation", RandomRotation(), 5)]
    clf = PooledEnsembleClassifier(
        views, ForestClassifier(8), RotationWeights("linear"), n_estimators=6, random_state=0
    ).fit(X, y)
    facts = [(m.n_nodes + m.depth / len(X)) for m in clf.pool_.members]
    order = np.argsort(facts, kind="stable")
    np.testing.assert_allclose(clf.combiners_[0].weights_[order], np.arange(6, 0, -1) / 21)
    single = PooledEnsembleClassifier(
        RandomRotation(), DecisionTreeClassifier(), RotationWeights("oob"), 8, bootstrap=True, random_state=0
    ).fit(X, y)
    assert single.combiners_[0].order_[0] == np.argmin(single.oob_errors_)


@pytest.mark.parametrize(("flip", "signs"), [(True, {-1.0, 1.0}), (False, {1.0})])
def test_drawn_rotations_may_be_reflections(iris, flip, signs):
    clf = regularized(flip=flip, n_rotations=15).fit(*iris)
    assert set(np.sign(np.linalg.det(clf.rotations_[1:].astype(float)))) == signs
