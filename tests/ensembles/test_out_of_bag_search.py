"""The search by out-of-bag error, and stackers of more than two levels."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import ParameterGrid
from sklearn.naive_bayes import GaussianNB

from rotastack import OutOfBagSearchClassifier, StackedRotationClassifier
from rotastack.combine import Stacking
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.trees import ForestClassifier
from rotastack.views import RandomRotation

X, y = load_iris(return_X_y=True)


def test_the_parameters_of_least_out_of_bag_error_win():
    forest, grid = ForestClassifier(20, random_state=1), {"max_depth": [1, 2, 4], "max_features": [1, 4]}
    search = OutOfBagSearchClassifier(forest, grid).fit(X, y)
    forests = [clone(forest).set_params(**given).fit(X, y) for given in ParameterGrid(grid)]
    best = max(forests, key=lambda fitted: fitted.oob_score_)
    assert search.best_params_ == {name: getattr(best, name) for name in grid}
    np.testing.assert_array_equal(search.predict_proba(X), best.predict_proba(X))


def test_without_an_out_of_bag_score_the_estimator_is_named():
    with pytest.raises(ValueError, match="an out-of-bag score, got GaussianNB"):
        OutOfBagSearchClassifier(GaussianNB(), {"var_smoothing": [1e-9]}).fit(X, y)


def test_each_member_of_a_stacked_pool_searches_by_itself():
    search = OutOfBagSearchClassifier(ForestClassifier(5), {"max_features": [1, 4]})
    first, again = (StackedRotationClassifier(3, search, cv=3, random_state=0).fit(X, y) for _ in range(2))
    found = [m.model.estimator.best_params_["max_features"] for p in first.nested_pools_.values() for m in p.members]
    assert set(found) == {1, 4}
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))


def test_the_combiner_of_a_stacked_pool_may_be_stacked():
    """Three levels: forests on rotations, forests on rotations of their outputs, and a forest of these."""
    inner = StackedRotationClassifier(2, n_trees=4, cv=3)
    clf = PooledEnsembleClassifier(RandomRotation(), ForestClassifier(4), Stacking(inner), 3, cv=3, random_state=0).fit(
        X, y
    )
    for fold, combiner in enumerate(clf.combiners_):
        level = combiner.model_.estimator
        assert len(level.stack_) == 3
        assert len(level.folds_) == (clf.folds_ != fold).sum()  # no level sees a row of the outer fold
    assert (clf.oof_proba_.argmax(axis=1) == y).mean() > 0.9
