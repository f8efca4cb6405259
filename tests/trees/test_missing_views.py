"""Views of rows with missing values: what stands in for these, and that it stays with the views."""

import pickle

import numpy as np
import pytest
from tests.trees.test_missing import table

from rotastack.trees import LinearViews, TrainingRows, TreeGroup, TreeOptions, grow_forest
from rotastack.trees.bagged_views import BaggedViews
from rotastack.trees.bags import Bags

SEED = np.random.SeedSequence(1)


def mapped(views, v, X):
    """Return what a view makes of rows."""
    found = []
    for first, n_in, where, n_out in views.parts[views.starts[v] : views.starts[v + 1]]:
        columns = views.columns[first : first + n_in]
        if where < 0:
            found.append(X[:, columns])
            continue
        fills = np.nan if views.fills is None else views.fills[first : first + n_in]
        matrix = views.matrices[where : where + n_in * n_out].reshape(n_in, n_out)
        found.append(np.where(np.isnan(X[:, columns]), fills, X[:, columns]) @ matrix)
    return np.concatenate(found, axis=1)


def bagged(n=200, p=6):
    X, y, _, _ = table(n, p)
    seeds, own = np.random.default_rng(1).integers(0, 2**63, (2, 12)).astype(np.uint64)
    return X, y, BaggedViews.of(X, y, 3), seeds, own


@pytest.mark.parametrize("kind", ["discriminants", "principal"])
def test_a_view_is_that_of_rows_filled_with_the_means_of_the_bag(kind):
    X, y, _, seeds, own = bagged()
    X[:, 3] = np.nan
    views = getattr(BaggedViews.of(X, y, 3), kind)(seeds, own)
    for k, seed in enumerate(seeds):
        bag = np.unique(Bags.of(len(X)).drawn(seed))
        means = np.full(6, np.nan, np.float32)
        for j in (0, 2, 4):
            means[j] = X[bag, j][~np.isnan(X[bag, j])].mean(dtype=np.float64)
        means[3] = 0
        one = views.take([k]).compact()
        assert one.fills == pytest.approx(means[one.columns], nan_ok=True, rel=1e-6)
        fills = np.zeros(6, np.float32)
        fills[one.columns] = np.nan_to_num(one.fills)
        full = np.where(np.isnan(X), fills, X)
        plain = getattr(BaggedViews.of(full, y, 3), kind)(seeds[k : k + 1], own[k : k + 1])
        assert np.array_equal(plain.matrices, one.matrices)


def test_views_keep_their_fills_however_they_are_put_together():
    X, _, views_of, seeds, own = bagged()
    first, second = views_of.discriminants(seeds, own), views_of.principal(seeds, own)
    plain = LinearViews.dense(np.ones((12, 6, 2)))
    joined = LinearViews.concatenate([first, plain, second])
    assert mapped(joined, 3, X) == pytest.approx(mapped(first, 3, X))
    assert mapped(joined, 27, X) == pytest.approx(mapped(second, 3, X))
    assert np.isnan(mapped(joined, 14, X)[np.isnan(X).any(axis=1)]).all()
    few = joined.take([27, 3, 3])
    for kept in (few, few.compact(), pickle.loads(pickle.dumps(few)), few.take([0, 1]).repeat(2).take([0, 2])):
        assert mapped(kept, 0, X) == pytest.approx(mapped(second, 3, X))
        assert mapped(kept, 1, X) == pytest.approx(mapped(first, 3, X))
    assert few.compact().fills.size < joined.fills.size
    both = first.beside(LinearViews.identity(6), second)
    expected = np.hstack([mapped(first, 5, X), X, mapped(second, 5, X)])
    assert mapped(both, 5, X) == pytest.approx(expected, nan_ok=True)
    rows = np.random.default_rng(0).random((12, 6))
    again = plain.beside(first).filled(rows)
    full = np.where(np.isnan(X), rows[5].astype(np.float32), X)
    assert mapped(again, 5, X) == pytest.approx(mapped(plain.beside(first), 5, full))


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_trees_on_filled_views_see_filled_rows(splitter):
    """The same trees as on rows that were filled; and rows are filled for predictions."""
    X, y, views_of, _, own = bagged()
    views = views_of.sparse(own)
    means = np.array([x[~np.isnan(x)].mean(dtype=np.float64) for x in X.T], np.float32)
    full = np.where(np.isnan(X), means, X)
    unfilled = LinearViews(6, views.starts, views.parts, views.columns, views.matrices)
    grown = [
        grow_forest(TrainingRows(data, y, 3), [TreeGroup(24, through, splitter=splitter)], TreeOptions(), SEED)[0]
        for data, through in ((X, views), (full, unfilled))
    ]
    assert grown[0].nodes.tobytes() == grown[1].nodes.tobytes()
    assert np.array_equal(grown[0].outputs(X), grown[1].outputs(full))
    assert np.array_equal(grown[0].outputs(X[:1]), grown[1].outputs(full[:1]))
    again = pickle.loads(pickle.dumps(grown[0].take(np.array([4, 5, 20])).compact()))
    assert np.array_equal(again.outputs(X), grown[1].outputs(full)[[4, 5, 20]])


def test_what_is_made_of_missing_values_is_missing_without_fills():
    X, y, _, _ = table(n=300)
    sums = LinearViews.dense(np.ones((1, 2, 1)), columns=[[0, 2]], n_features=4)
    options = TreeOptions(bootstrap=False)
    trees, _ = grow_forest(TrainingRows(X, y, 3), [TreeGroup(1, sums)], options, SEED)
    made = np.ascontiguousarray((X[:, 0] + X[:, 2])[:, None])
    plain, _ = grow_forest(TrainingRows(made, y, 3), [TreeGroup(1)], options, SEED)
    assert trees.nodes.tobytes() == plain.nodes.tobytes()
    assert np.array_equal(trees.outputs(X), plain.outputs(made))
