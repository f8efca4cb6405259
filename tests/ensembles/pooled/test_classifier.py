import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit, RepeatedKFold, TimeSeriesSplit
from sklearn.tree import DecisionTreeClassifier

from rotastack import (
    DoubleRotationForestClassifier,
    DoubleRotationMarginForestClassifier,
    PooledEnsembleClassifier,
    PooledEnsembleRegressor,
    RandomRotationForestClassifier,
    RotationForestClassifier,
    StackedRotationClassifier,
)
from rotastack.base.combiner import Combiner
from rotastack.combine import LogLinearWeights, Stacking, Voting
from rotastack.combine.pruning import KappaPruner
from rotastack.resampling import fold_groups
from rotastack.seeds import child, root_sequence
from rotastack.trees import ForestClassifier
from rotastack.views import DiscriminantRotation, RandomRotation

X, y = load_iris(return_X_y=True)

MANY = [
    PooledEnsembleClassifier(RandomRotation(), n_estimators=6, bootstrap=True, random_state=3),
    PooledEnsembleClassifier(
        RandomRotation(), combiner=Stacking(LogisticRegression()), cv=3, n_estimators=3, random_state=3
    ),
    RandomRotationForestClassifier(12, n_trees_per_rotation=3, random_state=3),
    RotationForestClassifier(6, random_state=3),
    DoubleRotationForestClassifier(6, random_state=3),
    DoubleRotationMarginForestClassifier(6, random_state=3),
    StackedRotationClassifier(3, n_trees=4, cv=3, random_state=3),
]


@pytest.mark.parametrize("estimator", MANY)
def test_dummies_are_never_rotated_and_missing_values_are_filled(estimator, iris):
    X, y = iris
    X = np.c_[X, (X[:, 0] > 6).astype(float)]
    X[::7, 1] = np.nan
    fitted = clone(estimator).set_params(categorical_features=[4]).fit(X, y)
    assert fitted.score(X, y) > 0.9
    if hasattr(fitted, "forest_"):
        matrices = [fitted.forest_.views.matrix(view) for view in range(len(fitted.forest_.views))]
        assert all((matrix[4] == np.eye(5)[4]).all() and (matrix[:, 4] == np.eye(5)[4]).all() for matrix in matrices)
        return
    for pool in [fitted.pool_] if hasattr(fitted, "pool_") else fitted.nested_pools_.values():
        assert pool.categorical.tolist() == [False] * 4 + [True]
        assert all(m.view is None or m.view.n_features_in_ == 4 for m in pool.members)


def test_all_columns_categorical_and_single_column():
    X = np.array([[0, 1], [1, 0], [0, 0], [1, 1]] * 10, dtype=float)
    y = X[:, 0].astype(int)
    stacked = StackedRotationClassifier(2, n_trees=3, cv=3, categorical_features=[0, 1], random_state=0)
    assert stacked.fit(X, y).score(X, y) == 1
    with pytest.warns(UserWarning, match="only rotation is the identity"):
        clf = RandomRotationForestClassifier(4, random_state=0).fit(X[:, :1], y)
    assert clf.score(X[:, :1], y) == 1
    with pytest.raises(ValueError, match="all 2 columns are in categorical_features; a rotation needs"):
        RandomRotationForestClassifier(categorical_features=[0, 1]).fit(X, y)


def test_families_share_the_members_and_out_of_bag_is_kept_per_family():
    views = [("identity", None, 1), ("rotation", RandomRotation(), 3)]
    clf = PooledEnsembleClassifier(views, n_estimators=10, bootstrap=True, random_state=0).fit(X, y)
    assert [clf.families_.count(n) for n in ("identity", "rotation")] == [3, 7]
    assert set(clf.oob_family_errors_) == {"identity", "rotation"}
    assert 0.85 < clf.oob_score_ <= 1


def test_class_absent_from_a_training_set_has_probability_zero():
    X, y = np.random.default_rng(0).normal(size=(31, 3)), np.repeat(["a", "b", "rare"], [15, 15, 1])
    clf = StackedRotationClassifier(2, n_trees=3, cv=3, random_state=0).fit(X, y)
    assert clf.oof_proba_[30, 2] == 0
    assert np.isfinite(clf.oof_proba_).all()


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (StackedRotationClassifier(cv=5), "4 rows cannot be split into 5 folds"),
        (StackedRotationClassifier(cv=2), "'cv' parameter"),
        (StackedRotationClassifier(cv="five"), "Expected `?cv`? as an integer"),
        (
            StackedRotationClassifier(cv=TimeSeriesSplit(3)),
            "cv must hold out each of the 4 rows once; the 3 test sets have 3 rows, 3 of them different",
        ),
        (
            PooledEnsembleRegressor(combiner=Stacking(LinearRegression()), cv=RepeatedKFold(n_splits=3, n_repeats=2)),
            "cv must hold out each of the 4 rows once; the 6 test sets have 8 rows, 4 of them different",
        ),
        (
            StackedRotationClassifier(cv=KFold(2)),
            "at least 3 folds are needed; outside folds 0 and 1 of 2 no rows are left",
        ),
        (PooledEnsembleClassifier(categorical_features=[7]), "column numbers from 0 to 3"),
        *(
            (PooledEnsembleClassifier([("a", None, share)]), "positive sum")
            for share in (0, float("nan"), float("inf"))
        ),
        (PooledEnsembleClassifier([("a", None)]), r"a list of \(name, transformer, share\)"),
    ],
)
def test_bad_input_is_named(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize(
    "estimator",
    [
        StackedRotationClassifier(2, n_trees=3, cv=3, random_state=0),
        StackedRotationClassifier(2, n_trees=3, cv=3, refit=True, random_state=0),
        PooledEnsembleRegressor(
            RandomRotation(), combiner=Stacking(LinearRegression()), n_estimators=2, cv=3, random_state=0
        ),
    ],
)
def test_a_splitter_and_lists_of_rows_give_what_the_number_of_the_same_folds_gives(estimator):
    strata = y if "refit" in estimator.get_params() else np.zeros(len(y))
    folds = fold_groups(strata, 1, 3, child(root_sequence(0), "folds"))[0]
    splitter = PredefinedSplit(folds)
    fitted = clone(estimator).fit(X, y)
    for cv in (splitter, list(splitter.split()), iter(splitter.split())):
        again = clone(estimator).set_params(cv=cv).fit(X, y)
        assert again.predict(X).tobytes() == fitted.predict(X).tobytes()
        if hasattr(fitted, "folds_"):
            assert again.folds_.tolist() == fitted.folds_.tolist() == folds.tolist()
            assert again.oof_proba_.tobytes() == fitted.oof_proba_.tobytes()
    other = clone(estimator).set_params(cv=KFold(3)).fit(X, y)
    assert other.predict(X).tobytes() != fitted.predict(X).tobytes()


def test_a_splitter_of_ones_own_sees_the_table_and_labels_as_given(iris):
    class ByColumn:
        def get_n_splits(self, X=None, y=None, groups=None):
            return 3

        def split(self, X, y, groups=None):
            assert set(y) == {"a", "b", "c"}
            return [(np.flatnonzero(X["third"] != k), np.flatnonzero(X["third"] == k)) for k in range(3)]

    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd")).assign(third=np.arange(len(y)) % 3)
    clf = StackedRotationClassifier(2, n_trees=3, cv=ByColumn(), random_state=0).fit(frame, np.array(list("abc"))[y])
    assert clf.folds_.tolist() == frame["third"].tolist()


def test_prediction_is_the_mean_of_the_cross_validated_models():
    clf = StackedRotationClassifier(2, n_trees=3, cv=3, random_state=1).fit(X, y)
    decisions = []
    for h, pairs in enumerate([("0-1", "0-2"), ("0-1", "1-2"), ("0-2", "1-2")]):
        seen = np.mean([clf.nested_pools_[pair].outputs(X) for pair in pairs], axis=0, dtype=float)
        decisions.append(clf.combiners_[h].predict_proba(seen.astype(np.float32)))
    expected = np.mean(decisions, axis=0)
    np.testing.assert_allclose(clf.predict_proba(X), expected / expected.sum(axis=1, keepdims=True))
    assert len(clf.stack_) == 3


class Best(Combiner):
    """The member with the fewest errors on its out-of-bag rows decides."""

    def _fit_to(self, members):
        votes, y, _ = members.votes()
        fitted = clone(self)
        fitted.best_ = int(((votes != y[:, None]) & (votes >= 0)).sum(axis=0).argmin())
        return fitted

    def predict_proba(self, outputs):
        return outputs[self.best_]


def test_a_new_combiner_is_one_class():
    clf = PooledEnsembleClassifier(RandomRotation(), None, Best(), 5, bootstrap=True, random_state=0).fit(X, y)
    best = clf.combiners_[0].best_
    assert best == clf.oob_errors_.argmin()
    np.testing.assert_array_equal(clf.predict(X), clf.member_votes(X)[:, best])
    named = clone(clf).fit(X, np.array(["a", "b", "c"])[y])
    np.testing.assert_array_equal(named.predict(X), named.member_votes(X)[:, named.combiners_[0].best_])


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        *((PooledEnsembleRegressor(combiner=c), "needs votes for classes") for c in (Best(), KappaPruner())),
        (
            PooledEnsembleRegressor([("id", None, 1), ("lda", DiscriminantRotation(), 1)], n_estimators=2),
            "view DiscriminantRotation.* needs class labels",
        ),
        (PooledEnsembleRegressor(combiner=LogLinearWeights()), "a combiner that is not trained"),
        (PooledEnsembleRegressor(combiner=Voting("hard")), "no votes to count"),
    ],
)
def test_a_regression_has_no_classes(pool, message):
    X = np.arange(40.0).reshape(20, 2)
    with pytest.raises(ValueError, match=message):
        pool.fit(X, X[:, 0])


def test_a_member_keeps_its_view_in_all_trainings(iris):
    """Level 1 needs columns that mean the same in every fold."""
    level_1 = Stacking(LogisticRegression(max_iter=1000))
    clf = PooledEnsembleClassifier(RandomRotation(), combiner=level_1, n_estimators=3, cv=3, random_state=0).fit(*iris)
    views = np.array([[member.view.block_ for member in pool.members] for pool in clf.nested_pools_.values()])
    assert (views == views[0]).all()
    assert (views[0, 0] != views[0, 1]).any()


def test_the_numbers_of_a_drawn_view_are_stored_once():
    X, y = np.random.default_rng(0).normal(size=(30, 70)), np.arange(30) % 2
    clf = PooledEnsembleClassifier(RandomRotation(), ForestClassifier(2), n_estimators=5, random_state=0).fit(X, y)
    assert len(pickle.dumps(clf)) < 1.5 * clf.pool_.grown.trees.views.matrices.nbytes
    nested = StackedRotationClassifier(4, n_trees=2, cv=3, random_state=0).fit(X, y).nested_pools_
    assert len({id(pool.grown.trees.views) for pool in nested.values()}) == 1
    for pool in (clf.pool_, nested["0-1"]):
        for k, member in enumerate(pool.members):
            if member.view is not None:
                matrix = pool.grown.trees.views.matrix(k)
                np.testing.assert_array_equal(matrix, member.view.block_.astype(np.float32))


def test_a_second_fit_forgets_the_first():
    clf = PooledEnsembleClassifier(RandomRotation(), n_estimators=4, bootstrap=True, random_state=0).fit(X, y)
    clf.set_params(combiner=Stacking(LogisticRegression(max_iter=1000)), cv=3).fit(X, (y + 1) % 3)
    assert not hasattr(clf, "pool_")
    assert not hasattr(clf, "oob_score_")
    assert (clf.predict(X) == (y + 1) % 3).mean() > 0.9


def test_blocks_of_rows_do_not_change_predictions(monkeypatch):
    clf = PooledEnsembleClassifier(RandomRotation(), n_estimators=6, random_state=0).fit(X, y)
    whole = clf.predict_proba(X)
    monkeypatch.setattr("rotastack.ensembles.pooled.pooled._BLOCK", 100)
    assert (clf.predict_proba(X) == whole).all()


class Blank(DecisionTreeClassifier):
    """A tree that knows nothing of the first row."""

    def predict_proba(self, X):
        return np.where(np.arange(len(X))[:, None] == 0, np.nan, super().predict_proba(X))


@pytest.mark.parametrize("combiner", [None, Voting("hard"), KappaPruner(2)])
def test_a_member_that_predicts_no_number_is_named_and_not_taken_for_the_first_class(combiner):
    X = np.random.default_rng(0).normal(size=(60, 3))
    pool = PooledEnsembleClassifier(None, Blank(), combiner, 4, random_state=0)
    with pytest.raises(ValueError, match="Blank predicted NaN or infinity for 1 of"):
        pool.fit(X, X[:, 1] > 0).predict(X)
