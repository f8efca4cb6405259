"""PCA rotation, LSDA, discriminant rotation and double rotation, judged by what they mean."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eig
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from rotastack.seeds import child, kernel_seeds, random_bits, root_sequence
from rotastack.views import DiscriminantRotation, DoubleRotation, LocalityDiscriminantAnalysis, PrincipalRotation
from rotastack.views.locality import nearest_neighbors
from rotastack.views.principal import principal_blocks
from rotastack.views.subsets import RowsByClass, count_subsets, split_columns

TABLES = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}


def table(name):
    X, y = TABLES[name](return_X_y=True)
    return MinMaxScaler().fit_transform(X), y


def seeds_of(n, seed=0):
    return kernel_seeds(root_sequence(seed), n)


def same_blocks(blocks, others):
    return len(blocks) == len(others) and all(
        a.tolist() == b.tolist() and A.tobytes() == B.tobytes() for (a, A), (b, B) in zip(blocks, others, strict=True)
    )


@settings(derandomize=True)
@given(p=st.integers(1, 40), data=st.data())
def test_every_column_is_in_one_subset_and_sizes_differ_by_one(p, data):
    k = data.draw(st.integers(1, p))
    subsets, seeds = split_columns(p, k, seeds_of(3))
    assert len(np.unique(seeds)) == 3 * k
    for numbers in subsets:
        parts = [part[part < p].tolist() for part in numbers]
        assert sorted(column for part in parts for column in part) == list(range(p))
        assert parts == [sorted(part) for part in parts]
        assert [len(part) for part in parts] == [p // k + (i < p % k) for i in range(k)]


def test_subsets_are_equally_likely():
    subsets, _ = split_columns(5, 2, seeds_of(4000))
    found, counts = np.unique(subsets[:, 0], axis=0, return_counts=True)
    assert len(found) == 10
    assert np.abs(counts - 400).max() < 80  # four standard deviations


@pytest.mark.parametrize(
    ("p", "n_subsets", "subset_size", "expected"),
    [(10, None, None, 2), (1, None, None, 1), (10, 10, None, 10), (10, None, 3, 4), (9, None, 3, 3), (4, None, 7, 1)],
)
def test_number_of_subsets(p, n_subsets, subset_size, expected):
    assert count_subsets(p, n_subsets, subset_size) == expected


@pytest.mark.parametrize(
    ("p", "options", "message"),
    [
        (4, {"n_subsets": 5}, "n_subsets is 5; at most 4, the number of columns"),
        (1, {"n_subsets": 2}, "n_subsets is 2; at most 1, the number of columns"),
        (4, {"n_subsets": 2, "subset_size": 2}, "not both"),
        (4, {"n_subsets": 0}, "'n_subsets' parameter"),
        (4, {"subset_size": 0}, "'subset_size' parameter"),
        (4, {"bootstrap_ratio": 0.0}, "'bootstrap_ratio' parameter"),
    ],
)
@pytest.mark.parametrize("view", [PrincipalRotation, DiscriminantRotation, DoubleRotation])
def test_numbers_that_do_not_fit(view, p, options, message):
    X, y = np.random.default_rng(0).normal(size=(20, p)), np.arange(20) % 2
    with pytest.raises(ValueError, match=message):
        view(**options).fit(X, y)


def test_samples_come_from_a_random_subset_of_the_classes_in_the_bag():
    y = np.repeat([0, 1, 2], [10, 20, 30])
    rows, bags = RowsByClass.of(y, 60), np.random.default_rng(0).random((4, 60)) < 0.6
    bags[1, y == 1] = False
    bags[2] = y == 2
    bags[3] = True  # all rows: as without bags
    seeds = random_bits(seeds_of(4), 2000)
    counts = replace(rows, bags=bags).draw(seeds, 0.75)
    for mine, bag, own in zip(counts, bags, seeds, strict=True):
        assert (mine[:, ~bag] == 0).all()
        kept = np.stack([mine[:, y == c].any(axis=1) for c in range(3)], axis=1)
        patterns, seen = np.unique(kept, axis=0, return_counts=True)
        assert len(patterns) == 2 ** len(np.unique(y[bag])) - 1  # all but the empty set, about equally often
        assert seen.min() > 0.8 * 2000 / len(patterns)
        sizes = {int(np.rint(0.75 * (bag & one[y]).sum())) for one in patterns}
        assert set(mine.sum(axis=1)) == sizes
        np.testing.assert_array_equal(replace(rows, bags=bag[None]).draw(own[None], 0.75)[0], mine)
        np.testing.assert_array_equal(replace(rows, bags=bag[None]).of_view(0).order, np.flatnonzero(bag))
    np.testing.assert_array_equal(rows.draw(seeds[3:], 0.75)[0], counts[3])
    share = counts[3][kept.all(axis=1)].mean(axis=0)  # all rows are drawn equally often
    assert np.abs(share - 0.75).max() < 0.2
    two = rows.draw(seeds_of(2000)[:, None], 1.0, least=2)[:, 0]
    assert (sum((two[:, y == c] > 0).any(axis=1).astype(int) for c in range(3)) >= 2).all()


@pytest.mark.parametrize("n_columns", [1, 4, 30, 60])  # one column, even and uneven subsets, fewer rows
@pytest.mark.parametrize("at_once", [1, 3000, 1 << 17])
def test_a_rotation_does_not_depend_on_others_nor_on_the_size_of_steps(at_once, n_columns, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, n_columns)), np.arange(50) % 3
    X[:, ::3] = X[:, [0]]  # equal and constant columns
    X[:, 3::9] = 1.0
    rows = replace(RowsByClass.of(y, 50), bags=rng.random((12, 50)) < 0.6)
    k = min(n_columns, 2 if n_columns == 60 else 7)
    whole = list(principal_blocks(X, rows, k, 0.75, seeds_of(12)))
    monkeypatch.setattr("rotastack.views.principal._AT_ONCE", at_once)
    again = list(principal_blocks(X, rows, k, 0.75, seeds_of(12)))
    for i in range(12):
        one = replace(rows, bags=rows.bags[i : i + 1])
        (alone,) = principal_blocks(X, one, k, 0.75, seeds_of(12)[i : i + 1])
        assert same_blocks(whole[i], alone)
        assert same_blocks(whole[i], again[i])


@pytest.mark.parametrize(("n", "p"), [(3000, 40), (400, 700)])
def test_threads_of_blas_change_no_bit(n, p):
    X, rows = np.random.default_rng(0).normal(size=(n, p)), RowsByClass.of(np.arange(n) % 2, n)
    found = next(principal_blocks(X, rows, 2, 0.75, seeds_of(1)))
    for n_threads in (1, 3):
        with threadpool_limits(n_threads, user_api="blas"):
            assert same_blocks(found, next(principal_blocks(X, rows, 2, 0.75, seeds_of(1))))


def test_one_class_and_no_classes_are_the_same():
    X, _ = table("wine")
    first, second = (PrincipalRotation(random_state=0).fit(X, y).blocks_ for y in (None, np.ones(len(X))))
    assert same_blocks(first, second)


@pytest.mark.parametrize(
    ("n", "p", "n_subsets"), [(2, 5, 2), (12, 61, 3), (20, 41, 2), (150, 4, 1), (100, 13, 5), (90, 30, 3)]
)  # the first three: fewer rows than columns of a subset
def test_axes_are_the_principal_ones_of_their_samples(n, p, n_subsets):
    X, y = np.random.default_rng(0).normal(size=(n, p)), np.arange(n) % 2
    view = PrincipalRotation(n_subsets, random_state=0).fit(X, y)
    rows = RowsByClass.of(y, n)
    (subsets,), sample_seeds = split_columns(p, n_subsets, seeds_of(1))
    (counts,) = rows.draw(sample_seeds, 0.75)
    for (columns, axes), part, count in zip(view.blocks_, subsets, counts, strict=True):
        assert columns.tolist() == part[part < p].tolist()
        assert axes.shape[1] == min(len(columns), max(1, (count > 0).sum() - 1))
        np.testing.assert_allclose(axes.T @ axes, np.eye(axes.shape[1]), atol=1e-12)
        assert (axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] > 0).all()
        sample = X[np.repeat(rows.order, count)][:, columns]
        sample -= sample.mean(axis=0)
        np.testing.assert_allclose(sample @ axes @ axes.T, sample, atol=1e-10)  # it spans the sample
        products = axes.T @ (sample.T @ sample) @ axes
        np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-10)
        assert (np.diff(np.diag(products)) <= 1e-12).all()
    out = view.transform(X)
    assert out.shape == (n, sum(axes.shape[1] for _, axes in view.blocks_)) == (n, len(view.get_feature_names_out()))
    np.testing.assert_allclose(out, (X - view.mean_) @ view.rotation_, atol=1e-12)
    mapped = np.hstack([X[:, columns] @ axes for columns, axes in view.linear_parts()])
    order = np.argsort(np.concatenate([columns[: axes.shape[1]] for columns, axes in view.blocks_]))
    np.testing.assert_allclose((mapped - mapped.mean(axis=0))[:, order], out - out.mean(axis=0), atol=1e-12)


def direct_lsda(X, y, k, alpha):
    """Solve equation 10 by full matrices and a general eigen-solver."""
    n = len(X)
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2)).round(10)
    np.fill_diagonal(distances, np.inf)
    near = np.zeros((n, n), dtype=bool)
    for i in range(n):
        near[i, np.argsort(distances[i], kind="stable")[:k]] = True
    joined = near | near.T
    same = y[:, None] == y[None]
    within, between = (joined & same).astype(float), (joined & ~same).astype(float)
    X = X - X.mean(axis=0)
    laplacian = np.diag(between.sum(axis=1)) - between
    left = X.T @ (alpha * laplacian + (1 - alpha) * within) @ X
    right = X.T @ np.diag(within.sum(axis=1)) @ X
    right += 1e-6 * np.trace(right) / len(right) * np.eye(len(right))
    values, vectors = eig(left, right)
    order = np.argsort(-values.real)
    vectors = vectors.real[:, order]
    return values.real[order], vectors / np.linalg.norm(vectors, axis=0)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("k", "alpha"), [(5, 0.1), (3, 0.7), (7, 0.0), (5, 1.0)])
def test_against_a_direct_solution(name, k, alpha):
    X, y = table(name)
    view = LocalityDiscriminantAnalysis(k, alpha).fit(X, y)
    values, vectors = direct_lsda(X, y, k, alpha)
    np.testing.assert_allclose(view.eigenvalues_, values, rtol=1e-6, atol=1e-8)
    apart = np.diff(values) < -1e-6 * np.abs(values).max()
    clear = np.append(apart, True) & np.append(True, apart)
    np.testing.assert_allclose(np.abs((view.rotation_ * vectors).sum(axis=0))[clear], 1.0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(view.rotation_, axis=0), 1.0)
    largest = np.abs(view.rotation_).argmax(axis=0)
    assert (view.rotation_[largest, np.arange(len(largest))] > 0).all()


@settings(derandomize=True)
@given(
    n=st.integers(3, 25), p=st.integers(1, 4), levels=st.integers(1, 5), k=st.integers(1, 6), seed=st.integers(0, 999)
)
def test_neighbours_with_ties_and_copies(n, p, levels, k, seed):
    X = np.random.default_rng(seed).integers(0, levels, size=(n, p)).astype(float)
    k = min(k, n - 1)
    found = nearest_neighbors(X, k)
    for i in range(n):
        distance = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
        distance[i] = np.inf
        assert found[i].tolist() == np.argsort(distance, kind="stable")[:k].tolist()


def test_neighbours_where_most_distances_are_equal():
    X = np.random.default_rng(1).integers(0, 2, size=(400, 3)).astype(float)
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    np.testing.assert_array_equal(nearest_neighbors(X, 5), np.argsort(distances, kind="stable")[:, :5])


def test_more_columns_than_rows():
    X, y = np.random.default_rng(0).normal(size=(12, 40)), np.arange(12) % 3
    view = LocalityDiscriminantAnalysis().fit(X, y)
    assert view.eigenvalues_.shape == (11,)
    assert np.linalg.matrix_rank(view.rotation_) == 40
    rest = view.rotation_[:, 11:]
    np.testing.assert_allclose(rest.T @ rest, np.eye(29), atol=1e-10)
    assert np.abs((X - X.mean(axis=0)) @ rest).max() < 1e-10


def test_no_neighbour_of_the_same_class():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 1.0], [5.1, 1.0]])
    view = LocalityDiscriminantAnalysis(n_neighbors=1).fit(X, [0, 1, 0, 1])
    assert np.isfinite(view.rotation_).all()
    assert np.linalg.matrix_rank(view.rotation_) == 2


@pytest.mark.parametrize("view", [DiscriminantRotation, DoubleRotation])
@pytest.mark.parametrize("name", TABLES)
def test_a_change_of_basis_from_a_centre(view, name):
    X, y = table(name)
    fitted = view(random_state=0).fit(X, y)
    assert np.linalg.matrix_rank(fitted.rotation_) == X.shape[1]
    np.testing.assert_allclose(fitted.transform(X), (X - X.mean(axis=0)) @ fitted.rotation_, atol=1e-10)


def test_blocks_are_analyses_of_their_samples():
    X, y = table("wine")
    view = DiscriminantRotation(random_state=3).fit(X, y)
    (subsets,), (seeds,) = split_columns(13, 2, seeds_of(1, 3))
    rows = RowsByClass.of(y, len(y))
    for (columns, matrix), part, seed in zip(view.blocks_, subsets, random_bits(seeds, 1), strict=True):
        assert columns.tolist() == part[part < 13].tolist()
        drawn = rows.order[rows.draw(seed[None], 0.75, least=2)[0, 0] > 0]  # distinct rows
        alone = LocalityDiscriminantAnalysis().fit(X[np.ix_(drawn, columns)], y[drawn])
        np.testing.assert_allclose(np.abs((alone.rotation_ * matrix).sum(axis=0)), 1.0, atol=1e-6)


def test_double_is_a_pca_rotation_and_then_a_discriminant_one():
    X, y = table("breast_cancer")
    double = DoubleRotation(n_subsets=3, random_state=5).fit(X, y)
    first = PrincipalRotation(n_subsets=3, random_state=child(root_sequence(5), "principal")).fit(X, y)
    np.testing.assert_allclose(double.principal_, first.rotation_, atol=1e-12)
    second = DiscriminantRotation(n_subsets=3, random_state=child(root_sequence(5), "discriminant"))
    second.fit(first.transform(X), y)
    np.testing.assert_allclose(double.discriminant_, second.rotation_, atol=1e-8)
    assert (first.rotation_ != 0).sum() < (double.rotation_ != 0).sum()


@pytest.mark.parametrize("view", [LocalityDiscriminantAnalysis, DiscriminantRotation, DoubleRotation])
def test_one_class(view):
    with pytest.raises(ValueError, match="only one class"):
        view().fit(np.eye(3), [0, 0, 0])


def test_equal_rows_leave_one_axis():
    principal = PrincipalRotation(random_state=0).fit(np.ones((3, 10)), [0, 1, 0])
    assert [axes.shape for _, axes in principal.blocks_] == [(5, 1), (5, 1)]
    local = LocalityDiscriminantAnalysis().fit(np.ones((6, 3)), [0, 1, 0, 1, 0, 1])
    np.testing.assert_array_equal(local.rotation_, np.eye(3))


def test_a_class_of_one_row():
    X, y = table("iris")
    keep = np.concatenate([np.arange(50), [70]])
    for seed in range(10):  # most samples lack the second class: they are drawn again
        assert np.isfinite(DiscriminantRotation(random_state=seed).fit(X[keep], y[keep]).rotation_).all()


def test_a_constant_column_costs_no_matrix_of_rows():
    from rotastack.views.locality import _range

    X = np.random.default_rng(0).normal(size=(30_000, 4))  # rows squared would be 7 GB
    X[:, 2] = 0
    _, rest = _range(X)
    np.testing.assert_allclose(np.abs(rest[:, 0]), [0, 0, 1, 0], atol=1e-9)
