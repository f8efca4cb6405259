"""Random projections and random subspaces."""

import pickle

import numpy as np
import pytest
from scipy.stats import kstest

from rotastack.views import RandomProjection, RandomSubspace

KINDS = ["sphere", "sign", "sparse"]


def dense(view):
    R = view.components_
    return R.toarray() if hasattr(R, "toarray") else R


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "q"), [(1, 1), (2, 1), (7, 3), (30, 15), (40, 40)])
def test_columns_have_length_one(kind, n, q):
    R = dense(RandomProjection(q, kind, random_state=0).fit(np.zeros((2, n))))
    assert R.shape == (q, n)
    np.testing.assert_allclose(np.linalg.norm(R, axis=0), 1, rtol=1e-12)


def test_entries_of_each_kind():
    signs = dense(RandomProjection(16, "sign", random_state=1).fit(np.zeros((2, 500))))
    assert set(np.unique(signs).tolist()) == {-0.25, 0.25}
    assert abs(signs.mean()) < 4 * 0.25 / np.sqrt(signs.size)
    sparse = RandomProjection(50, "sparse", random_state=1).fit(np.zeros((2, 500))).components_
    assert sparse.nnz == 8 * 500
    assert ((sparse.toarray() != 0).sum(axis=0) == 8).all()
    assert set(np.unique(np.abs(sparse.data)).tolist()) == {1 / np.sqrt(8)}
    used = (sparse.toarray() != 0).mean(axis=1)  # every row alike
    assert (np.abs(used - 8 / 50) < 5 * np.sqrt(0.16 * 0.84 / 500)).all()


def test_columns_are_uniform_on_the_sphere():
    # A coordinate of a uniform point of the sphere in R^3 is uniform on [-1, 1].
    R = dense(RandomProjection(3, random_state=2).fit(np.zeros((2, 2000))))
    for row in R:
        assert kstest(row, "uniform", (-1, 2)).pvalue > 1e-3
    assert abs(np.corrcoef(R)[np.triu_indices(3, 1)]).max() < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_transform_is_the_product(kind):
    X = np.random.default_rng(0).standard_normal((300, 12))
    view = RandomProjection(kind=kind, random_state=3).fit(X)
    np.testing.assert_allclose(view.transform(X), X @ dense(view).T, atol=1e-12)
    single = view.transform(X.astype(np.float32))
    np.testing.assert_allclose(single, (X @ dense(view).T).astype(np.float32), atol=1e-5, strict=True)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(view)).transform(X), view.transform(X))
    ((columns, matrix),) = view.linear_parts()
    np.testing.assert_allclose(X[:, columns] @ matrix, view.transform(X), atol=1e-12)


@pytest.mark.parametrize("view", [RandomProjection, RandomSubspace])
def test_half_of_the_columns_rounded_up_by_default(view):
    widths = [view(random_state=0).fit_transform(np.ones((3, n))).shape[1] for n in (1, 2, 5, 8)]
    assert widths == [1, 1, 3, 4]


@pytest.mark.parametrize("view", [RandomProjection, RandomSubspace])
@pytest.mark.parametrize(
    ("q", "told"),
    [(5, "at most 4, the number of columns"), (0, "n_components"), (-1, "n_components"), (0.5, "n_components")],
)
def test_impossible_numbers_of_columns(view, q, told):
    with pytest.raises(ValueError, match=told):
        view(q).fit(np.zeros((3, 4)))


def test_subspaces_are_columns_without_replacement():
    X = np.arange(20.0).reshape(2, 10)
    seen = np.zeros(10)
    for seed in range(300):
        view = RandomSubspace(4, random_state=seed).fit(X)
        ((columns, matrix),) = view.linear_parts()
        assert matrix is None
        np.testing.assert_array_equal(view.transform(X), X[:, columns])
        seen[np.unique(columns)] += 1
    assert seen.sum() == 300 * 4
    assert (np.abs(seen / 300 - 0.4) < 5 * np.sqrt(0.24 / 300)).all()
