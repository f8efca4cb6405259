"""The same trees and the same accuracy as scikit-learn's."""

import numpy as np
import pytest
from sklearn.datasets import (
    load_diabetes,
    make_blobs,
    make_circles,
    make_classification,
    make_friedman1,
    make_hastie_10_2,
    make_regression,
)
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.preprocessing import LabelEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.quick import first

from rotastack.data import load_dataset
from rotastack.trees import ExtraForestClassifier, ForestClassifier, TreeClassifier, TreeRegressor

REGISTERED = [
    "iris",
    "wine",
    "wdbc",
    "digits",
    "waveform-21-simulated",
    "waveform-40-simulated",
    "twonorm",
    "ringnorm",
    "led24-simulated",
    "noisy-square",
    "monks-1",
    "monks-2",
    "monks-3",
    "balance-scale",
    "tic-tac-toe",
    "threeOf9",
]

MADE = {
    "blobs": lambda: make_blobs(400, 5, centers=6, cluster_std=3.0, random_state=0),
    "circles": lambda: make_circles(400, noise=0.2, random_state=0),
    "hastie": lambda: make_hastie_10_2(600, random_state=0),
    "clusters": lambda: make_classification(500, 12, n_informative=6, n_classes=4, random_state=0),
}

TABLES = [*REGISTERED, *MADE]


def table(name):
    """Return X as float32 and class numbers."""
    if name in MADE:
        X, y = MADE[name]()
    else:
        X, y = load_dataset(name)
        if (X.dtypes == "category").any():
            X = OrdinalEncoder().fit_transform(X)
    return np.asarray(X, dtype=np.float32), LabelEncoder().fit_transform(y)


def follow(ours, theirs, X):
    """Walk down both trees; return (nodes that are the same, ties, rows in leaves that both have).

    Where the two split the same rows differently, both splits must be equally good: a tie.
    """
    a, t = ours.forest_.arrays(0), theirs.tree_
    same = ties = 0
    common = np.zeros(len(X), dtype=bool)
    todo = [(0, 0, np.arange(len(X)))]
    while todo:
        i, j, rows = todo.pop()
        assert a["n_node_samples"][i] == t.n_node_samples[j] == len(rows)
        assert a["impurity"][i] == pytest.approx(t.impurity[j], abs=1e-6)
        leaf_i = a["children_left"][i] < 0
        # With weights that are not whole, scikit-learn's rounding errors make it split pure nodes.
        leaf_j = t.children_left[j] < 0 or (leaf_i and t.impurity[j] < 1e-12)
        assert leaf_i == leaf_j
        same += 1
        if leaf_i:
            assert a["value"][i] == pytest.approx(t.value[j].ravel(), abs=1e-9)
            common[rows] = True
            continue
        left_i = X[rows, a["feature"][i]] <= a["threshold"][i]
        left_j = X[rows, t.feature[j]] <= t.threshold[j]
        if (left_i == left_j).all():
            todo.append((a["children_left"][i], t.children_left[j], rows[left_i]))
            todo.append((a["children_right"][i], t.children_right[j], rows[~left_i]))
            continue
        mine = decrease(a["weighted_n_node_samples"], a["impurity"], i, a["children_left"][i], a["children_right"][i])
        other = decrease(t.weighted_n_node_samples, t.impurity, j, t.children_left[j], t.children_right[j])
        assert mine == pytest.approx(other, rel=1e-4, abs=1e-7)
        ties += 1
    return same, ties, common


def decrease(weight, impurity, node, left, right):
    return impurity[node] - (weight[left] * impurity[left] + weight[right] * impurity[right]) / weight[node]


def both(X, y, weights=None, **options):
    """Return our tree and scikit-learn's."""
    return [kind(**options, random_state=0).fit(X, y, weights) for kind in (TreeClassifier, DecisionTreeClassifier)]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_same_tree(name, criterion):
    X, y = table(name)
    train = np.random.default_rng(0).permutation(len(y)) < 0.7 * len(y)
    ours, theirs = both(X[train], y[train], criterion=criterion)
    same, ties, _ = follow(ours, theirs, X[train])
    assert same >= 1
    if ties == 0:
        assert ours.forest_.sizes[0].tolist() == [
            theirs.tree_.node_count,
            theirs.tree_.n_leaves,
            theirs.tree_.max_depth,
        ]
        # A row between the float32 and the float64 middle of two values may go either way.
        near = np.zeros((~train).sum(), dtype=bool)
        for f, cut in zip(theirs.tree_.feature, theirs.tree_.threshold, strict=True):
            near |= (f >= 0) & (np.abs(X[~train, f] - cut) < 1e-6 * (1 + abs(cut)))
        assert (ours.predict(X[~train]) == theirs.predict(X[~train]))[~near].all()
    else:
        assert abs(ours.forest_.sizes[0, 0] - theirs.tree_.node_count) <= 0.35 * theirs.tree_.node_count + 4
    assert ours.score(X[train], y[train]) == theirs.score(X[train], y[train])


def test_ties_are_the_exception():
    """So the test above compares whole trees, not roots only."""
    found = []
    for name in TABLES:
        X, y = table(name)
        found.append(follow(*both(X, y, min_samples_leaf=8), X)[:2])
    nodes, ties = np.sum(found, axis=0)
    assert nodes > 500
    assert ties < 0.1 * nodes


@pytest.mark.parametrize("name", ["waveform-21-simulated", "wine"])
@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 7},
        {"min_samples_split": 25},
        {"ccp_alpha": 0.008},
        {"class_weight": {0: 1.0, 1: 3.5, 2: 0.4}},
        {"class_weight": "balanced"},
        {"sample_weight": True, "min_samples_leaf": 3},
    ],
    ids=lambda o: next(iter(o)),
)
def test_the_same_options(options, name):
    X, y = table(name)
    weights, options = None, dict(options)
    if options.pop("sample_weight", False):
        weights = np.random.default_rng(0).uniform(0, 3, len(y)).round(2) * (np.arange(len(y)) % 7 > 0)
    ours, theirs = both(X, y, weights, **options)
    _, ties, common = follow(ours, theirs, X if weights is None else X[weights > 0])
    if name.startswith("waveform"):
        assert common.mean() > 0.3
    features = ours.forest_.arrays(0)["feature"]
    if ties == 0 and sorted(features) == sorted(theirs.tree_.feature):  # no column as good as another
        assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_, abs=1e-6)


REGRESSIONS = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "friedman": lambda: make_friedman1(500, random_state=0),
    "linear": lambda: make_regression(400, 8, noise=5.0, random_state=0),
    "far from zero": lambda: (lambda X, y: (X, y + 1e6))(*make_friedman1(300, random_state=1)),
}


@pytest.mark.parametrize("name", REGRESSIONS)
@pytest.mark.parametrize("options", [{}, {"max_depth": 4}, {"ccp_alpha": 0.5}, {"min_samples_leaf": 4}])
def test_the_same_regression_tree(name, options):
    X, y = REGRESSIONS[name]()
    X = X.astype(np.float32)
    ours, theirs = (kind(**options, random_state=0).fit(X, y) for kind in (TreeRegressor, DecisionTreeRegressor))
    a, t = ours.forest_.arrays(0), theirs.tree_
    assert (a["feature"][0], a["threshold"][0]) == (t.feature[0], pytest.approx(t.threshold[0], rel=1e-5))
    if name != "far from zero":  # where scikit-learn's variances are rounding errors
        assert abs(len(a["feature"]) - t.node_count) <= 0.02 * t.node_count + 2
        assert np.corrcoef(ours.predict(X), theirs.predict(X))[0, 1] > 0.995
    else:
        assert ours.score(X, y) >= theirs.score(X, y) - 1e-3


@pytest.mark.parametrize("name", first(1, ["waveform-21-simulated", "wdbc", "digits"]))
@pytest.mark.parametrize(
    ("forest", "other"), [(ForestClassifier, RandomForestClassifier), (ExtraForestClassifier, ExtraTreesClassifier)]
)
def test_forests_are_as_good(name, forest, other):
    X, y = table(name)
    scores = []
    for seed in range(8):
        train, test = np.split(np.random.default_rng(seed).permutation(len(y))[:600], [300])
        models = (kind(40, random_state=seed).fit(X[train], y[train]) for kind in (forest, other))
        scores.append([model.score(X[test], y[test]) for model in models])
    assert abs(np.diff(np.mean(scores, axis=0)).item()) < 0.015
