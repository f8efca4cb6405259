"""Columns of few ones: the same trees as without knowing them."""

import numpy as np
import pytest
from sklearn.base import clone

from rotastack import RotastackClassifier
from rotastack.trees import ExtraForestClassifier, ExtraForestRegressor, ForestClassifier, ForestRegressor, chunks
from rotastack.trees.chunks import few_ones
from rotastack.trees.nodes import split_columns


@pytest.fixture(scope="module")
def table():
    """Two numbers, a category of 40 values as dummies, and a column that is mostly one."""
    rng = np.random.default_rng(0)
    category = rng.integers(0, 40, 400)
    dummies = (category[:, None] == np.arange(1, 40)).astype(float)
    X = np.hstack([rng.standard_normal((400, 2)), dummies, rng.random((400, 1)) < 0.8]).astype(np.float32)
    score = X[:, 0] + rng.standard_normal(40)[category] + X[:, -1]
    return X, score


def with_and_without(monkeypatch, fit):
    known = fit()
    monkeypatch.setattr(chunks, "few_ones", lambda X, criterion: few_ones(X[:0], criterion))
    return known, fit()


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"min_samples_leaf": 3}, {"splitter": "random", "n_cuts": 2}, {"class_weight": "balanced"}, {"max_leaf_nodes": 30},
        {"criterion": "entropy"}, {"min_weight_fraction_leaf": 0.01},
    ],
)  # fmt: skip
def test_the_trees_of_a_classifier_are_the_same(table, monkeypatch, options, n_classes):
    X, score = table
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]), score)
    if "splitter" in options:
        options = {"n_cuts": options["n_cuts"], "bootstrap": True}
        a, b = with_and_without(monkeypatch, lambda: ExtraForestClassifier(20, random_state=0, **options).fit(X, y))
    else:
        a, b = with_and_without(monkeypatch, lambda: ForestClassifier(20, random_state=0, **options).fit(X, y))
    if "class_weight" in options:  # sums of weights that are not whole are rounded
        np.testing.assert_allclose(a.oob_score_, b.oob_score_, atol=0.01)
    else:
        assert a.forest_.nodes.tobytes() == b.forest_.nodes.tobytes()
        assert (a.predict_proba(X) == b.predict_proba(X)).all()
    dummies = (split_columns(a.forest_.nodes) >= 2) & (split_columns(a.forest_.nodes) < 41)
    assert dummies.sum() > 100


@pytest.mark.parametrize("forest", [ForestRegressor(20), ExtraForestRegressor(20, bootstrap=True)])
def test_the_trees_of_a_regressor_are_the_same(table, monkeypatch, forest):
    X, score = table
    y = np.round(4 * score)
    y[0] -= y.sum()  # whole numbers around 0: sums are exact, and equal merits equal
    a, b = with_and_without(monkeypatch, lambda: clone(forest).set_params(random_state=0).fit(X, y))
    assert a.forest_.nodes.tobytes() == b.forest_.nodes.tobytes()
    assert (a.predict(X) == b.predict(X)).all()


def test_the_flagship_is_the_same(table, monkeypatch):
    X, score = table
    a, b = with_and_without(monkeypatch, lambda: RotastackClassifier(5, random_state=0, n_jobs=2).fit(X, score > 0.5))
    assert (a.predict_proba(X) == b.predict_proba(X)).all()


def test_ones_are_listed_column_by_column():
    X = np.zeros((6, 5), np.float32)
    X[1, 0] = X[[0, 4], 1] = X[:4, 2] = X[3, 3] = 1
    X[5, 3] = 2
    X[0, 1] = 1
    X[2, 1] = -0.0
    ones, first = few_ones(X, "gini")
    assert ones.tolist() == [1, 0, 4]  # not the third, mostly ones, nor the fourth, which has a two
    assert first.tolist() == [0, 1, 3, 3, 3, 3]
    for none in (few_ones(X, "entropy"), few_ones(X[:0], "gini"), few_ones(X + 0.5, "gini")):
        assert [len(part) for part in none] == [0, 0]
