"""Views fitted to bags, by compiled code: each against a plain computation, and what they may see."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.stats import chi2, kstest

from rotastack.trees import LinearViews
from rotastack.trees.bagged_views import BaggedViews
from rotastack.trees.bags import Bags, draw_many_below
from rotastack.views.subsets import signed

SCALES = np.float32([1e-3, 1, 1e3, 1, 1, 1e-2, 5, 1, 30])


def table(n, p, n_classes, seed=0):
    """Return rows whose classes differ in their means, on very different scales, and their classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n)
    means = rng.standard_normal((n_classes, p))
    X = (means[codes] + rng.standard_normal((n, p)) + 3) * np.resize(SCALES, p)
    return X.astype(np.float32), codes


def seeds(n, seed=0):
    return np.random.default_rng(seed).integers(0, 2**63, (2, n)).astype(np.uint64)


def bag(seed, n):
    return np.unique(draw_many_below(seed, n, n))


def blocks(views):
    """Yield number of the view, columns and matrix of each part."""
    for v, (begin, end) in enumerate(zip(views.starts[:-1], views.starts[1:], strict=True)):
        for first, n_in, where, n_out in views.parts[begin:end]:
            matrix = views.matrices[where : where + n_in * n_out].reshape(n_in, n_out)
            yield v, views.columns[first : first + n_in], matrix


def tables_of(views):
    return [a.tobytes() for a in (views.starts, views.parts, views.columns, views.matrices)]


def all_kinds(bagged, bags, own):
    return [bagged.discriminants(bags, own), bagged.principal(bags, own), bagged.sparse(own)]


def discriminants(Z, codes, n_top):
    """Return unit solutions of ``Sb d = lambda Sw d``, with Sw shrunk by a hundredth."""
    k = Z.shape[1]
    groups = [Z[codes == c] for c in np.unique(codes)]
    within = sum((g - g.mean(axis=0)).T @ (g - g.mean(axis=0)) for g in groups)
    between = sum(len(g) * np.outer(m, m) for g in groups for m in [g.mean(axis=0) - Z.mean(axis=0)])
    found = eigh(between, 0.99 * within + 0.01 * np.trace(within) / k * np.eye(k))[1][:, ::-1]
    found = found[:, : min(len(groups) - 1, k, n_top)]
    return signed(found / np.linalg.norm(found, axis=0))


@pytest.mark.parametrize(
    ("n", "p", "n_classes"),
    [
        (300, 9, 2),
        (300, 9, 3),
        (300, 8, 12),
        (300, 14, 7),
        (300, 3, 3),
        (300, 1, 3),
        (1500, 38, 5),  # more rows than are held at once, and columns that the products are not unrolled to
    ],
)
def test_discriminants_of_the_rows_in_the_bag(n, p, n_classes):
    X, codes = table(n, p, n_classes)
    bags, own = seeds(4)
    for v, columns, matrix in blocks(BaggedViews.of(X, codes, n_classes).discriminants(bags, own, share=1.0)):
        rows = bag(bags[v], n)
        expected = discriminants(X[rows][:, columns].astype(float), codes[rows], 4)
        assert matrix == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("changed", [0, 9])
def test_views_of_groups_see_the_rows_in_the_bag_alone(changed):
    """The rows of a group have other values: views of bags without the group stay, most others change."""
    X, codes = table(60, 8, 3)
    X[::5, 2] = np.nan
    groups = np.arange(60) // 6
    bags, own = seeds(40)
    rule = Bags.of(60, row_groups=groups)
    other = np.where((groups == changed)[:, None], X[::-1], X)
    out = np.array([changed not in groups[rule.drawn(seed)] for seed in bags])
    assert 5 < out.sum() < 35
    before, after = (
        all_kinds(BaggedViews.of(rows, codes, 3, rule, n_jobs), bags, own)[:2] for rows, n_jobs in ((X, 1), (other, 2))
    )
    for two in zip(before, after, strict=True):
        alone = [[tables_of(views.take([t]).compact()) for t in range(40)] for views in two]
        same = np.array([a == b for a, b in zip(*alone, strict=True)])
        assert same[out].all()
        assert same[~out].mean() < 0.2


def evenly(counts, n_kinds):
    """Whether kinds are as often as chance has it."""
    counts = np.array(list(counts))
    assert len(counts) == n_kinds
    expected = counts.sum() / n_kinds
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), n_kinds - 1) > 1e-3


def test_columns_are_split_evenly():
    X, codes = table(30, 5, 2)
    views = BaggedViews.of(X, codes, 2).discriminants(*seeds(2000))
    first, second = (views.columns[views.parts[b::2, :1] + np.arange(3 - b)] for b in range(2))
    assert (np.sort(np.hstack([first, second])) == np.arange(5)).all()
    assert evenly(Counter(map(tuple, first.tolist())).values(), 10)


def test_wide_tables_are_looked_at_in_part():
    X, codes = table(40, 25, 2)
    views = BaggedViews.of(X, codes, 2).discriminants(*seeds(3), max_columns=10)
    assert (views.parts[:, 1] == 10).all()
    assert all(len(set(c.tolist())) == 20 for c in views.columns.reshape(3, 20))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_sparse_rotations_are_uniform(size):
    """Of a uniform rotation an entry is distributed as a coordinate of a point on the sphere."""
    X, codes = table(9, size, 2)
    views = BaggedViews.of(X, codes, 2).sparse(seeds(1500)[1], (size, size))
    turned = views.matrices.reshape(-1, size, size).astype(float)
    assert turned @ turned.transpose(0, 2, 1) == pytest.approx(np.tile(np.eye(size), (1500, 1, 1)), abs=1e-6)
    assert np.linalg.det(turned) == pytest.approx(1)
    for entry in turned.reshape(-1, size * size).T:
        assert kstest((entry + 1) / 2, "beta", args=((size - 1) / 2, (size - 1) / 2)).pvalue > 1e-4
    if size > 2:  # rows apart, given by one another at size 2
        assert (turned[:, 0, 0] * turned[:, 1, 1]).mean() == pytest.approx(0, abs=4 / size / 1500**0.5)


def test_sizes_of_sparse_blocks():
    X, codes = table(9, 11, 2)
    views = BaggedViews.of(X, codes, 2).sparse(seeds(900)[1])
    firsts = Counter(views.parts[views.starts[:-1], 1].tolist())
    assert evenly(firsts.values(), 3)
    assert set(firsts) == {2, 3, 4}
    assert (np.add.reduceat(views.parts[:, 1], views.starts[:-1]) == 11).all()
    assert (np.sort(views.columns.reshape(-1, 11)) == np.arange(11)).all()


def test_principal_axes_of_the_rows_in_the_bag():
    """So many draws that the sample is the bag, of one class."""
    X = table(40, 8, 1)[0] / SCALES[:8] * np.float32([4, 2, 1, 0.5, 3, 1.5, 0.7, 0.3])
    bags, own = seeds(20)
    views = BaggedViews.of(X, np.zeros(40, int), 1).principal(bags, own, bootstrap_ratio=4000.0)
    assert views.parts[:, 1].tolist() == [3, 3, 2] * 20
    for v, columns, matrix in blocks(views):
        sample = X[bag(bags[v], 40)][:, columns].astype(float)
        spread = matrix.T @ np.cov(sample.T) @ matrix
        assert matrix.T @ matrix == pytest.approx(np.eye(len(columns)), abs=1e-6)
        assert np.diag(spread) == pytest.approx(np.linalg.eigvalsh(np.cov(sample.T))[::-1], rel=0.02)


def test_subsets_of_the_classes_are_drawn_evenly():
    """Each class lies along a line of its own, so the longest axis tells which ones were kept."""
    angles = np.deg2rad([0, 50, 115])
    lines = np.stack([np.cos(angles), np.sin(angles)], axis=1) * [[1], [1.2], [1]]
    codes = np.repeat([0, 1, 2], 400)
    X = lines[codes] * np.tile([[-1], [1]], (600, 1))
    views = BaggedViews.of(X.astype(np.float32), codes, 3).principal(*seeds(700), bootstrap_ratio=2.0)
    kept = [[*subset] for n in (1, 2, 3) for subset in combinations(range(3), n)]
    axes = np.stack([np.linalg.eigh(lines[s].T @ lines[s])[1][:, -1] for s in kept])
    closeness = np.abs(views.matrices.reshape(-1, 2, 2)[:, :, 0] @ axes.T)
    assert evenly(np.bincount(closeness.argmax(axis=1)), 7)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("kind", ["constant", "alike", "copies", "alone", "two rows"])
def test_extreme_tables(kind, p):
    X, codes = table(30, p, 3)
    tables = {
        "constant": (np.full_like(X, 0.1), codes),
        "alike": (X * 0 + codes[:, None].astype(np.float32), codes),  # no scatter within classes
        "copies": (np.repeat(X[:, :1], p, axis=1), codes),
        "alone": (X, (np.arange(30) == 4).astype(int)),  # mostly one class in the bag
        "two rows": (X[:2], np.array([0, 2])),
    }
    bagged = BaggedViews.of(*tables[kind], 3)
    for views in all_kinds(bagged, *seeds(30)):
        assert (views.widths() > 0).all()
        for _, _, matrix in blocks(views):
            assert np.linalg.norm(matrix, axis=0) == pytest.approx(1, abs=1e-6)
    for _, columns, matrix in blocks(bagged.principal(*seeds(30))):
        assert matrix.T @ matrix == pytest.approx(np.eye(len(columns)), abs=1e-6)


def test_no_scatter_within_classes_leaves_the_means():
    """One direction where all classes lie in one line, however many they are."""
    codes = np.arange(40) % 4
    X = np.outer(codes, [1, 0, 2, 0]).astype(np.float32)
    X[:, 1] = 5
    for _, columns, matrix in blocks(BaggedViews.of(X, codes, 4).discriminants(*seeds(20))):
        expected = np.array([1.0, 0, 2, 0])[columns]
        if expected.any():
            assert matrix == pytest.approx(expected[:, None] / np.linalg.norm(expected), abs=1e-6)


def test_threads_and_chunks_change_nothing():
    X, codes = table(80, 9, 4)
    bags, own = seeds(23)
    whole = all_kinds(BaggedViews.of(X, codes, 4, n_jobs=2), bags, own)
    parts = [all_kinds(BaggedViews.of(X, codes, 4), bags[part], own[part]) for part in (slice(7), slice(7, None))]
    joined = [LinearViews.concatenate(views) for views in zip(*parts, strict=True)]
    assert [tables_of(v) for v in joined] == [tables_of(v) for v in whole]
