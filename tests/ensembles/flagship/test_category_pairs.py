"""Categories and pairs of them as means of targets."""

from itertools import pairwise

import numpy as np

from rotastack.ensembles.flagship import category_pairs
from rotastack.ensembles.flagship.category_pairs import CategoryPairs


def table(values, numbers=None):
    """Return dummies of categories, one for each value but for those of two, and their groups."""
    numbers = np.empty((len(values), 0)) if numbers is None else numbers
    dummies = [np.eye(column.max() + 1)[column][:, int(column.max() == 1) :] for column in values.T]
    ends = np.cumsum([part.shape[1] for part in (numbers, *dummies)])
    return np.hstack([numbers, *dummies]).astype(np.float32), [np.arange(*two) for two in pairwise(ends)]


def test_means_are_those_of_the_cells():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.integers(0, k, 80) for k in (3, 2, 4)])
    numbers = rng.normal(size=(80, 2)).astype(np.float32)
    X, groups = table(values, numbers)
    targets = rng.normal(size=(80, 2))
    view = CategoryPairs(groups).fit(X, targets)
    found = view.transform(X)
    assert list(zip(view.first_, view.second_, strict=True)) == [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    np.testing.assert_array_equal(found[:, :2], numbers)
    mean = targets.mean(axis=0)
    for k, columns in enumerate([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]):
        for i in range(80):
            alike = (values[:, columns] == values[i, columns]).all(axis=1)
            by_hand = (targets[alike].sum(axis=0) + 2 * mean) / (alike.sum() + 2)
            np.testing.assert_allclose(found[i, 2 + 2 * k : 4 + 2 * k], by_hand, rtol=1e-5)


def test_the_pairs_that_tell_most_are_taken():
    """At most 300 columns and 20,000 cells, and of categories of 2,000 values together."""
    values = np.random.default_rng(1).integers(0, 3, (600, 8))
    target = ((values[:, 2] + values[:, 5]) % 3 == 0).astype(float)[:, None]  # neither tells anything alone
    X, groups = table(values)
    view = CategoryPairs(groups).fit(X, np.tile(target, (1, 300)))
    assert (view.first_[8:].tolist(), view.second_[8:].tolist()) == ([2], [5])
    for n_values in (150, 1500):
        X, groups = table(np.column_stack([np.arange(1500) % n_values] * 2))
        assert len(CategoryPairs(groups).fit(X, X[:, :1].astype(float)).first_) == 2


def test_amounts_go_to_the_dummies_of_both_categories():
    X, groups = table(np.random.default_rng(2).integers(0, 3, (50, 2)), np.zeros((50, 1)))
    view = CategoryPairs(groups).fit(X, X[:, 1:3].astype(float))
    spread = view.spread(np.array([1.0, 2.0, 3.0, 0.0, 0.0, 6.0, 4.0]), X.shape[1])
    np.testing.assert_allclose(spread, [1, *[10 / 3] * 3, *[5 / 3] * 3])


def test_rows_are_counted_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X, groups = table(rng.integers(0, 5, (50, 6)))
    targets = rng.normal(size=(50, 2))
    monkeypatch.setattr(category_pairs, "MOST_COLUMNS", 10)
    whole = CategoryPairs(groups).fit(X, targets)
    monkeypatch.setattr(category_pairs, "ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(CategoryPairs(groups).fit(X, targets).transform(X), whole.transform(X))
    assert len(whole.first_) == 6 + 5
