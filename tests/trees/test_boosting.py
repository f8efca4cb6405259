"""Boosted trees against plain NumPy, and what boosters promise about rows that they do not see."""

import numpy as np
import pytest
from tests.trees.boosting_reference import Reference

from rotastack.trees.boosting import BoostingOptions, grow_boosted
from rotastack.trees.nodes import missing_go_left, split_columns

SEQUENCE = np.random.SeedSequence(7)


def table(n_rows=150, n_columns=4, n_classes=None, missing=0.0, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    if digits is not None:
        X = X.round(digits)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.3 * rng.normal(size=n_rows)
    X[rng.random(X.shape) < missing] = np.nan
    if n_classes is None:
        return X, y
    return X, np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y)


CASES = {
    "squares": {},
    "two_classes": {"n_classes": 2},
    "four_classes": {"n_classes": 4},
    "missing": {"missing": 0.2},
    "missing_two_classes": {"missing": 0.3, "n_classes": 2},
    "many_missing": {"missing": 0.9, "n_classes": 3},
    "ties": {"digits": 0, "n_classes": 2},
    "few_bins": {"max_bins": 6},
    "few_bins_of_ties": {"digits": 1, "max_bins": 9},
    "depth": {"max_depth": 2},
    "leaves": {"max_leaf_nodes": 4, "n_classes": 3},
    "no_limit": {"max_leaf_nodes": None, "min_samples_leaf": 1},
    "no_l2": {"l2": 0.0, "n_classes": 2, "min_samples_leaf": 1},
    "much_l2": {"l2": 30.0},
    "weights": {"weighted": True, "n_classes": 3, "missing": 0.1},
    "weights_squares": {"weighted": True},
    "fast": {"learning_rate": 1.0, "n_classes": 2},
}


@pytest.mark.parametrize("name", CASES)
def test_trees_are_those_of_plain_numpy(name):
    case = dict(CASES[name])
    weighted = case.pop("weighted", False)
    given = {k: case.pop(k) for k in ("n_classes", "missing", "digits") if k in case}
    X, y = table(**given)
    n_classes = given.get("n_classes")
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    reference = Reference(**case).fit(X, y, weights, n_classes)
    renamed = {"l2_regularization": case.pop("l2")} if "l2" in case else {}
    options = BoostingOptions(n_rounds=5, **{"min_samples_leaf": 5, **case, **renamed})
    grown = grow_boosted(X, y, options, SEQUENCE, n_classes=n_classes, weights=weights)

    np.testing.assert_allclose(grown.base[0], reference.base, rtol=1e-12, atol=1e-14)
    assert len(grown.trees) == len(reference.nodes)
    for t, nodes in enumerate(reference.nodes):
        mine = grown.trees.nodes[grown.trees.starts[t] : grown.trees.starts[t + 1]]
        assert split_columns(mine).tolist() == [n.column if n.children else -1 for n in nodes]
        inner = [n for n in nodes if n.children]
        assert mine["cut"][mine["column"] >= 0].tolist() == [np.float32(n.cut) for n in inner]
        to_left = missing_go_left(mine)[mine["column"] >= 0]
        assert all(
            n.missing_right is None or n.missing_right != left for n, left in zip(inner, to_left, strict=True)
        )
        assert grown.trees.counts[grown.trees.starts[t] : grown.trees.starts[t + 1]].tolist() == [
            len(n.rows) for n in nodes
        ]
        leaves = mine["child"][mine["column"] < 0]
        expected = [n.value for n in nodes if n.children is None]
        np.testing.assert_allclose(grown.trees.values[leaves, 0], expected, rtol=1e-8, atol=1e-13)
        decrease = grown.trees.column_decreases()[t].sum()
        np.testing.assert_allclose(decrease, sum(n.gain for n in inner), rtol=1e-5)
    there = np.ones(len(y), bool) if weights is None else weights > 0
    np.testing.assert_allclose(grown.raw(X)[there], reference.F, rtol=1e-8, atol=1e-12)
