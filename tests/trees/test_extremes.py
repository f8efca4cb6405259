"""Tables at the edge of what a tree can be grown on."""

import numpy as np
import pandas as pd
import pytest

from rotastack.diagnostics import tree_complexity
from rotastack.trees import (
    ExtraForestClassifier,
    ExtraForestRegressor,
    ForestClassifier,
    ForestRegressor,
    LinearViews,
    TrainingRows,
    TreeClassifier,
    TreeGroup,
    TreeOptions,
    TreeRegressor,
    grow_forest,
)
from rotastack.trees.bags import Bags
from rotastack.trees.nodes import split_columns

FORESTS = [ForestClassifier, ExtraForestClassifier, ForestRegressor, ExtraForestRegressor]


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize(
    ("X", "y", "new", "predicted", "n_nodes"),
    [
        (np.ones((6, 2)), [0, 0, 0, 0, 1, 1], [[1.0, 1.0]], [(0, 1 / 3)], 1),
        ([[1.0, 2.0]], [4], [[0.0, 9.0]], [4], 1),
        ([[1.0], [2.0]], [0, 1], [[0.5], [2.5]], [0, 1], 3),
        (np.random.default_rng(0).random((30, 3)), [7] * 30, [[0.0, 0.0, 0.0]], [7], 1),
    ],
    ids=["constant columns", "one row", "two rows", "one class or a constant target"],
)
def test_small_tables(forest, X, y, new, predicted, n_nodes):
    fitted = forest(50, bootstrap=False, random_state=0).fit(X, y)
    mine = [p if np.isscalar(p) else p["Regressor" in forest.__name__] for p in predicted]
    assert fitted.predict(new) == pytest.approx(mine)
    assert (tree_complexity(fitted)["n_nodes"] == n_nodes).all()


@pytest.mark.parametrize("forest", FORESTS)
def test_constant_columns_are_passed_over(forest):
    X = np.zeros((80, 40))
    X[:, 17] = np.arange(80)
    y = (np.arange(80) > 39).astype(int)
    fitted = forest(10, max_features=1, random_state=0).fit(X, y)
    used = split_columns(fitted.forest_.nodes)
    assert set(used[used >= 0]) == {17}
    assert fitted.score(X, y) > 0.9


@pytest.mark.parametrize("n_classes", [255, 256, 400])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_many_classes(n_classes, criterion):
    X = np.arange(n_classes * 3.0)[:, None]
    y = np.repeat(np.arange(n_classes), 3)
    tree = TreeClassifier(criterion=criterion, random_state=0).fit(X, y)
    assert (tree.predict(X) == y).all()
    assert tree_complexity(tree)["n_leaves"] >= n_classes
    forest = ForestClassifier(3, criterion=criterion, random_state=0).fit(X, y)
    assert forest.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(y)))


@pytest.mark.parametrize(
    ("x", "y", "proba"),
    [
        (np.repeat(np.arange(10.0), 3), np.tile([0, 0, 1], 10), np.tile([2 / 3, 1 / 3], (30, 1))),
        ([1.0, 1.0 + 1e-9, 2.0], [0, 1, 1], [[0.5, 0.5], [0.5, 0.5], [0, 1]]),
        ([1.0, np.nextafter(np.float32(1), np.float32(2))], [0, 1], [[1, 0], [0, 1]]),
        ([0.0, -0.0, 0.0, -0.0, -1.0, 1.0], [0, 1, 0, 1, 1, 0], [*[[0.5, 0.5]] * 4, [0, 1], [1, 0]]),
    ],
)
def test_rows_are_told_apart_in_single_precision(x, y, proba):
    X, proba = np.reshape(x, (-1, 1)), np.array(proba)
    assert TreeClassifier(random_state=0).fit(X, y).predict_proba(X) == pytest.approx(proba)
    assert TreeRegressor(random_state=0).fit(X, y).predict(X) == pytest.approx(proba[:, 1])


def test_the_largest_float32_values():
    big = float(np.finfo(np.float32).max)
    X = np.array([[-big], [-big / 2], [0.0], [big]] * 20)
    y = np.tile([0, 1, 0, 1], 20)
    for forest in (ForestClassifier, ExtraForestClassifier):
        assert forest(30, random_state=0).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("value", [np.inf, 1e300])
def test_values_that_cannot_be_used_are_named(forest, value):
    X = pd.DataFrame({"height": [1.0, 2.0, 3.0, 4.0], "width": [1.0, 2.0, value, 4.0]})
    with pytest.raises(ValueError, match="infinity.*column 'width', row 2"):
        forest(2).fit(X, [0, 1, 0, 1])
    fitted = forest(2).fit(X.fillna(0).clip(0, 9), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="infinity.*column 'width', row 2"):
        fitted.predict(X)


@pytest.mark.slow
def test_a_million_rows():
    """The range of row numbers, and of the sort's scratch memory."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    X = rng.random((n, 4), dtype=np.float32)
    y = (X[:, 0] + X[:, 1] > 1).astype(int) ^ (rng.random(n) < 0.05)
    forest = ForestClassifier(2, max_depth=6, random_state=0).fit(X, y)
    assert forest.oob_score_ > 0.85
    assert (tree_complexity(forest)["depth"] == 6).all()


@pytest.mark.parametrize("counts", [np.zeros(10, int), 10 * (np.arange(10) == 3)])
def test_bags_with_next_to_nothing_in_them(counts):
    rows = TrainingRows(np.arange(10, dtype=np.float32)[:, None], np.arange(10) % 2, 2)
    bags = Bags.given(np.stack([counts] * 2))
    trees, oob = grow_forest(rows, [TreeGroup(2)], TreeOptions(), np.random.SeedSequence(0), bags=bags)
    assert len(trees) == 2
    assert oob[0].counts.sum() == (18 if counts.any() else 0)


def test_a_node_of_several_classes_is_never_taken_for_pure():
    """However little one of them weighs."""
    tree = TreeClassifier(random_state=0).fit([[0.0], [1.0]], [0, 1], [1e-20, 1.0])
    assert tree.predict_proba([[0.0]]) == pytest.approx(np.array([[1e-20, 1.0]]))
    weights = [0.9808353387762301, 0.6855419844806947, 6.5045927626781635e-18, 1e-17]
    forest = ExtraForestClassifier(500, random_state=0).fit(np.arange(4.0)[:, None], [0, 0, 1, 2], weights)
    assert forest.predict_proba([[0.0]]).sum() == pytest.approx(1)


@pytest.mark.parametrize("factor", [-1e-30, 1e30, -3e38])
@pytest.mark.parametrize("max_features", [None, "sqrt"])
def test_mapped_columns_that_underflow_or_overflow(factor, max_features):
    X = np.zeros((60, 1), np.float32)
    X[::2], X[-10:] = 1e-30, -1e10
    group = TreeGroup(4, LinearViews.dense([[[factor, -factor]]]), max_features=max_features)
    rows, options = TrainingRows(X, np.arange(60) % 2, 2), TreeOptions(bootstrap=False)
    assert (grow_forest(rows, [group], options, np.random.SeedSequence(0))[0].sizes[:, 0] < 120).all()


def test_sums_that_overflow():
    X = np.full((40, 2), 3e38, np.float32) * np.random.default_rng(0).choice([-1, 1], (40, 2)).astype(np.float32)
    rows, group = TrainingRows(X, np.arange(40) % 2, 2), TreeGroup(4, LinearViews.dense([[[3.0], [-3.0]]]))
    assert (grow_forest(rows, [group], TreeOptions(), np.random.SeedSequence(0))[0].sizes[:, 0] < 80).all()


SEED, THREE = np.random.SeedSequence(0), TrainingRows(np.eye(3, dtype=np.float32), np.arange(3), 3)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        *(
            (lambda w=w: ForestClassifier(2, class_weight=w).fit(np.eye(4), [0, 1, 0, 1]), "weight times class_weight")
            for w in ({0: 0.0, 1: 0.0}, {0: np.inf, 1: 1.0}, {0: -1.0, 1: 1.0})
        ),
        (lambda: Bags.given([[-1, 2]]), "counts of bags must be at least 0"),
        (
            lambda: grow_forest(THREE, [TreeGroup(3)], TreeOptions(), SEED, bags=Bags.given(np.ones((4, 3), int))),
            "counts of bags must have shape",
        ),
    ],
)
def test_weights_and_bags_that_make_no_sense(function, message):
    with pytest.raises(ValueError, match=message):
        function()
