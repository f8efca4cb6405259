"""Inducers that train and ask the members on all linear views at once."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from rotastack import PooledEnsembleClassifier
from rotastack.ensembles.inducers.bayes import GaussianBayesClassifier, PrecisionBayesClassifier
from rotastack.ensembles.inducers.inducer import view_matrix
from rotastack.ensembles.inducers.nearest import NearestNeighborClassifier
from rotastack.views import RandomProjection, RandomRotation, RandomSubspace

PAIRS = [
    (NearestNeighborClassifier(), KNeighborsClassifier(1, algorithm="brute")),
    (GaussianBayesClassifier(), GaussianNB()),
]
VIEWS = [None, RandomProjection(), RandomProjection(kind="sparse"), RandomSubspace(), RandomRotation()]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_by_itself_it_is_scikit_learns(ours, theirs, load):
    X, y = load(return_X_y=True)
    ours.fit(X[::2], y[::2])
    theirs.fit(X[::2], y[::2])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("view", VIEWS)
def test_a_pool_trained_at_once_is_the_pool_trained_one_by_one(ours, theirs, view):
    X, y = load_wine(return_X_y=True)
    pools = [
        PooledEnsembleClassifier(view, estimator, n_estimators=4, random_state=0).fit(X[::2], y[::2])
        for estimator in (ours, theirs)
    ]
    assert pools[0].pool_.forests is not None
    assert pools[1].pool_.forests is None
    np.testing.assert_allclose(*(p.predict_proba(X) for p in pools), atol=1e-5)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_stacking_asks_members_about_rows_they_have_not_seen(ours, theirs):
    from sklearn.linear_model import LogisticRegression

    from rotastack.combine import Stacking

    X, y = load_wine(return_X_y=True)
    stacks = [
        PooledEnsembleClassifier(
            RandomProjection(), e, Stacking(LogisticRegression()), n_estimators=3, cv=3, random_state=0
        ).fit(X, y)
        for e in (ours, theirs)
    ]
    np.testing.assert_allclose(stacks[0].oof_proba_, stacks[1].oof_proba_, atol=1e-4)


def test_nearest_of_equally_near_rows_is_the_first():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    model = NearestNeighborClassifier().fit(X, [0, 1, 2, 3])
    assert model.predict([[1.0, 0.0], [0.0, 0.0], [4.0, 4.0]]).tolist() == [1, 0, 3]


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("n", [3, 511, 512, 513, 1500])
def test_nearest_rows_are_right_to_the_last_digit(n, offset):
    # Rows so close to each other that products in single precision cannot tell them apart.
    rng = np.random.default_rng(n)
    X = offset + np.round(rng.standard_normal((n, 3)), 2) * np.array([1.0, 1e-3, 1e-5])
    Z = X[rng.integers(0, n, 40)] + 1e-4 * rng.standard_normal((40, 3))
    model = NearestNeighborClassifier().fit(X, np.arange(n))
    centre = X.mean(axis=0)
    exact = (((Z - centre)[:, None] - (X - centre)) ** 2).sum(axis=2)
    chosen = exact[np.arange(40), model.predict(Z)]
    np.testing.assert_allclose(chosen, exact.min(axis=1), rtol=1e-12)


def test_ties_of_whole_numbers_are_ties():
    """Nothing may be rounded before distances are compared."""
    rng = np.random.default_rng(0)
    X, Z = rng.integers(0, 3, (700, 12)), rng.integers(0, 3, (300, 12))
    distances = ((Z[:, None] - X) ** 2).sum(axis=2)
    assert ((distances == distances.min(axis=1, keepdims=True)).sum(axis=1) > 1).sum() > 100
    model = NearestNeighborClassifier().fit(X, np.arange(700) % 100)
    np.testing.assert_array_equal(model.predict(Z), distances.argmin(axis=1) % 100)


@pytest.mark.parametrize("power", [-700, -73, -70, 63, 66, 700])
def test_nearest_rows_are_the_same_in_any_unit(power):
    rng = np.random.default_rng(0)
    X, Z, y = rng.standard_normal((700, 3)), rng.standard_normal((300, 3)), np.arange(700) % 100
    expected = NearestNeighborClassifier().fit(X, y).predict(Z)
    unit = 2.0**power
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = NearestNeighborClassifier().fit(unit * X, y).predict(unit * Z)
    np.testing.assert_array_equal(found, expected)


def test_from_very_far_away_all_rows_are_equally_near():
    X = np.random.default_rng(0).standard_normal((300, 3))
    model = NearestNeighborClassifier().fit(X, np.arange(300) == 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for length in (1e20, 1e30, 1e39, 1e50, 1e200, 1e308):
            assert model.predict(length * np.vstack([np.eye(3), -np.eye(3)])).all()


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.0])
@pytest.mark.parametrize(("scale", "offset"), [(1.0, 1e7), (1e-6, 1e3), ([1.0, 1e-8, 1.0], [0.0, 1e2, 0.0])])
def test_naive_bayes_of_small_variances_far_from_zero(scale, offset, var_smoothing):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = offset + np.array(scale) * (rng.standard_normal((200, 3)) + y[:, None])
    ours, theirs = (e(var_smoothing=var_smoothing).fit(X, y) for e in (GaussianBayesClassifier, GaussianNB))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_naive_bayes_with_a_constant_column():
    X, y = load_wine(return_X_y=True)
    X[:, 3] = 1e6
    ours, theirs = GaussianBayesClassifier().fit(X, y), GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_naive_bayes_of_constant_columns_is_the_shares_of_the_classes():
    model = GaussianBayesClassifier().fit(np.full((8, 2), 0.1), [0, 1, 1, 1, 0, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[0.1, 0.1], [3.0, -1e9]]), [[0.25, 0.75]] * 2)


@pytest.mark.parametrize("inducer", [p[0] for p in PAIRS])
def test_memory_does_not_grow_with_the_square_of_the_columns(inducer):
    X = np.random.default_rng(0).standard_normal((20, 2000))
    tracemalloc.start()
    inducer.fit(X, np.arange(20) % 2).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000 * 2000 * 8


def test_naive_bayes_of_a_class_with_one_row():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.2], [9.0, 9.0]])
    y = [0, 0, 0, 1]
    ours, theirs = GaussianBayesClassifier().fit(X, y), GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_a_class_that_a_training_set_lacks_has_probability_zero():
    X, y = load_wine(return_X_y=True)
    parts = [[(np.arange(13), None)]]
    keep = y != 1
    for inducer in (NearestNeighborClassifier(), GaussianBayesClassifier()):
        members = inducer.grow_members(X[None, keep].astype(np.float32), y[keep], 3, parts, [None])
        out = members.outputs(X.astype(np.float32))
        assert out.shape == (1, len(X), 3)
        assert (out[:, :, 1] == 0).all()
        np.testing.assert_allclose(out.sum(axis=2), 1, rtol=1e-5)


def test_matrix_of_a_view_in_parts():
    V = view_matrix([(np.array([2, 0]), None), (np.array([1]), np.array([[3.0, 4.0]]))], 3)
    np.testing.assert_array_equal(np.array([10.0, 20.0, 30.0]) @ V, [30, 10, 60, 80])


@pytest.mark.parametrize("inducer", [p[0] for p in PAIRS])
def test_pools_can_be_pickled_and_cut(inducer):
    X, y = load_wine(return_X_y=True)
    pool = PooledEnsembleClassifier(RandomProjection(), inducer, n_estimators=5, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(pool))
    np.testing.assert_array_equal(again.predict_proba(X), pool.predict_proba(X))
    outputs = pool.pool_.outputs(X)
    np.testing.assert_array_equal(pool.pool_.take(np.array([3, 1])).outputs(X), outputs[[3, 1]])


@pytest.mark.parametrize("smoothing", [-1.0, "much"])
def test_smoothing_is_checked(smoothing):
    with pytest.raises(ValueError, match="var_smoothing"):
        GaussianBayesClassifier(smoothing).fit([[0.0], [1.0]], [0, 1])


@parametrize_with_checks([PrecisionBayesClassifier()])
def test_naive_bayes_with_a_precision_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


def test_naive_bayes_with_a_precision_by_hand():
    """The column has the values 0, 1, 2, 5: its precision is 5 / 3, and it rounds them to 0, 5/3, 5/3, 5."""
    X, y = np.array([[0.0], [1.0], [2.0], [5.0]]), [0, 1, 1, 1]
    model = PrecisionBayesClassifier().fit(X, y)
    p = 5 / 3
    assert model.precisions_ == pytest.approx([p])
    assert model.class_prior_ == pytest.approx([2 / 6, 4 / 6])
    assert model.means_[:, 0] == pytest.approx([0, np.mean([p, p, 5])])
    assert model.deviations_[:, 0] == pytest.approx([p / 6, np.std([p, p, 5])])
    shares = [
        prior * (norm.cdf(p + p / 2, mean, deviation) - norm.cdf(p - p / 2, mean, deviation))
        for prior, mean, deviation in zip(model.class_prior_, model.means_[:, 0], model.deviations_[:, 0], strict=True)
    ]
    assert model.predict_proba([[1.2]])[0] == pytest.approx(np.divide(shares, sum(shares)))


def test_weights_of_a_naive_bayes_with_a_precision_are_repeated_rows():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(40, 3)), np.arange(40) % 2, rng.integers(0, 4, 40)
    weighted = PrecisionBayesClassifier().fit(X, y, weights)
    repeated = PrecisionBayesClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X))


def test_a_column_that_hardly_varies_in_a_class_does_not_rule_out_other_values():
    X = np.r_[np.zeros(50), 0.5, np.linspace(0, 3, 49)][:, None]
    y = np.r_[np.zeros(51), np.ones(49)]
    assert PrecisionBayesClassifier().fit(X, y).deviations_[0, 0] > GaussianNB().fit(X, y).var_[0, 0] ** 0.5 / 10
    constant = PrecisionBayesClassifier().fit(np.zeros((4, 1)), [0, 1, 1, 1])
    assert constant.precisions_.tolist() == [0.01]
    assert constant.predict_proba([[0.0], [9.0]]) == pytest.approx(np.tile([2 / 6, 4 / 6], (2, 1)))
