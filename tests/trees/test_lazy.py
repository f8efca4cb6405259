"""A few rows are read by the parts of views that they meet: they end where they end in company."""

import numpy as np
import pytest

from rotastack.trees import LinearViews, TrainingRows, TreeGroup, TreeOptions, grow_forest

rng = np.random.default_rng(5)
N_COLUMNS = 9


def blocks(n_out):
    """A view of copied columns between mapped parts."""
    return [
        (rng.permutation(N_COLUMNS)[:5], rng.normal(size=(5, n_out))),
        (np.array([3, 0]), None),
        (np.arange(N_COLUMNS), rng.normal(size=(N_COLUMNS, 2))),
    ]


@pytest.mark.parametrize("n", [1, 2, 4, 5])
@pytest.mark.parametrize("kind", ["whole", "missing", "filled"])
def test_rows_end_in_the_same_leaves_alone_and_in_company(kind, n):
    X = rng.normal(size=(200, N_COLUMNS)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    if kind != "whole":
        X[rng.random(X.shape) < 0.1] = np.nan
    mapped = LinearViews.blocks([blocks(n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 70)], N_COLUMNS)
    views = LinearViews.concatenate([LinearViews.identity(N_COLUMNS), mapped])
    if kind == "filled":
        views = views.filled(rng.normal(size=(11, N_COLUMNS)))
    forest, _ = grow_forest(TrainingRows(X, y, 2), [TreeGroup(33, views)], TreeOptions(), np.random.SeedSequence(1))
    together = forest.leaves(X)
    groups = np.arange(33) % 3
    sums = forest.group_sums(X, groups, 3)
    for start in range(0, 60, n):
        rows = np.ascontiguousarray(X[start : start + n])
        assert (forest.leaves(rows) == together[start : start + n]).all()
        assert (forest.group_sums(rows, groups, 3) == sums[:, start : start + n]).all()
    assert len(np.unique(together)) > 20
