import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.trees import LinearViews, TrainingRows, TreeGroup, TreeOptions, grow_forest
from rotastack.trees.kernel.reading import _locate, _project
from rotastack.trees.nodes import split_columns


def seen(views, v, X):
    """Return the columns of a view as the kernel makes them."""
    parts = views.parts[views.starts[v] : views.starts[v + 1]]
    data = np.ascontiguousarray(X.T)
    width = views.widths()[v]
    source = np.empty(width, np.int32)
    stored = np.empty((width, len(X)), np.float32)
    n_columns, _ = _locate(parts, views.columns, source)
    assert n_columns == width
    _project(parts, views.columns, views.matrices, data, len(X), stored)
    return np.stack([data[s] if s >= 0 else stored[-1 - s] for s in source], axis=1)


RNG = np.random.default_rng(0)
P = 11
MAKERS = {
    "identity": lambda: LinearViews.identity(P, 3),
    "subset": lambda: LinearViews.subset(RNG.integers(0, P, (3, 4)), P),
    "dense": lambda: LinearViews.dense(RNG.standard_normal((3, P, 13))),
    "dense on some": lambda: LinearViews.dense(RNG.standard_normal((3, 5, 5)), RNG.integers(0, P, (3, 5)), P),
    "blocks": lambda: LinearViews.blocks(
        [[([0, 4], RNG.standard_normal((2, 2))), ([1], None), ([9, 3, 2], RNG.standard_normal((3, 1)))]] * 3, P
    ),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("n", [1, 300])
def test_the_kernel_sees_what_the_matrix_says(name, n):
    views = MAKERS[name]()
    X = RNG.standard_normal((n, P)).astype(np.float32)
    for v in range(len(views)):
        assert seen(views, v, X) == pytest.approx(X @ views.matrix(v), abs=1e-4)


def mapped_in_order(X, matrix):
    """Sum over the inputs in order, from 0, with each product and each sum rounded to single precision."""
    z = np.zeros((len(X), matrix.shape[1]), np.float32)
    for c in range(len(matrix)):
        z = z + X[:, c, None] * matrix[c]
    return z


def bits(z):
    return np.ascontiguousarray(z).view(np.uint32)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 50, 63, 64, 65, 81, 128, 200])
@pytest.mark.parametrize("n_out", [1, 2, 3, 4, 5, 6, 7, 64, 67, 130])
def test_mapped_columns_are_sums_in_order(n, n_out):
    """Bit for bit, -0, infinities and NaN included, columns at any distance, and no column written beyond n."""
    rng = np.random.default_rng(n + n_out)
    for n_in in (1, 2, 3, 4, 9):
        X = (rng.standard_normal((n, 12)) * 10.0 ** rng.integers(-30, 30, (n, 12))).astype(np.float32)
        X[rng.random((n, 12)) < 0.1] = -0.0
        X[rng.random((n, 12)) < 0.01] = 3e38
        columns = rng.integers(0, 12, n_in + 2, dtype=np.int32)
        matrices = rng.standard_normal(1 + 2 * n_in * n_out).astype(np.float32)
        parts = np.array([[0, 2, -1, 2], [2, n_in, 1, n_out], [1, n_in, 1 + n_in * n_out, n_out]])
        with np.errstate(all="ignore"):
            expected = np.hstack(
                [
                    mapped_in_order(
                        X[:, columns[first : first + n_in]], matrices[at : at + n_in * n_out].reshape(n_in, n_out)
                    )
                    for first, _, at, _ in parts[1:]
                ]
            )
        for left_out in (0, 5, 16):
            data = np.full((12, n + left_out + 1), np.nan, np.float32)[:, left_out:]
            data[:, :n] = X.T
            stored = np.full((2 * n_out, n + 3 * left_out + 1), 7, np.float32)
            _project(parts, columns, matrices, data, n, stored)
            assert np.array_equal(np.isnan(stored[:, :n].T), np.isnan(expected))
            there = ~np.isnan(expected)
            assert np.array_equal(bits(stored[:, :n].T)[there], bits(expected)[there])
            assert (stored[:, n:] == 7).all()


def test_numbers_of_one_are_not_copied():
    matrices = RNG.standard_normal((3, 5, 5)).astype(np.float32)
    views = LinearViews.dense(matrices, RNG.integers(0, P, (3, 5)), P).beside(LinearViews.subset([[1]] * 3, P))
    assert np.shares_memory(views.matrices, matrices)
    assert np.array_equal(views.matrix(1)[:, 5], np.eye(P)[1])


def test_amounts_are_spread_by_squared_weights():
    views = LinearViews.concatenate([MAKERS[name]() for name in ("identity", "dense", "blocks")])
    views = views.beside(LinearViews.blocks([[([2, 5], np.ones((2, 3)))]] * len(views), P))
    amounts = RNG.random((len(views), int(views.widths().max()) + 1))
    found = views.spread(amounts)
    for v, width in enumerate(views.widths()):
        squares = views.matrix(v).astype(float) ** 2
        assert found[v] == pytest.approx(squares / squares.sum(axis=0) @ amounts[v, :width], rel=1e-6)


@given(names=st.lists(st.sampled_from(sorted(MAKERS)), min_size=2, max_size=4))
def test_parts_side_by_side(names):
    made = [MAKERS[name]() for name in names]
    joined = made[0].beside(*made[1:])
    for v in range(3):
        assert np.array_equal(joined.matrix(v), np.hstack([m.matrix(v) for m in made]))
    one_after_the_other = LinearViews.concatenate(made)
    assert len(one_after_the_other) == 3 * len(made)
    assert np.array_equal(one_after_the_other.matrix(3), made[1].matrix(0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearViews.subset([[0, 3]], 3), "column numbers must be from 0 to 2, got 0 to 3"),
        (lambda: LinearViews.blocks([[([0, 1], np.eye(3))]], 3), "2 columns needs a matrix of 2 rows"),
        (
            lambda: LinearViews.concatenate([LinearViews.identity(2), LinearViews.identity(3)]),
            "all views must have the same number of columns",
        ),
        (
            lambda: LinearViews.identity(2, 3).beside(LinearViews.identity(2, 2)),
            "the parts must have the same number of views",
        ),
        (
            lambda: grow(
                np.eye(3, dtype=np.float32), [0, 1, 2], [TreeGroup(5, LinearViews.identity(3, 2), name="odd")]
            ),
            "group odd: 5 trees are not a multiple of 2 views",
        ),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def grow(X, y, families, **options):
    return grow_forest(TrainingRows(X, y, 3), families, TreeOptions(), np.random.SeedSequence(3), **options)


def test_a_tree_on_a_view_is_a_tree_on_the_mapped_data(iris):
    X, y = iris[0].astype(np.float32), iris[1]
    matrices = np.linalg.qr(RNG.standard_normal((6, 4, 4)))[0].astype(np.float32)
    ours, _ = grow(X, y, [TreeGroup(6, LinearViews.dense(matrices))])
    for t in range(6):
        mapped, _ = grow(seen(LinearViews.dense(matrices), t, X), y, [TreeGroup(6)])
        a, b = ours.arrays(t), mapped.arrays(t)
        assert all(np.array_equal(a[k], b[k]) for k in a)


def test_families_do_not_disturb_each_other(iris):
    X, y = iris[0].astype(np.float32), iris[1]
    rotated = LinearViews.dense(np.linalg.qr(RNG.standard_normal((5, 4, 4)))[0])
    first = TreeGroup(8, name="id")
    second = TreeGroup(10, LinearViews.identity(4).beside(rotated), splitter="random", max_features=3, name="mixed")
    both, oob = grow(X, y, [first, second])
    alone, oob_alone = grow(X, y, [first])
    assert len(both) == 18
    assert all(np.array_equal(both.arrays(t)["threshold"], alone.arrays(t)["threshold"]) for t in range(8))
    assert np.array_equal(oob[0].sums, oob_alone[0].sums)
    assert split_columns(both.nodes).max() > 3  # the second family splits on mapped columns
    assert np.nanmax(oob[1].tree_errors) < 0.5
