"""Missing values (NaN): splits against a plain search and scikit-learn's trees, sides, views, and what stays as it was."""

from itertools import pairwise

import numpy as np
import pytest
from tests.quick import first

from rotastack.trees import (
    C45Classifier,
    ExtraForestClassifier,
    ExtraForestRegressor,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
)
from rotastack.trees.nodes import split_columns

FORESTS = [ForestClassifier, ExtraForestClassifier, ForestRegressor, ExtraForestRegressor]


def table(n=150, p=4, n_classes=3, seed=0):
    """Return columns of which two have missing values, classes and targets that these have to do with, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)).astype(np.float32)
    X[:, 2] = X[:, 2].round()
    target = X[:, 0] + X[:, 1] + rng.standard_normal(n)
    X[rng.random((n, p)) < np.resize([0.3, 0, 0.1, 0.6], p)] = np.nan
    target += 2 * np.isnan(X[:, 0])
    y = np.digitize(target, np.quantile(target, np.arange(1, n_classes) / n_classes))
    return X, y, target, rng.integers(1, 9, n) / 4


def impurity(y, weight, criterion):
    """Return impurity times weight."""
    whole = weight.sum()
    if criterion == "squared_error":
        return weight @ (y - weight @ y / whole) ** 2
    share = np.bincount(y, weight) / whole
    if criterion == "gini":
        return whole * (1 - share @ share)
    share = share[share > 0]
    return -whole * (share @ np.log2(share))


def cuts(x, gap=0):
    """Yield which rows go left, for all cuts of a column and both sides of missing values."""
    missing = np.isnan(x)
    known = np.unique(x[~missing])
    for below, above in pairwise(known):
        if below + gap < above:
            yield x <= below
            if missing.any():
                yield (x <= below) | missing
    if missing.any() and len(known):
        yield ~missing


def decrease(y, weight, left, criterion):
    sides = impurity(y[left], weight[left], criterion) + impurity(y[~left], weight[~left], criterion)
    return impurity(y, weight, criterion) - sides


def splits(trees, X):
    """Yield each split of a tree: its column, the training rows in the node, and which of these go left."""
    arrays = trees.arrays(0)
    inside = {0: np.arange(len(X))}
    for node in np.flatnonzero(arrays["feature"] >= 0):
        rows, j = inside[node], arrays["feature"][node]
        x = X[rows, j]
        left = (x <= np.float32(arrays["threshold"][node])) | (np.isnan(x) & bool(arrays["missing_go_to_left"][node]))
        inside[arrays["children_left"][node]], inside[arrays["children_right"][node]] = (rows[left], rows[~left])
        assert arrays["n_node_samples"][arrays["children_left"][node]] == left.sum()
        yield j, rows, left


WEIGHTS = {"none": lambda w: None, "whole": lambda w: np.ceil(w), "fractions": lambda w: w}


@pytest.mark.parametrize("weigh", first(1, reversed(WEIGHTS)))
@pytest.mark.parametrize("max_features", [None, 1])  # one that is looked at: columns are not presorted
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_splits_are_the_best_there_are(criterion, n_classes, max_features, weigh):
    for seed in range(3):
        X, y, target, w = table(n=300 if max_features else 150, n_classes=n_classes, seed=seed)
        w = WEIGHTS[weigh](w)
        options = {"max_features": max_features, "random_state": 0}
        if criterion == "squared_error":
            y, tree = target, TreeRegressor(**options)
        else:
            tree = TreeClassifier(criterion=criterion, **options)
        tree.fit(X, y, w)
        w = np.ones(len(y)) if w is None else w
        seen = set()
        for j, rows, left in splits(tree.forest_, X):
            found = decrease(y[rows], w[rows], left, criterion)
            looked_at = X[rows][:, [j]] if max_features else X[rows]
            best = max(decrease(y[rows], w[rows], k, criterion) for x in looked_at.T for k in cuts(x))
            assert found == pytest.approx(best, abs=1e-6)
            seen.add(j)
        assert seen == {0, 1, 2, 3} or max_features is None


def ratios(X, y, w, least):
    """Return the largest gain ratio among the columns of at least average gain, as C4.5 defines them."""
    found = []
    for x in X.T:
        best, n_cuts = (0.0, 0.0), 0
        for left in cuts(x, 1e-5):
            if min(w[left].sum(), w[~left].sum()) < least - 1e-6:
                continue
            n_cuts += 1
            gain = decrease(y, w, left, "entropy")
            sides = impurity(left.astype(int), w, "entropy")
            if gain > best[0] + 1e-9:
                best = gain, sides
        gain, sides = best
        gain -= np.log2(n_cuts) if n_cuts else 0
        found.append((gain, gain / sides) if gain > 1e-6 else (0.0, 0.0))
    gain, ratio = np.array(found).T
    if not gain.any():
        return None
    return np.where(gain >= gain[gain > 0].mean() - 1e-3 * w.sum() - 1e-9, ratio, 0).max()


@pytest.mark.parametrize("weigh", ["none", "fractions"])
def test_c45_takes_the_largest_ratio_over_both_sides(weigh):
    n_missing_cut = 0
    for seed in range(30):
        X, y, _, w = table(n=60, n_classes=2, seed=seed)
        w = np.ones(len(y)) if weigh == "none" else w
        tree = C45Classifier(confidence=None).fit(X, y, w)
        expected = ratios(X, y, w, max(2, min(25, 0.1 * w.sum() / 2)))
        for j, _, left in splits(tree.forest_, X):
            n_cuts = sum(
                min(w[k].sum(), w[~k].sum()) >= max(2, min(25, 0.1 * w.sum() / 2)) - 1e-6 for k in cuts(X[:, j], 1e-5)
            )
            gain = decrease(y, w, left, "entropy") - np.log2(n_cuts)
            assert gain / impurity(left.astype(int), w, "entropy") == pytest.approx(expected)
            n_missing_cut += np.isnan(X[:, j]).any()
            break
    assert n_missing_cut > 5


GROWN = {
    "pruned": C45Classifier(confidence=0.4),
    "cost complexity": TreeRegressor(ccp_alpha=0.03, random_state=1),
    "random": TreeClassifier(splitter="random", n_cuts=2, random_state=1),
    "random, entropy": TreeClassifier(splitter="random", criterion="entropy", random_state=2),
    "large leaves": TreeRegressor(min_samples_leaf=12, random_state=1),
}


@pytest.mark.parametrize("grown", GROWN)
def test_training_rows_end_in_the_leaves_that_they_were_counted_in(grown):
    for seed in range(4):
        X, y, target, _ = table(n=400, seed=seed)
        tree = GROWN[grown].fit(X, target if "Regressor" in type(GROWN[grown]).__name__ else y)
        trees = tree.forest_
        leaves = np.bincount(tree.apply(X)[:, 0], minlength=len(trees.nodes))
        is_leaf = trees.nodes["column"] < 0
        assert leaves[is_leaf].tolist() == trees.counts[is_leaf].tolist()
        assert len(list(splits(trees, X))) == (~is_leaf).sum() > 2


@pytest.mark.parametrize(
    "tree",
    [
        TreeClassifier(max_depth=1),
        TreeClassifier(max_depth=1, criterion="entropy"),
        TreeClassifier(max_depth=1, splitter="random"),
        C45Classifier(),
        ForestClassifier(20, max_features=None),
        ExtraForestClassifier(20, max_features=None),
    ],
)
@pytest.mark.parametrize("constant", [True, False])
def test_what_is_missing_may_be_all_that_tells_classes_apart(tree, constant):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([np.ones(200) if constant else rng.random(200), np.zeros(200)]).astype(np.float32)
    X[y == 1, 0] = np.nan
    new = np.array([[np.nan, 0], [1, 0], [-1e30, 0], [1e30, 0]], np.float32)
    if getattr(tree, "splitter", getattr(tree, "_splitter", "best")) == "random" and not constant:
        # Only the best splitter cuts between known and missing values where known values differ.
        pytest.skip("random cuts lie among known values")
    assert tree.fit(X, y).predict(new).tolist() == [1, 0, 0, 0]
    if len(tree.forest_) == 1:
        assert tree.forest_.nodes["cut"][0] == np.inf


@pytest.mark.parametrize("forest", FORESTS)
def test_a_value_that_was_never_missing_goes_to_the_larger_child(forest):
    X, y, target, _ = table(n=300)
    X = np.nan_to_num(X)
    y = y if "Classifier" in forest.__name__ else target
    trees = forest(5, random_state=0).fit(X, y).forest_
    leaves = trees.leaves(np.full((1, X.shape[1]), np.nan, np.float32))[0]
    for t in range(5):
        arrays, node = trees.arrays(t), 0
        while (left := arrays["children_left"][node]) >= 0:
            sides = [arrays["children_right"][node], left]  # the first of equal ones
            node = max(sides, key=arrays["weighted_n_node_samples"].__getitem__)
        assert leaves[t] == node


def test_a_column_of_missing_values_only_is_never_split_on():
    X, y, _, _ = table()
    X[:, 3] = np.nan
    for forest in (ForestClassifier(10, random_state=0), ExtraForestClassifier(10, random_state=0), C45Classifier()):
        assert 3 not in split_columns(forest.fit(X, y).forest_.nodes)
    lone = ForestClassifier(5, random_state=0).fit(np.full_like(X, np.nan), y)
    assert lone.forest_.sizes[:, 0].tolist() == [1] * 5


@pytest.mark.parametrize(
    "forest",
    [
        ForestClassifier(8, bootstrap=False, max_features=None, random_state=3),
        ForestClassifier(8, criterion="entropy", max_features=None, random_state=3),
        ForestClassifier(8, random_state=3),
        ExtraForestClassifier(8, random_state=3),
        C45Classifier(),
    ],
)
def test_a_column_that_may_be_missing_elsewhere_changes_nothing(forest):
    """Trees of rows without missing values are the same whether other rows have any."""
    X, y, _, _ = table(n=200)
    known = np.nan_to_num(X)
    both, codes, weight = np.vstack([known, X]), np.r_[y, y], np.repeat([1.0, 0.0], 200)
    alone = forest.fit(known, y, np.ones(200)).forest_.nodes.tobytes()
    assert forest.fit(both, codes, weight).forest_.nodes.tobytes() == alone
