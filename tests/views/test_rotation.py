import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.views import RandomRotation
from rotastack.views.haar import draw_rotation, haar_rotations


@given(p=st.integers(1, 30), seed=st.integers(0, 10**6), flip=st.booleans())
def test_orthogonal_and_determinant(p, seed, flip):
    R = haar_rotations(p, np.random.default_rng(seed), flip=flip)
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


def test_without_sign_correction_it_would_not_be_uniform():
    """QR alone is biased; this is what the correction is for."""
    q, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((4000, 3, 3)))
    assert np.abs(q.mean(axis=0)).max() > 0.1


def test_one_column_is_the_identity_without_flip():
    assert haar_rotations(1, np.random.default_rng(3)).item() == 1


def test_few_axes_are_rotated_when_there_are_many():
    X = np.random.default_rng(0).normal(size=(10, 30))
    view = RandomRotation(max_axes=5, random_state=1).fit(X)
    moved = ~np.isclose(view.transform(X), X).all(axis=0)
    assert moved.sum() == 5
    assert np.flatnonzero(moved).tolist() == view.axes_.tolist()
    np.testing.assert_allclose(view.transform(X), (X - view.mean_) @ view.rotation_)


def test_float32_stays_float32_and_distances_stay():
    X = np.random.default_rng(0).normal(size=(20, 6)).astype(np.float32)
    Z = RandomRotation(random_state=0).fit_transform(X)
    assert Z.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), np.linalg.norm(X, axis=1), rtol=1e-5)


def test_from_matrix_is_the_same_view():
    X = np.random.default_rng(0).normal(size=(8, 4))
    drawn = RandomRotation(random_state=5).fit(X)
    given_ = RandomRotation.from_matrix(drawn.block_, drawn.axes_, 4)
    assert (given_.transform(X) == drawn.transform(X)).all()


def test_max_axes_too_small_is_refused():
    with pytest.raises(ValueError, match="max_axes must be at least 2"):
        RandomRotation(max_axes=1).fit(np.eye(3))


def test_draw_rotation_picks_sorted_distinct_axes():
    axes, block = draw_rotation(50, np.random.default_rng(0), max_axes=7)
    assert len(set(axes)) == 7
    assert sorted(axes) == list(axes)
    assert block.shape == (7, 7)
