import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.views import MultiRotation, RandomRotation
from rotastack.views.haar import direct_rotation, draw_rotations, haar_rotations


@given(p=st.integers(1, 30), seed=st.integers(0, 10**6), flip=st.booleans())
def test_orthogonal_and_determinant(p, seed, flip):
    R = haar_rotations(p, np.random.default_rng(seed), 1, flip)[0]
    np.testing.assert_allclose(R @ R.T, np.eye(p), atol=1e-10)
    if not flip:
        assert np.linalg.det(R) == pytest.approx(1)


def test_flip_gives_both_signs():
    R = haar_rotations(3, np.random.default_rng(0), size=200, flip=True)
    assert 60 < (np.linalg.det(R) > 0).sum() < 140


@pytest.mark.parametrize("p", [2, 3, 5])
def test_distribution_is_uniform(p):
    """Entries have mean 0 and variance 1/p, and images of a fixed vector have uniform directions."""
    n = 20000
    R = haar_rotations(p, np.random.default_rng(1), size=n)
    np.testing.assert_allclose(R.mean(axis=0), 0, atol=5 / np.sqrt(n * p))
    np.testing.assert_allclose(R.var(axis=0), 1 / p, rtol=0.08)
    fourth = 3 / (p * (p + 2))  # E of the fourth power of a coordinate of a uniform unit vector
    np.testing.assert_allclose((R**4).mean(axis=0), fourth, rtol=0.08)


def test_few_axes_are_rotated_when_there_are_many():
    X = np.random.default_rng(0).normal(size=(10, 30))
    view = RandomRotation(max_axes=5, random_state=1).fit(X)
    moved = ~np.isclose(view.transform(X), X).all(axis=0)
    assert len(view.axes_) == 5
    assert np.flatnonzero(moved).tolist() == view.axes_.tolist()
    np.testing.assert_allclose(view.transform(X), (X - view.mean_) @ view.rotation_)


def test_from_matrix_is_the_same_view():
    X = np.random.default_rng(0).normal(size=(8, 4))
    drawn = RandomRotation(random_state=5).fit(X)
    assert (RandomRotation.from_matrix(drawn.block_, drawn.axes_, 4).transform(X) == drawn.transform(X)).all()


def test_direct_method_is_the_printed_listing():
    rng = np.random.default_rng(4)
    a = np.random.default_rng(4).standard_normal(5)
    a /= np.linalg.norm(a)
    b = np.eye(5)[0]
    printed = 2 * np.outer(a + b, a + b) / ((a + b) @ (a + b)) - np.eye(5)
    np.testing.assert_allclose(direct_rotation(5, rng), printed)


def test_many_at_once_are_the_same_one_by_one(monkeypatch):
    sequence = np.random.SeedSequence(3)
    axes, few = draw_rotations(7, sequence, 3, max_axes=4)
    more_axes, many = draw_rotations(7, sequence, 10, max_axes=4)
    np.testing.assert_array_equal(axes, more_axes[:3])
    np.testing.assert_array_equal(few, many[:3])
    _, single = draw_rotations(7, sequence, 3, max_axes=4, dtype=np.float32)
    np.testing.assert_array_equal(few.astype(np.float32), single)
    monkeypatch.setattr("rotastack.views.haar._AT_ONCE", 80)
    _, pieces = draw_rotations(7, sequence, 10, max_axes=4)
    np.testing.assert_array_equal(many, pieces)


@given(seed=st.integers(0, 1000), p=st.integers(1, 8), max_axes=st.integers(2, 9))
def test_histogram_transform_stretches_first_and_keeps_its_promise(seed, p, max_axes):
    X = np.random.default_rng(seed).normal(size=(6, p))
    view = RandomRotation(stretch=True, translate=True, max_axes=max_axes, random_state=seed).fit(X)
    np.testing.assert_allclose(view.transform(X), (X - view.mean_) @ view.rotation_, atol=1e-9)
    stretch = np.linalg.norm(view.rotation_, axis=1)  # rows of S R are the rows of R, stretched
    assert 0.5 - 1e-9 <= stretch.min() <= stretch.max() <= 2 + 1e-9
    scaled = view.rotation_ / stretch[:, None]
    np.testing.assert_allclose(scaled @ scaled.T, np.eye(p), atol=1e-9)
    moved = view.transform(np.zeros((1, p)))[0]
    assert -1e-9 <= moved.min() <= moved.max() <= 1 + 1e-9


def test_multi_rotation_puts_rotations_beside_the_features():
    X = np.random.default_rng(0).normal(size=(9, 5))
    view = MultiRotation(n_rotations=4, random_state=2).fit(X)
    Z = view.transform(X)
    np.testing.assert_array_equal(Z[:, :5], X)
    np.testing.assert_allclose(view.blocks_ @ view.blocks_.swapaxes(1, 2), [np.eye(5)] * 3, atol=1e-9)
    np.testing.assert_allclose(Z[:, 5:], np.hstack(X @ view.blocks_))
    np.testing.assert_array_equal(MultiRotation(n_rotations=2, random_state=2).fit_transform(X), Z[:, :10])
    few = MultiRotation(n_rotations=2, max_axes=3, random_state=0).fit(X)
    assert few.transform(X).shape[1:] == few.get_feature_names_out().shape == (8,)
    with pytest.raises(ValueError, match="'n_rotations' parameter"):
        MultiRotation(0).fit(X)
