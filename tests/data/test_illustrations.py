from functools import partial

import numpy as np
import pytest

from rotastack.data.illustrations import gaussian_mixture, triangle_problem
from rotastack.errors import RotastackError


def test_posterior_is_the_ratio_of_densities():
    _, _, posterior = gaussian_mixture(1, np.random.default_rng(0))
    (means,) = posterior.args
    points = np.random.default_rng(1).uniform(-3, 4, (50, 2))
    for point, probability in zip(points, posterior(points), strict=True):
        density = [
            sum(np.exp(-np.sum((point - m) ** 2) / 0.4) / (2 * np.pi * 0.2) for m in means[k]) / 10
            for k in (0, 1)
        ]
        assert probability == pytest.approx(density[1] / (density[0] + density[1]), rel=1e-9)


def test_posterior_keeps_the_shape_of_a_grid_and_is_finite_far_away():
    _, _, posterior = gaussian_mixture(1, np.random.default_rng(0))
    grid = np.stack(np.meshgrid(np.linspace(-1, 2, 7), np.linspace(-1, 2, 5)), axis=-1)
    assert posterior(grid).shape == (5, 7)
    assert posterior(grid)[2, 3] == posterior(grid[2, 3])
    far = posterior([[500.0, -500.0], [-500.0, 500.0]])
    assert set(far) <= {0.0, 1.0}  # no 0 / 0


def test_rows_of_the_mixture_follow_its_posterior():
    X, y, posterior = gaussian_mixture(200_000, np.random.default_rng(4))
    p = posterior(X)
    tenth = np.minimum((10 * p).astype(int), 9)
    for k in range(10):
        inside = tenth == k
        assert inside.sum() > 500
        assert y[inside].mean() == pytest.approx(p[inside].mean(), abs=4 * 0.5 / np.sqrt(inside.sum()))


def test_mixture_has_balanced_classes_and_the_stated_moments():
    X, y, posterior = gaussian_mixture(100_001, np.random.default_rng(0))
    assert np.bincount(y).tolist() == [50_001, 50_000]
    assert np.bincount(y[:11]).tolist() == [6, 5]
    (means,) = posterior.args
    for k in (0, 1):
        np.testing.assert_allclose(X[y == k].mean(axis=0), means[k].mean(axis=0), atol=0.03)
        np.testing.assert_allclose(
            np.cov(X[y == k].T), np.cov(means[k].T, bias=True) + 0.2 * np.eye(2), atol=0.05
        )


def test_means_are_drawn_around_the_centres_of_the_classes():
    rng = np.random.default_rng(0)
    means = np.array([gaussian_mixture(1, rng)[2].args[0] for _ in range(2000)])
    np.testing.assert_allclose(means.mean(axis=(0, 2)), [[1, 0], [0, 1]], atol=0.03)
    np.testing.assert_allclose(means.std(axis=(0, 2)), 1, atol=0.03)


def test_equal_seeds_give_equal_means_for_any_number_of_rows():
    small, large = (gaussian_mixture(n, np.random.default_rng(7))[2] for n in (3, 300))
    np.testing.assert_array_equal(small([[0.3, 0.4], [1, 1]]), large([[0.3, 0.4], [1, 1]]))
    assert isinstance(small, partial)  # can be pickled


@pytest.mark.parametrize(
    ("case", "below", "above", "share"),
    [
        ("a", [(0.5, 0.49), (0.9, 0.89)], [(0.5, 0.51), (0.1, 0.11)], 1 / 2),
        ("b", [(0.1, 0.49), (0.75, 0.49), (1.0, 0.74)], [(0.1, 0.51), (0.7, 0.51), (1.0, 0.76)], 15 / 32),
        ("c", [(0.1, 0.49), (0.7, 0.69), (1.0, 0.99)], [(0.1, 0.51), (0.5, 0.51), (0.7, 0.71)], 3 / 8),
    ],
)
def test_triangle_problems(case, below, above, share):
    class Fixed:
        def random(self, shape):
            return np.array([*below, *above]).reshape(shape)

    assert triangle_problem(case, 2 * len(below), Fixed())[1].tolist() == [0] * len(below) + [1] * len(above)
    X, y = triangle_problem(case, 100_000, np.random.default_rng(0))
    assert X.min() >= 0
    assert X.max() <= 1
    np.testing.assert_allclose(X.mean(axis=0), 0.5, atol=0.01)
    assert y.mean() == pytest.approx(share, abs=0.006)


def test_unknown_triangle_problem_is_named():
    with pytest.raises(RotastackError, match="case must be 'a', 'b' or 'c', got 'd'"):
        triangle_problem("d", 10, np.random.default_rng(0))
