"""Any view made random, as members of a pool need it."""

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from tests.quick import first

from rotastack import PooledEnsembleClassifier
from rotastack.trees import C45Classifier
from rotastack.views import RandomizedView, RandomProjection, RandomSubspace

ISOMAP = Isomap(n_components=5, eigen_solver="dense")
EMBEDDING = LocallyLinearEmbedding(n_components=5, eigen_solver="dense")
KERNEL = KernelPCA(5, kernel="rbf", eigen_solver="dense")
REDUCERS = [
    RandomizedView(ISOMAP, {"n_neighbors": range(5, 30)}, n_landmarks=80),
    RandomizedView(EMBEDDING, {"n_neighbors": range(10, 30)}, n_landmarks=80),
    RandomizedView(KERNEL, {"gamma": loguniform(0.05, 1)}, n_landmarks=80),
    RandomProjection(kind="sparse"),
]
TABLES = {"wine": load_wine, "digits": load_digits}


def points(n, p, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def of(view):
    return type(getattr(view, "view", view)).__name__


@pytest.mark.parametrize("view", REDUCERS, ids=of)
@pytest.mark.parametrize(("table", "least"), first(1, [("wine", 0.88), ("digits", 0.85)]))
def test_it_makes_an_ensemble_of_any_reducer(view, table, least):
    X, y = TABLES[table](return_X_y=True)
    X, T, y, t = train_test_split(X[:300], y[:300], test_size=0.4, stratify=y[:300], random_state=0)
    one, two = (
        PooledEnsembleClassifier(view, KNeighborsClassifier(1), n_estimators=8, n_jobs=jobs, random_state=0)
        for jobs in (1, 2)
    )
    proba = one.fit(X, y).predict_proba(T)
    np.testing.assert_array_equal(two.fit(X, y).predict_proba(T), proba)
    assert np.mean(proba.argmax(axis=1) == t) > least
    seen = [m.view.transform(one.pool_.scaled(T)[0]) for m in one.pool_.members]
    assert not any(np.allclose(a, b, rtol=0.01) for k, a in enumerate(seen) for b in seen[:k])
    assert np.unique(one.member_votes(T), axis=1).shape[1] >= 4  # members decide differently


def test_the_view_is_that_of_the_drawn_parameters_and_rows():
    X = points(60, 4)
    view = RandomizedView(KERNEL, {"gamma": loguniform(0.1, 10), "degree": [2, 4]}, 30, random_state=3).fit(X)
    assert len(set(view.landmark_rows_)) == 30
    assert (np.diff(view.landmark_rows_) > 0).all()
    assert set(view.params_) == {"gamma", "degree"}
    assert view.params_["degree"] in (2, 4)
    assert 0.1 < view.params_["gamma"] < 10
    every = clone(view).set_params(n_landmarks=None).fit(X)
    assert every.params_ == view.params_  # landmarks do not change what is drawn
    assert len(every.landmark_rows_) == 60
    plain = clone(KERNEL).set_params(**view.params_).fit(X[view.landmark_rows_])
    np.testing.assert_allclose(view.transform(X), plain.transform(X), atol=1e-12)
    assert KERNEL.gamma is None


def test_landmarks_are_distinct():
    X = np.repeat(points(20, 3), 3, axis=0)
    rows = RandomizedView(KERNEL, {}, n_landmarks=50, random_state=0).fit(X).landmark_rows_
    assert len(rows) == len(np.unique(X[rows], axis=0)) == 20


@pytest.mark.parametrize(("reducer", "error"), [(ISOMAP, 1e-6), (EMBEDDING, 0.1), (KERNEL, 1e-10)], ids=of)
def test_training_rows_are_extended_too(reducer, error):
    X = load_wine().data / load_wine().data.max(axis=0)
    view = RandomizedView(reducer, {"n_neighbors": [12]} if reducer is not KERNEL else {}, random_state=0)
    Z = view.fit_transform(X)
    np.testing.assert_array_equal(Z, view.transform(X))
    own = clone(view.view_).fit_transform(X)
    assert np.linalg.norm(Z - own) <= error * np.linalg.norm(own)
    assert np.linalg.norm(Z - own) > 0 or reducer is not EMBEDDING


@pytest.mark.parametrize("view", REDUCERS[:3], ids=of)
def test_another_seed_is_another_view_also_in_single_precision(view):
    X = (load_wine().data / load_wine().data.max(axis=0)).astype(np.float32)
    first, other = (clone(view).set_params(random_state=seed).fit(X).transform(X) for seed in (2, 3))
    assert not np.allclose(other, first, rtol=0.01)
    assert (first.dtype, first.shape) == (np.float32, (len(X), 5))


def test_every_seed_of_the_view_is_set_unless_it_is_drawn():
    X = points(30, 5)
    nested = make_pipeline(RandomProjection(4), RandomSubspace(2))
    a, b = (RandomizedView(nested, {}, random_state=s).fit(X).view_ for s in (0, 1))
    assert a.named_steps["randomprojection"].random_state != b.named_steps["randomprojection"].random_state
    assert a.named_steps["randomsubspace"].random_state is not None
    drawn = RandomizedView(nested, {"randomprojection__random_state": [7]}, random_state=0).fit(X)
    assert drawn.view_.named_steps["randomprojection"].random_state == 7


def test_targets_are_those_of_the_landmarks():
    X, y = load_wine(return_X_y=True)
    view = RandomizedView(LinearDiscriminantAnalysis(), {"n_components": [1, 2]}, 90, random_state=0).fit(X, y)
    plain = LinearDiscriminantAnalysis().fit(X[view.landmark_rows_], y[view.landmark_rows_])
    np.testing.assert_allclose(view.view_.coef_, plain.coef_)


def test_a_linear_view_stays_one():
    X, y = load_wine(return_X_y=True)
    view = RandomizedView(RandomProjection(), {"n_components": [3, 6, 9]})
    model = PooledEnsembleClassifier(view, C45Classifier(), n_estimators=9, random_state=0).fit(X, y)
    assert model.pool_.grown is not None  # grown in one call
    widths = {m.view.transform(X).shape[1] for m in model.pool_.members}
    assert widths == {3, 6, 9}
    assert not hasattr(RandomizedView(ISOMAP, {}), "linear_parts")


def test_names_are_those_of_the_view():
    X = points(30, 4)
    subspace = RandomizedView(RandomSubspace(2), {}, random_state=0).fit(X)
    names = ["abcd"[j] for j in subspace.view_.features_]
    assert subspace.get_feature_names_out(list("abcd")).tolist() == names
    isomap = RandomizedView(Isomap(n_components=2), {}, random_state=0).fit(X)
    assert isomap.get_feature_names_out().tolist() == ["isomap0", "isomap1"]


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (
            RandomizedView(ISOMAP, {"n_neighbors": [50]}, 30),
            "Isomap on 30 rows, n_neighbors=50: Expected n_neighbors <",
        ),
        (RandomizedView(KERNEL, {"gama": [1.0]}), "Invalid parameter 'gama' for estimator KernelPCA"),
        (RandomizedView(KERNEL, None), "'param_distributions' parameter of RandomizedView must be"),
        (RandomizedView(None, {}), "implementing 'fit' and 'transform'"),
    ],
)
def test_bad_input(view, message):
    with pytest.raises(ValueError, match=message):
        view.fit(points(60, 6))
