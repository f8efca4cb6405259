"""Shares of classes in categories, as a linear map of dummies."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from rotastack.views.encoding import category_means, category_shares


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_it_is_the_smoothed_share_of_each_class_but_for_a_shift(n_classes):
    rng = np.random.default_rng(0)
    n, levels = 200, (3, 2, 7)
    y = rng.integers(0, n_classes, n)
    categories = np.stack([rng.integers(0, k, n) for k in levels], axis=1)
    dummies = np.hstack([np.eye(k)[categories[:, j]][:, 1:] for j, k in enumerate(levels)])
    X = np.hstack([rng.normal(size=(n, 2)), dummies])
    edges = 2 + np.cumsum([0, *(k - 1 for k in levels)])
    groups = [np.arange(a, b) for a, b in pairwise(edges)]
    rows = np.unique(rng.integers(0, n, n))
    blocks = category_shares(X, y, n_classes, groups, rows)
    prior = np.bincount(y[rows], minlength=n_classes) / len(rows)
    largest = np.argsort(-prior, kind="stable")[: 1 if n_classes == 2 else 4]
    for j, (columns, matrix) in enumerate(blocks):
        assert (columns == groups[j]).all()
        seen = pd.DataFrame({"level": categories[rows, j], "class": y[rows]})
        for i, c in enumerate(largest):
            by_level = seen["class"].eq(c).groupby(seen["level"])
            wanted = ((by_level.sum() + 2 * prior[c]) / (by_level.count() + 2)).reindex(
                range(levels[j]), fill_value=prior[c]
            )
            ours = X[:, columns] @ matrix[:, i]
            shift = ours - wanted.to_numpy()[categories[:, j]]
            assert np.ptp(shift) < 1e-12


def test_a_category_that_is_not_among_the_rows_has_the_shares_of_all():
    X = np.array([[0.0, 0], [0, 0], [1, 0], [1, 0], [0, 1]])
    y = np.array([0, 1, 1, 1, 0])
    (_, matrix), = category_shares(X, y, 2, [np.arange(2)], np.arange(4))  # fmt: skip
    prior = 3 / 4
    base, second = (1 + 2 * prior) / 4, (2 + 2 * prior) / 4
    np.testing.assert_allclose(matrix[:, 0], [second - base, prior - base])


def test_means_of_numbers_by_hand():
    X = np.array([[0.0, 0], [0, 0], [1, 0], [1, 0], [0, 1], [0, 1]])
    y = np.array([[1.0], [3], [10], [14], [2], [1000]])
    (columns, matrix), = category_means(X, y, [np.arange(2)], np.arange(5))  # fmt: skip
    mean = 30 / 5
    base = (1 + 3 + 2 * mean) / 4
    assert columns.tolist() == [0, 1]
    np.testing.assert_allclose(matrix[:, 0], [(24 + 2 * mean) / 4 - base, (2 + 2 * mean) / 3 - base])
