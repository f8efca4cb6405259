"""AdaBoost.M1 over classifiers of any kind, and over compiled trees."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from rotastack import AdaBoostM1Classifier, PrunedEnsembleClassifier
from rotastack.combine.pruning import KappaPruner
from rotastack.ensembles.voters import voters_of
from rotastack.trees import C45Classifier, ForestClassifier, TreeClassifier

X, y = load_iris(return_X_y=True)

NEAREST = KNeighborsClassifier(1)


class Wrapped(ClassifierMixin, BaseEstimator):
    """A classifier that is no tree to the eye, and remembers what it was given."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None):
        self.given_ = X, y, sample_weight
        self.estimator_ = clone(self.estimator).fit(X, y, sample_weight=sample_weight)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X):
        return self.estimator_.predict(X)


class Constant(ClassifierMixin, BaseEstimator):
    """Always class 0 of its sample; draws a number."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Counted(Wrapped):
    """Counts the rows of each fit."""

    fits: ClassVar[list[int]] = []

    def fit(self, X, y, sample_weight=None):
        self.fits.append(len(X))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("resample", "fits"), [(True, [40] * 10), (False, [40])])
def test_a_sample_without_errors_is_drawn_ten_times(resample, fits):
    X = np.repeat([[0.0], [1.0]], 20, axis=0)  # any row is told by any other of its class
    Counted.fits.clear()
    clf = AdaBoostM1Classifier(5, Counted(GaussianNB()), resample=resample, random_state=0).fit(X, X[:, 0] > 0.5)
    assert Counted.fits == fits
    assert (clf.estimator_weights_.tolist(), clf.estimator_errors_.tolist()) == ([1.0], [0.0])


@pytest.mark.parametrize("share", [0.4, 0.6])
def test_a_useless_later_member_is_left_out(share):
    """Of 10 rows, the constant errs on a share; after a round of 0.4 both classes weigh the same, and it errs on half."""
    clf = AdaBoostM1Classifier(10, Constant()).fit(np.zeros((10, 1)), np.arange(10) < 10 * share)
    assert (clf.estimator_errors_.tolist(), len(clf.estimator_weights_)) == (pytest.approx([share]), 1)
    assert clf.estimator_weights_ == 1.0 or share < 0.5


def test_a_restart_goes_on_from_the_first_weights():
    """Pruned trees soon meet weights with which they err on half; then their sequence begins again."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :4]
    tree = TreeClassifier(max_depth=1, ccp_alpha=0.04)
    cycle = AdaBoostM1Classifier(40, tree, random_state=0).fit(X, y)
    length = len(cycle.forest_)
    assert 1 < length < 40
    clf = AdaBoostM1Classifier(3 * length + 1, tree, restart=True, random_state=0).fit(X, y)
    assert len(clf.forest_) == 3 * length + 1
    repeated = np.resize(np.arange(length), 3 * length + 1)
    np.testing.assert_allclose(clf.estimator_errors_, cycle.estimator_errors_[repeated])
    np.testing.assert_array_equal(clf.tree_votes(X), cycle.tree_votes(X)[:, repeated])
    weights = np.where(np.arange(len(y)) % 2, 1.0, 3.0)
    perfect = AdaBoostM1Classifier(3, Wrapped(DecisionTreeClassifier()), restart=True).fit(X, y, sample_weight=weights)
    assert perfect.estimator_weights_.tolist() == [1.0] * 3
    np.testing.assert_allclose(perfect.estimators_[1].given_[2], weights / weights.mean())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (GaussianNB(), GaussianNB()),
        (Wrapped(DecisionTreeClassifier(max_depth=1)), Wrapped(DecisionTreeClassifier(max_depth=1))),
        (TreeClassifier(max_depth=1), DecisionTreeClassifier(max_depth=1)),
    ],
)
def test_two_classes_are_samme(ours, theirs):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    ours = AdaBoostM1Classifier(12, ours, random_state=0).fit(X[::2], y[::2])
    theirs = AdaBoostClassifier(theirs, n_estimators=12, random_state=0).fit(X[::2], y[::2])
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, atol=1e-9)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, atol=1e-7)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("resample", [False, True])
def test_the_rule_is_that_of_compiled_trees(resample):
    X, y = load_wine(return_X_y=True)
    tree = C45Classifier()  # draws nothing, so ties end the same
    compiled = AdaBoostM1Classifier(6, tree, resample=resample, random_state=1).fit(X, y)
    general = AdaBoostM1Classifier(6, Wrapped(tree), resample=resample, random_state=1).fit(X, y)
    np.testing.assert_allclose(general.estimator_errors_, compiled.estimator_errors_, atol=1e-9)
    assert (general.tree_votes(X) == compiled.tree_votes(X)).all()
    np.testing.assert_allclose(general.predict_proba(X), compiled.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("estimator", [NEAREST, XGBClassifier(n_estimators=2), GaussianNB()])
def test_samples_may_miss_classes(estimator):
    rng = np.random.default_rng(0)
    y = np.array([2] + [5] * 30 + [7] * 30 + [9] * 2)  # a sample has no row of 2, or of 9, now and then
    X = y[:, None] + rng.normal(size=(len(y), 2))
    fitted = [AdaBoostM1Classifier(2, estimator, resample=True, random_state=s).fit(X, y) for s in range(5)]
    assert any(0 not in classes for clf in fitted for classes in clf.estimators_classes_)
    for clf in fitted:
        for votes, member, classes in zip(clf.tree_votes(X).T, clf.estimators_, clf.estimators_classes_, strict=True):
            assert (votes == np.array([2, 5, 7, 9])[classes][member.predict(X)]).all()
        assert clf.score(X, y) > 0.8


def test_a_sample_of_one_class():
    X, y = np.arange(3.0)[:, None], ["a", "a", "b"]
    for seed in range(5):
        clf = AdaBoostM1Classifier(5, LogisticRegression(), resample=True, random_state=seed).fit(X, y)
        assert set(clf.predict(X)) <= {"a", "b"}


def test_rows_without_weight_are_left_out():
    weights = np.r_[np.zeros(50), np.ones(100)]
    clf = AdaBoostM1Classifier(3, GaussianNB()).fit(X, y, sample_weight=weights)
    assert clf.classes_.tolist() == [0, 1, 2]
    assert [c.tolist() for c in clf.estimators_classes_] == [[1, 2]] * len(clf.estimators_)
    assert (clf.predict_proba(X)[:, 0] == 0).all()
    without = AdaBoostM1Classifier(3, GaussianNB()).fit(X[50:], y[50:])
    np.testing.assert_allclose(clf.estimator_errors_, without.estimator_errors_)


def test_seeds():
    X, y = load_wine(return_X_y=True)
    make = lambda seed, **given: AdaBoostM1Classifier(4, random_state=seed, **given).fit(X, y)  # noqa: E731
    drawn = [make(seed, estimator=NEAREST, resample=True).predict_proba(X) for seed in (0, 1)]
    assert (drawn[0] != drawn[1]).any()
    nested = make_pipeline(StandardScaler(), ForestClassifier(2, max_depth=1, random_state=3))
    clf = make(0, estimator=nested, resample=True)
    assert len({member[-1].random_state for member in clf.estimators_}) == len(clf.estimators_) > 1
    again = make(0, estimator=nested.set_params(forestclassifier__random_state=4), resample=True)
    assert (clf.predict_proba(X) == again.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (NEAREST, "KNeighborsClassifier.fit has no parameter sample_weight; set resample=True"),
        (LinearRegression(), "estimator must be a classifier, got LinearRegression"),
        (DecisionTreeClassifier(class_weight="balanced"), "class_weight is not supported"),
    ],
)
def test_what_cannot_be_boosted_is_refused(estimator, message):
    with pytest.raises(ValueError, match=message):
        AdaBoostM1Classifier(3, estimator).fit(*load_iris(return_X_y=True))


def test_members_are_voters_and_can_be_pruned():
    labels = np.array([2, 0, 5])[y]  # numbers of classes are labels of others
    boosted = AdaBoostM1Classifier(8, GaussianNB(), resample=True, random_state=0).fit(X, labels)
    assert (voters_of(boosted).weights() == boosted.estimator_weights_).all()
    pruned = PrunedEnsembleClassifier(boosted, KappaPruner(3), "train").fit(X, labels)
    assert len(pruned.voters_) == 3
    assert (pruned.member_votes(X) == boosted.tree_votes(X)[:, pruned.selected_]).all()


def test_missing_values_go_to_those_who_take_them():
    X, y = load_iris(return_X_y=True)
    X[::7, 2] = np.nan
    for member in (HistGradientBoostingClassifier(max_iter=3), TreeClassifier(max_depth=2)):
        assert AdaBoostM1Classifier(2, member, random_state=0).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostM1Classifier(2, GaussianNB()).fit(X, y)
