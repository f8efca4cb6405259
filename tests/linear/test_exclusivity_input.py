"""What the exclusivity regularised machine takes, refuses and returns."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from tests.linear import reference
from tests.linear.machines import CLOSE, FIXED, check, every_solver, fit, own_disagreement
from tests.linear.problems import three_classes, two_classes

from rotastack import ExclusivityRegularizedClassifier


@pytest.mark.parametrize("options", [{}, FIXED], ids=str)
@pytest.mark.parametrize("p", [1, 2])
def test_one_against_the_rest(options, p):
    X, labels = three_classes(2)
    model = fit(X, labels, 3, 1.0, p, **options)
    d = X.shape[1]
    assert model.coef_.shape == (3, d)
    assert model.intercept_.shape == (3,)
    assert model.coef_members_.shape == (3, 3, d)
    assert model.intercept_members_.shape == (3, 3)
    assert np.shape(model.objective_) == np.shape(model.duality_gap_) == np.shape(model.n_iter_) == (3,)
    assert len(model.objective_path_) == 3
    for k, name in enumerate("abc"):
        single = fit(X, np.where(labels == name, 1, -1), 3, 1.0, p, **options)
        np.testing.assert_allclose(model.coef_members_[k], single.coef_members_, atol=1e-9)
        np.testing.assert_allclose(model.intercept_members_[k], single.intercept_members_, atol=1e-9)
        assert model.objective_[k] == pytest.approx(single.objective_)
        np.testing.assert_allclose(model.objective_path_[k], single.objective_path_)


def test_decisions_of_three_classes():
    X, labels = three_classes(3)
    model = fit(X, labels, 4, max_samples=0.5, max_iter=20_000, random_state=0)
    members = np.einsum("nd,kcd->nkc", X, model.coef_members_) + model.intercept_members_
    mean = model.decision_function(X)
    assert mean.shape == (len(X), 3)
    np.testing.assert_allclose(mean, members.mean(axis=2), atol=1e-10)
    np.testing.assert_allclose(mean, X @ model.coef_.T + model.intercept_, atol=1e-10)
    assert (model.predict(X) == np.array(list("abc"))[mean.argmax(axis=1)]).all()
    # As of the members of one against the rest, mean over classes.
    apart = [own_disagreement(members[:, k] > 0) for k in range(3)]
    assert model.disagreement_ == pytest.approx(np.mean(apart))


def test_decisions_of_two_classes():
    X, y = two_classes(53, 40, 5)
    labels = np.where(y > 0, "yes", "no")
    model = fit(X, labels, 6, max_samples=0.5, max_iter=20_000, random_state=0)
    assert model.classes_.tolist() == ["no", "yes"]
    members, mean = X @ model.coef_members_.T + model.intercept_members_, model.decision_function(X)
    assert mean.shape == (40,)
    assert model.coef_.shape == (1, 5)
    assert model.intercept_.shape == (1,)
    np.testing.assert_allclose(mean, members.mean(axis=1), atol=1e-10)
    np.testing.assert_allclose(mean, X @ model.coef_[0] + model.intercept_[0], atol=1e-10)
    assert (model.predict(X) == np.where(mean > 0, "yes", "no")).all()
    assert not hasattr(model, "predict_proba")


@every_solver
def test_single_precision(solver):
    X, y = two_classes(54, 40, 5)
    X = X.astype(np.float32)
    single, double = (fit(data, y, 3, **CLOSE[solver]) for data in (X, X.astype(float)))
    np.testing.assert_allclose(single.coef_members_, double.coef_members_, atol=1e-5)
    np.testing.assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-4)


@every_solver
def test_one_column_and_few_rows(solver):
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1, -1, 1])
    model = fit(X, y, 2, **CLOSE[solver])
    best = reference.exrm(X, y.astype(float), 2.0, 2)[0]
    check(model, X, y.astype(float), best, rtol=1e-6 if solver != "alm" else 1e-4)


@pytest.mark.parametrize("p", [1, 2])
def test_rows_that_are_all_equal(p):
    X, y = np.full((12, 2), 3.0), np.where(np.arange(12) < 4, 1.0, -1.0)
    model = fit(X, y, 2, 1.5, p)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-3)
    best = reference.exrm(X, y, 1.5, 2, p)[0]
    check(model, X, y, best)
    assert (model.predict(X) == -1).all()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"lam": 0.0}, "lam"),
        ({"lam": -2.0}, "lam"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"loss_power": 0.9}, "loss_power"),
        ({"beta": -1.0}, "beta"),
        ({"solver": "newton"}, "solver"),
        ({"solver": "alm", "w_step": "sorting"}, "w_step"),
        ({"solver": "alm", "init": "zeros"}, "init"),
        ({"solver": "alm", "mu0": 0.0}, "mu0"),
        ({"solver": "alm", "rho": 0.9}, "rho"),
        ({"solver": "alm", "tol": "papers"}, "tol"),
        ({"tol": -1e-3}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"max_samples": 0}, "max_samples"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"max_samples": 41}, "max_samples"),
        ({"multi_class": "ovo"}, "multi_class"),
    ],
)
def test_values_out_of_range_are_refused_by_name(options, word):
    X, y = two_classes(0, 40)
    with pytest.raises(ValueError, match=word):
        ExclusivityRegularizedClassifier(**options).fit(X, y)


def test_targets_that_cannot_be_learned():
    X, labels = three_classes(0)
    with pytest.raises(ValueError, match=r"multi_class|classes"):
        ExclusivityRegularizedClassifier(multi_class="off").fit(X, labels)
    ExclusivityRegularizedClassifier(multi_class="off").fit(X, labels == "a")
    with pytest.raises(ValueError, match="class"):
        ExclusivityRegularizedClassifier().fit(X, np.zeros(len(X)))


@every_solver
def test_data_that_cannot_be_learned(solver):
    X, y = two_classes(0)
    holes = X.copy()
    holes[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ExclusivityRegularizedClassifier(solver=solver).fit(holes, y)
    with pytest.raises((TypeError, ValueError), match=r"(?i)sparse"):
        ExclusivityRegularizedClassifier(solver=solver).fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match=r"inconsistent|samples"):
        ExclusivityRegularizedClassifier(solver=solver).fit(X, y[:-1])
    model = fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :-1])


def test_columns_of_very_different_scales_are_told():
    X, y = two_classes(55, 40, 4)
    with pytest.warns(UserWarning, match="(?i)scale"):
        ExclusivityRegularizedClassifier(3).fit(X * [1, 1e4, 1, 1], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ExclusivityRegularizedClassifier(3).fit(X * [1, 10, 1, 0.1], y)
        # A column that is all zero has no scale.
        ExclusivityRegularizedClassifier(3).fit(X * [1, 0, 1, 1], y)


def test_fitting_again_forgets():
    X, y = two_classes(56, 40, 5)
    X_other, labels = three_classes(4)
    model = ExclusivityRegularizedClassifier(3, random_state=0)
    twice = model.fit(X_other, labels).fit(X, y)
    once = ExclusivityRegularizedClassifier(3, random_state=0).fit(X, y)
    assert vars(twice).keys() == vars(once).keys()
    np.testing.assert_array_equal(twice.coef_members_, once.coef_members_)
