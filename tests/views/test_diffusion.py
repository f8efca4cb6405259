"""Diffusion maps: their definition, analytic eigenfunctions, extension, widths, landmarks and conventions."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eig
from scipy.spatial.distance import cdist, pdist

from rotastack.views import DiffusionMap, diffusion
from rotastack.views.diffusion import _Gaussian

EXTENSIONS = ["markov", "kernel", "harmonics"]


def points(n=40, p=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def markov(X, epsilon):
    """Return the matrix of the walk and its degrees, by the formulas."""
    W = np.array([[np.exp(-((x - y) ** 2).sum() / (2 * epsilon)) for y in X] for x in X])
    d = W.sum(axis=1)
    return W / d[:, None], d


@pytest.mark.parametrize("t", [1, 2])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_coordinates_are_those_of_a_solver_for_any_matrix(epsilon, t):
    X = points()
    M, d = markov(X, epsilon)
    values, right = eig(M)
    order = np.argsort(-values.real)[1:7]
    values, right = values.real[order], right.real[:, order]
    right *= np.sqrt(d.sum() / (d @ right**2))
    right *= np.sign(right[np.abs(right).argmax(axis=0), np.arange(6)])
    view = DiffusionMap(6, epsilon=epsilon, t=t).fit(X)
    np.testing.assert_allclose(view.eigenvalues_, values, atol=1e-12)
    np.testing.assert_allclose(view.embedding_, values**t * right, atol=1e-9)
    assert (np.diff(view.eigenvalues_) <= 0).all()


@settings(derandomize=True)
@given(n=st.integers(3, 15), p=st.integers(1, 4), epsilon=st.floats(0.05, 5), seed=st.integers(0, 999))
def test_distances_are_diffusion_distances(n, p, epsilon, seed):
    X = points(n, p, seed)
    M, d = markov(X, epsilon)
    stationary = d / d.sum()  # phi_0
    expected = [[((M[x] - M[y]) ** 2 / stationary).sum() for y in range(n)] for x in range(n)]  # (6) as it is meant
    every = DiffusionMap(n - 1, random_state=0, epsilon=epsilon).fit(X)  # all components
    found = cdist(every.embedding_, every.embedding_, "sqeuclidean")  # (7)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_parts_that_do_not_reach_each_other_are_told_apart():
    """1 is then an eigenvalue three times; its coordinates are constant on parts, and none is psi_0."""
    X = np.concatenate([points(20, 2, k) + 1000 * k for k in range(3)])
    view = DiffusionMap(3, epsilon=1.0).fit(X)
    np.testing.assert_allclose(view.eigenvalues_[:2], 1, atol=1e-12)
    assert view.eigenvalues_[2] < 1 - 1e-6
    parts = view.embedding_[:, :2].reshape(3, 20, 2)
    np.testing.assert_allclose(parts, np.broadcast_to(parts[:, :1], parts.shape), atol=1e-9)
    assert pdist(parts[:, 0]).min() > 1


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.02, 0.05, 0.1, 1e4, 1e8, 1e300])
@pytest.mark.parametrize("extension", EXTENSIONS)
def test_extreme_widths_keep_the_number_of_components(epsilon, extension):
    """From no connection at all, where LAPACK's solver for a few eigenvalues finds too few, to one point."""
    X = points(300, 8)
    view = DiffusionMap(epsilon=epsilon, extension=extension).fit(X)
    Z = view.transform(X)
    assert Z.shape == (300, 4)
    assert np.isfinite(Z).all()
    if extension == "markov":
        np.testing.assert_allclose(Z, view.embedding_, atol=1e-15 + 1e-9 * np.abs(view.embedding_).max())
    assert Z.any() or epsilon == 1e300


@pytest.mark.parametrize("t", [0, 1, 2])
def test_new_rows_by_the_formula(t):
    X, new = points(50, 3), points(7, 3, seed=1)
    view = DiffusionMap(4, epsilon=0.8, t=t).fit(X)
    psi = DiffusionMap(4, epsilon=0.8, t=0).fit(X).embedding_
    for x, z in zip(new, view.transform(new), strict=True):
        w = np.exp(-((x - X) ** 2).sum(axis=1) / 1.6)
        extended = sum(w[y] / w.sum() * psi[y] for y in range(50)) / view.eigenvalues_
        np.testing.assert_allclose(z, view.eigenvalues_**t * extended, atol=1e-9)


@pytest.mark.parametrize("delta", [0.1, 1e-3])
def test_new_rows_by_equation_13(delta):
    X, new = points(50, 3), points(7, 3, seed=1)
    view = DiffusionMap(4, epsilon=0.8, extension="kernel", delta=delta).fit(X)
    values, functions = np.linalg.eigh(np.exp(-cdist(X, X, "sqeuclidean") / 1.6))
    kept = [k for k in range(50) if values[k] >= delta * values[-1]]
    assert 1 < len(kept) < 50
    for x, z in zip(new, view.transform(new), strict=True):
        w = np.exp(-((x - X) ** 2).sum(axis=1) / 1.6)
        extended = {k: w @ functions[:, k] / values[k] for k in kept}  # (11)
        expected = sum(functions[:, k] @ view.embedding_ * extended[k] for k in kept)
        np.testing.assert_allclose(z, expected, atol=1e-9)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_a_row_without_weights_gets_its_nearest_landmark(extension):
    X = points(30, 2)
    view = DiffusionMap(2, epsilon=0.5, extension=extension).fit(X)
    far = np.array([[1e4, 3.0], [-2.0, -1e6], [1e200, 0.0]])
    nearest = cdist(far[:2], X).argmin(axis=1)
    np.testing.assert_array_equal(view.transform(far)[:2], view.embedding_[nearest])


def test_tiny_weights_are_weights():
    """Just before all weights are 0 a step of the walk still leads to landmarks in proportion to them."""
    X = np.array([[0.0, 0.0], [0.0, 0.3], [0.4, 0.1]])
    view = DiffusionMap(2, epsilon=0.5, n_landmarks=3).fit(X)
    psi = DiffusionMap(2, epsilon=0.5, t=0).fit(X).embedding_
    for away in (15.0, 20.0, 23.0, 24.0, 26.0, 27.0, 27.2):
        x = np.array([-away, 0.0])
        exponents = -((x - X) ** 2).sum(axis=1)
        w = np.exp(exponents - exponents.max())
        np.testing.assert_allclose(view.transform([x])[0], w @ psi / w.sum(), atol=1e-9, err_msg=str(away))
    np.testing.assert_array_equal(view.transform([[-27.5, 0.0]])[0], view.embedding_[0])


def test_rows_far_from_the_origin_lose_nothing():
    near = points(40, 3)
    X = np.concatenate([near, near + 1e7])  # products of rows have no digit left for differences
    view = DiffusionMap(4, epsilon=1.0).fit(X)
    assert not _Gaussian(view.landmarks_, 1.0).by_product
    np.testing.assert_allclose(view.transform(X), view.embedding_, atol=1e-9)
    moved = DiffusionMap(4, epsilon=1.0).fit(near + 1e5).eigenvalues_
    np.testing.assert_allclose(DiffusionMap(4, epsilon=1.0).fit(near).eigenvalues_, moved, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("extension", ["kernel", "harmonics"])
def test_only_rows_outside_the_sample_are_extended(extension, dtype):
    """Algorithm 1, steps 3 and 4. A row that equals a landmark is no new point."""
    X = np.concatenate([points(60, 3)] * 2).astype(dtype)
    X[0, 0], X[60, 0] = 0.0, -0.0
    view = DiffusionMap(2, epsilon=0.8, n_landmarks=40, extension=extension, delta=0.1, random_state=1).fit(X)
    Z, rows = view.transform(X), view.landmark_rows_
    np.testing.assert_array_equal(Z[rows], view.embedding_.astype(dtype))
    np.testing.assert_array_equal(Z[(rows + 60) % 120], Z[rows])
    others = np.setdiff1d(np.arange(120), [*rows, *(rows + 60) % 120])
    assert len(others) == 40
    w = np.exp(-cdist(X[others], view.landmarks_, "sqeuclidean") / (2 * view.extension_epsilon_))
    np.testing.assert_allclose(Z[others], w @ view.coefficients_, atol=1e-5)


def test_harmonics_of_the_same_width_are_the_kernel_s():
    X, new = points(80, 3), points(7, 3, seed=1)
    kernel = DiffusionMap(6, epsilon=0.7, extension="kernel").fit(X)
    same = DiffusionMap(6, epsilon=0.7, extension="harmonics", extension_epsilon=0.7).fit(X)
    np.testing.assert_array_equal(same.transform(new), kernel.transform(new))


def test_harmonics_take_the_widest_kernel_that_nearly_meets_the_landmarks():
    X = points(80, 3)
    near = []
    for width in 20 / 2 ** np.arange(7):
        view = DiffusionMap(6, epsilon=20.0, extension="harmonics", extension_epsilon=width).fit(X)
        found = np.exp(-cdist(X, X, "sqeuclidean") / (2 * width)) @ view.coefficients_
        if np.linalg.norm(found - view.embedding_) <= 0.05 * np.linalg.norm(view.embedding_):
            near.append(width)
    assert 1 < len(near) < 7
    widest = max(near)
    assert DiffusionMap(6, epsilon=20.0, extension="harmonics").fit(X).extension_epsilon_ == widest


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_blocks_and_order_of_rows_do_not_matter(extension, monkeypatch):
    X = points(300, 5)
    view = DiffusionMap(epsilon=1.0, n_landmarks=60, extension=extension, random_state=0).fit(X)
    Z = view.transform(X)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_allclose(view.transform(X[order]), Z[order], atol=1e-12)
    monkeypatch.setattr(diffusion, "_AT_ONCE", 7 * 60)
    np.testing.assert_allclose(view.transform(X), Z, atol=1e-12)


def test_a_squared_width_makes_the_map_independent_of_the_unit():
    X = points(30, 3)
    found = DiffusionMap(epsilon="random_squared", random_state=2).fit(X)
    assert found.epsilon_ == pytest.approx(DiffusionMap(random_state=2).fit(X).epsilon_ ** 2)
    in_inches = DiffusionMap(epsilon="random_squared", random_state=2).fit(X / 2.54)
    np.testing.assert_allclose(in_inches.embedding_, found.embedding_, atol=1e-9)


def test_a_distance_of_zero_is_drawn_again():
    X = np.repeat([[0.0, 0.0], [3.0, 4.0]], [20_000, 1], axis=0)  # hardly ever found by chance
    assert DiffusionMap(random_state=1).fit(X).epsilon_ == 5.0


def test_all_pairs_of_different_rows_are_as_likely():
    X = np.repeat([[0.0], [1.0], [3.0]], [15, 4, 1], axis=0)
    found = [DiffusionMap(random_state=seed).fit(X).epsilon_ for seed in range(400)]
    expected = 400 * np.array([15 * 4, 4 * 1, 15 * 1]) / 79
    assert np.abs(np.bincount(np.array(found, dtype=int), minlength=4)[1:] - expected).max() < 4 * np.sqrt(400 * 0.19)


def test_landmarks_are_distinct_rows():
    X = np.repeat(points(25, 2), np.arange(1, 26), axis=0)
    X[:2] = [[0.0, 1.0], [-0.0, 1.0]]  # equal
    view = DiffusionMap(n_landmarks=600, random_state=0).fit(X)
    assert len(view.landmarks_) == len(np.unique(X + 0.0, axis=0))
    assert (np.diff(view.landmark_rows_) > 0).all()
    np.testing.assert_array_equal(view.landmarks_, X[view.landmark_rows_])
    few = DiffusionMap(n_landmarks=7, random_state=0).fit(X).landmarks_
    assert len(few) == len(np.unique(few, axis=0)) == 7


@pytest.mark.parametrize(
    ("given", "shape", "n_components"),
    [
        ({}, (30, 7), 4),
        ({}, (30, 1), 1),
        ({}, (3, 9), 2),
        ({"n_landmarks": 4}, (30, 9), 3),
        ({"n_components": 9}, (30, 3), 9),
    ],
)  # at most one less than landmarks
def test_number_of_components(given, shape, n_components):
    view = DiffusionMap(**given).fit(points(*shape))
    assert view.n_components_ == view.embedding_.shape[1] == n_components


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 20}, "n_components is 20; 20 landmarks (distinct rows) allow at most 19"),
        ({"n_components": 5, "n_landmarks": 5}, "n_components is 5; 5 landmarks"),
        ({"n_landmarks": 1}, "'n_landmarks' parameter"),
        ({"epsilon": 0}, "'epsilon' parameter"),
        ({"epsilon": np.inf}, "Got inf"),
        ({"extension_epsilon": 0}, "'extension_epsilon' parameter"),
        ({"extension": "nystroem"}, "'extension' parameter"),
        ({"epsilon": "median"}, "'epsilon' parameter"),
        ({"delta": 0}, "in the range (0.0, 1.0]. Got 0"),
        ({"t": -1}, "in the range [0.0, inf). Got -1"),
    ],
)
def test_parameters_outside_their_range(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        DiffusionMap(**options).fit(points(20, 3))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2.0]], "minimum of 2 is required"),
        (np.ones((9, 2)), "all 9 rows of X are equal"),
        ([[1.0], [np.nan], [2.0]], "NaN"),
        ([[1e308], [-1e308]], "scale the columns first"),
    ],
)
def test_rows_of_which_no_map_can_be_made(rows, message):
    with pytest.raises(ValueError, match=message):
        DiffusionMap().fit(rows)


def test_landmarks_are_drawn_by_the_seed_alone():
    X = points(200, 6)
    first, other, another = (
        DiffusionMap(n_landmarks=40, epsilon=epsilon, random_state=seed).fit(X).landmark_rows_.tolist()
        for epsilon, seed in (("random", 5), (1.0, 5), ("random", 6))
    )
    assert first == other != another
