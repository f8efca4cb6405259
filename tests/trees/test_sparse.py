"""Columns of few ones are listed by their rows: the trees are those of the same columns times two, which are not."""

import numpy as np
import pytest
from sklearn.base import clone

from rotastack.trees import ExtraForestClassifier, ExtraForestRegressor, ForestClassifier, ForestRegressor
from rotastack.trees.nodes import split_columns

# two numbers, a category of 40 values as dummies, and a column that is mostly one
rng = np.random.default_rng(0)
category = rng.integers(0, 40, 400)
dummies = (category[:, None] == np.arange(1, 40)).astype(float)
X = np.hstack([rng.standard_normal((400, 2)), dummies, rng.random((400, 1)) < 0.8]).astype(np.float32)
score = X[:, 0] + rng.standard_normal(40)[category] + X[:, -1]
DUMMIES = slice(2, 41)


def doubled(X):
    X = X.copy()
    X[:, DUMMIES] *= 2
    return X


def same_splits(one, other):
    """Tell whether forests split on the same columns, and end in the same leaves."""
    return all((one.forest_.nodes[name] == other.forest_.nodes[name]).all() for name in ("column", "child"))


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(
    "forest",
    [
        ForestClassifier(20),
        ForestClassifier(20, min_samples_leaf=3),
        ExtraForestClassifier(20, n_cuts=2, bootstrap=True),
        ForestClassifier(20, class_weight="balanced"),
        ForestClassifier(20, max_depth=5),
        ForestClassifier(20, criterion="entropy"),
    ],
)
def test_the_trees_of_a_classifier_are_the_same(forest, n_classes):
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]), score)
    a, b = (clone(forest).set_params(random_state=0).fit(rows, y) for rows in (X, doubled(X)))
    if forest.class_weight:  # sums of weights that are not whole are rounded
        np.testing.assert_allclose(a.oob_score_, b.oob_score_, atol=0.01)
    else:
        assert same_splits(a, b)
    assert np.isin(split_columns(a.forest_.nodes), np.arange(41)[DUMMIES]).sum() > 100


@pytest.mark.parametrize("forest", [ForestRegressor(20), ExtraForestRegressor(20, bootstrap=True)])
def test_the_trees_of_a_regressor_are_the_same(forest):
    y = np.round(4 * score)
    y[0] -= y.sum()  # whole numbers around 0: sums are exact, and equal merits equal
    a, b = (clone(forest).set_params(random_state=0).fit(rows, y) for rows in (X, doubled(X)))
    assert same_splits(a, b)
