"""Diffusion maps: their widths, landmarks and conventions."""

import pickle
import re

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from tests.views.maps import points

from rotastack import PooledEnsembleClassifier
from rotastack.views import DiffusionMap


class TestWidthAndLandmarks:
    def test_a_random_width_is_a_distance_of_rows(self):
        X = points(20, 3)
        distances = pdist(X)
        found = [DiffusionMap(random_state=seed).fit(X).epsilon_ for seed in range(60)]
        assert all(np.isclose(distances, width, rtol=1e-12).any() for width in found)
        assert len(set(found)) > 40

    def test_it_comes_from_all_rows_and_not_from_landmarks(self):
        X = points(200, 3)
        view = DiffusionMap(n_landmarks=2, random_state=0)
        among = [
            np.isclose(view.set_params(random_state=s).fit(X).epsilon_, pdist(view.landmarks_)).any() for s in range(20)
        ]
        assert not all(among)

    def test_a_distance_of_zero_is_drawn_again(self):
        X = np.repeat([[0.0, 0.0], [3.0, 4.0]], [19, 1], axis=0)  # one pair in ten has a distance
        assert {DiffusionMap(random_state=seed).fit(X).epsilon_ for seed in range(20)} == {5.0}
        X = np.repeat([[0.0, 0.0], [3.0, 4.0]], [20_000, 1], axis=0)  # hardly ever found by chance
        for epsilon in ("random", "median", ("quantile", 0.1)):
            assert DiffusionMap(epsilon=epsilon, random_state=1).fit(X).epsilon_ == 5.0

    def test_all_pairs_of_different_rows_are_as_likely(self):
        X = np.repeat([[0.0], [1.0], [3.0]], [15, 4, 1], axis=0)
        found = [DiffusionMap(random_state=seed).fit(X).epsilon_ for seed in range(400)]
        expected = 400 * np.array([15 * 4, 4 * 1, 15 * 1]) / 79
        assert np.abs(np.bincount(np.array(found, dtype=int), minlength=4)[1:] - expected).max() < 4 * np.sqrt(
            400 * 0.19
        )

    def test_quantiles_are_exact_where_there_are_few_pairs(self):
        X = np.concatenate([points(30, 3)] * 2)
        positive = pdist(X)[pdist(X) > 1e-12]
        assert DiffusionMap(epsilon="median").fit(X).epsilon_ == pytest.approx(np.median(positive))
        for q in (0, 0.25, 1):
            view = DiffusionMap(epsilon=("quantile", q)).fit(X)
            assert view.epsilon_ == pytest.approx(np.quantile(positive, q))

    def test_quantiles_of_many_rows_are_near(self):
        X = points(2000, 3)
        found = [DiffusionMap(epsilon="median", n_landmarks=10, random_state=s).fit(X).epsilon_ for s in range(3)]
        np.testing.assert_allclose(found, np.median(pdist(X)), rtol=0.03)
        assert len(set(found)) == 3

    def test_a_number_is_taken_as_it_is(self):
        assert DiffusionMap(epsilon=np.float32(0.5)).fit(points()).epsilon_ == 0.5
        assert DiffusionMap(epsilon=2).fit(points()).epsilon_ == 2.0

    def test_landmarks_are_distinct_rows(self):
        X = np.repeat(points(25, 2), np.arange(1, 26), axis=0)
        X[0, 0] = X[1, 0] = 0.0
        X[0, 1] = X[1, 1] = 1.0
        X[1, 0] = -0.0  # equal to 0.0
        view = DiffusionMap(n_landmarks=600, random_state=0).fit(X)
        assert len(view.landmarks_) == len(np.unique(X + 0.0, axis=0))
        assert (np.diff(view.landmark_rows_) > 0).all()
        np.testing.assert_array_equal(view.landmarks_, X[view.landmark_rows_])
        few = DiffusionMap(n_landmarks=7, random_state=0).fit(X)
        assert few.landmarks_.shape == (7, 2)
        assert len(np.unique(few.landmarks_, axis=0)) == 7
        assert DiffusionMap(n_landmarks=7, random_state=1).fit(X).landmark_rows_.tolist() != few.landmark_rows_.tolist()

    def test_every_row_is_as_likely(self):
        X = np.arange(30.0)[:, None]
        counts = np.zeros(30)
        for seed in range(300):
            counts[DiffusionMap(epsilon=1.0, n_landmarks=10, random_state=seed).fit(X).landmark_rows_] += 1
        assert np.abs(counts - 100).max() < 5 * np.sqrt(300 * 2 / 9)

    def test_number_of_components(self):
        assert DiffusionMap().fit(points(30, 7)).n_components_ == 4
        assert DiffusionMap().fit(points(30, 1)).n_components_ == 1
        assert DiffusionMap().fit(points(3, 9)).n_components_ == 2  # one less than landmarks
        assert DiffusionMap(n_landmarks=4).fit(points(30, 9)).n_components_ == 3
        assert DiffusionMap(9).fit(points(30, 3)).embedding_.shape == (30, 9)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_components": 0}, "'n_components' parameter"),
            ({"n_components": 1.5}, "'n_components' parameter"),
            ({"n_components": 20}, "n_components is 20; 20 landmarks (distinct rows) allow at most 19"),
            ({"n_components": 5, "n_landmarks": 5}, "n_components is 5; 5 landmarks"),
            ({"n_landmarks": 1}, "'n_landmarks' parameter"),
            ({"n_landmarks": None}, "'n_landmarks' parameter"),
            ({"epsilon": 0}, "'epsilon' parameter"),
            ({"epsilon": -1.0}, "'epsilon' parameter"),
            ({"epsilon": np.nan}, "Got nan"),
            ({"epsilon": np.inf}, "Got inf"),
            ({"epsilon": "mean"}, "Got 'mean'"),
            ({"epsilon": ("quantile", 1.5)}, "with q from 0 to 1"),
            ({"epsilon": ("median", 0.5)}, "epsilon must be"),
            ({"epsilon": None}, "Got None"),
            ({"extension": "nystroem"}, "Got 'nystroem'"),
            ({"delta": 0}, "in the range (0.0, 1.0]. Got 0"),
            ({"delta": 1.5}, "in the range (0.0, 1.0]. Got 1.5"),
            ({"t": -1}, "in the range [0.0, inf). Got -1"),
            ({"t": np.nan}, "Got nan"),
            ({"t": "2"}, "Got '2'"),
        ],
    )
    def test_parameters_outside_their_range(self, options, message):
        with pytest.raises(ValueError, match=re.escape(message)):
            DiffusionMap(**options).fit(points(20, 3))

    def test_rows_of_which_no_map_can_be_made(self):
        with pytest.raises(ValueError, match="minimum of 2 is required"):
            DiffusionMap().fit([[1.0, 2.0]])
        with pytest.raises(ValueError, match="all 9 rows of X are equal"):
            DiffusionMap().fit(np.ones((9, 2)))
        with pytest.raises(ValueError, match="NaN"):
            DiffusionMap().fit([[1.0], [np.nan], [2.0]])
        with pytest.raises(ValueError, match="scale the columns first"):
            DiffusionMap().fit([[1e308], [-1e308]])
        view = DiffusionMap().fit(points(20, 3))
        with pytest.raises(ValueError, match="NaN"):
            view.transform([[1.0, np.nan, 2.0]])

    def test_two_rows_are_enough(self):
        Z = DiffusionMap(epsilon=1.0).fit_transform([[0.0], [1.0]])
        w = np.exp(-0.5)
        np.testing.assert_allclose(np.abs(Z), (1 - w) / (1 + w))  # psi is 1 and -1
        assert Z[0, 0] > 0  # of two entries of one size the first is positive
        assert Z.sum() == pytest.approx(0)


class TestConventions:
    def test_one_seed_gives_one_map(self):
        X = points(200, 6)
        first = DiffusionMap(n_landmarks=40, random_state=5).fit(X)
        for again in (clone(first).fit(X), pickle.loads(pickle.dumps(first))):
            assert again.epsilon_ == first.epsilon_
            np.testing.assert_array_equal(again.transform(X), first.transform(X))
        other = DiffusionMap(n_landmarks=40, epsilon="median", random_state=5).fit(X)
        np.testing.assert_array_equal(other.landmark_rows_, first.landmark_rows_)
        assert (DiffusionMap(n_landmarks=40, random_state=6).fit(X).landmark_rows_ != first.landmark_rows_).any()

    @pytest.mark.parametrize("extension", ["markov", "kernel"])
    def test_single_precision_in_and_out(self, extension):
        X = points(100, 4).astype(np.float32)
        view = DiffusionMap(epsilon="median", n_landmarks=30, extension=extension, random_state=0).fit(X)
        Z = view.transform(X)
        assert Z.dtype == np.float32
        assert view.embedding_.dtype == np.float64
        np.testing.assert_allclose(Z, view.transform(X.astype(np.float64)), rtol=1e-6, atol=1e-7)

    def test_names_and_input_left_alone(self):
        X = points(30, 5)
        before = X.copy()
        view = DiffusionMap(random_state=0).fit(X)
        view.transform(X)
        np.testing.assert_array_equal(X, before)
        assert view.get_feature_names_out().tolist() == ["diffusionmap0", "diffusionmap1", "diffusionmap2"]

    def test_members_of_a_pool(self):
        X, y = load_iris(return_X_y=True)
        model = PooledEnsembleClassifier(
            DiffusionMap(n_landmarks=40), DecisionTreeClassifier(), n_estimators=5, random_state=0
        )
        assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85
