"""The primal SVM on data that are degenerate, extreme or large."""

import numpy as np
import pytest
from sklearn.svm import SVC
from tests.linear.problems import two_classes
from tests.linear.svms import check, fit, powers


def separable(d=3):
    X, y = two_classes(10, 40, d, noise=0.0)
    return X + y[:, None] * 0.5, y


@powers
@pytest.mark.parametrize("lam", [1e-2, 1.0, 1e6])
def test_separable_classes(p, lam):
    X, y = separable()
    X = X + 3 * y[:, None]
    model = fit(X, y, lam, p)
    check(model, X, y)
    if lam == 1e6:
        assert (y * model.decision_function(X) > 0.9).all()


def test_an_endless_lambda_is_the_hard_margin():
    X, y = separable()
    X = X + 3 * y[:, None]
    hard = fit(X, y, 1e8, 1, tol=1e-9, max_iter=5000)
    theirs = SVC(C=1e8, kernel="linear", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(hard.coef_, theirs.coef_, atol=1e-4)
    assert (y * hard.decision_function(X)).min() == pytest.approx(1.0, abs=1e-4)


@powers
@pytest.mark.parametrize("seed", [18, 22, 43, 103])
@pytest.mark.parametrize("lam", [1e3, 1e4, 1e5])
def test_a_large_lambda_on_six_columns_of_rank_two(p, seed, lam):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(60, 2))
    X, y = Z @ rng.normal(size=(2, 6)), np.where(Z[:, 0] > 0, 1.0, -1.0)
    check(fit(X, y, lam, p), X, y)


@powers
def test_an_endless_lambda_on_classes_that_overlap(p):
    X, y = two_classes(11, 50, 4, noise=2.0)
    check(fit(X, y, 1e6, p), X, y)


@powers
@pytest.mark.parametrize("lam", [1e-3, 1e-2, 1.0])
def test_one_row_of_each_class_has_a_closed_form(p, lam):
    X, y = np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([1.0, -1.0])
    model = fit(X, y, lam, p, tol=1e-10, max_iter=5000)
    # w = t (x+ - x-) and, by symmetry, equal losses: t solves t = lam p (1 - t q / 2)^(p-1), t <= 2 / q.
    q = ((X[0] - X[1]) ** 2).sum()
    low, high = 0.0, 2 / q
    for _ in range(200):
        t = (low + high) / 2
        low, high = (t, high) if t < lam * p * (1 - t * q / 2) ** (p - 1) else (low, t)
    np.testing.assert_allclose(model.coef_[0], t * (X[0] - X[1]), atol=1e-5)
    check(model, X, y)
    if p > 1:  # with the hinge, any intercept that leaves both rows a loss is as good
        assert model.decision_function(X).sum() == pytest.approx(0.0, abs=1e-5)


@powers
def test_one_row_of_one_class(p):
    rng = np.random.default_rng(12)
    X, y = rng.normal(size=(40, 5)), np.full(40, -1.0)
    y[17] = 1.0
    check(fit(X, y, 3.0, p), X, y)


@powers
@pytest.mark.parametrize("lam", [1e-3, 1.0, 1e2])
def test_heavy_imbalance(p, lam):
    rng = np.random.default_rng(13)
    X, y = rng.normal(size=(150, 4)), np.full(150, -1.0)
    y[:3] = 1.0
    X[:3] += 0.5
    check(fit(X, y, lam, p), X, y)
    balanced = fit(X, y, lam, p, class_weight="balanced")
    check(balanced, X, y, np.where(y > 0, 25.0, 75 / 147))


@powers
def test_rows_that_come_again(p):
    X, y = two_classes(14, 12, 4)
    X, y = np.tile(X, (6, 1)), np.tile(y, 6)
    check(fit(X, y, 1.0, p), X, y)


@powers
def test_rows_of_both_classes_at_one_place(p):
    X, y = np.zeros((8, 3)), np.array([1.0, -1.0] * 4)
    model = fit(X, y, 1.0, p)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-9)
    assert model.objective_ == pytest.approx(8.0, rel=1e-6)


@powers
@pytest.mark.parametrize("value", [0.0, 1.0, 50.0])
def test_a_constant_column_gets_no_weight(p, value):
    X, y = two_classes(15, 40, 5)
    model = fit(X, y, 1.0, p, tol=1e-9, max_iter=5000)
    X_more = np.column_stack([X[:, :2], np.full(40, value), X[:, 2:]])
    more = fit(X_more, y, 1.0, p, tol=1e-9, max_iter=5000)
    assert more.coef_[0, 2] == pytest.approx(0.0, abs=1e-4 / max(value, 1.0))
    np.testing.assert_allclose(np.delete(more.coef_[0], 2), model.coef_[0], atol=1e-4)
    if value == 0:
        assert more.coef_[0, 2] == 0
    check(more, X_more, y)


@powers
def test_a_column_that_comes_again_shares_its_weight(p):
    X, y = two_classes(16, 40, 5)
    X = np.column_stack([X, X[:, 0]])
    model = fit(X, y, 1.0, p, tol=1e-9, max_iter=5000)
    assert model.coef_[0, 0] == pytest.approx(model.coef_[0, 5], abs=1e-5)
    check(model, X, y)


@powers
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_small_and_large_features(p, scale):
    X, y = two_classes(17, 40, 5)
    model = fit(X * scale, y, 1.0, p)
    check(model, X * scale, y)
    # c X with lam / c^2 is X with lam, but for the unit of w.
    plain = fit(X, y, scale**2, p)
    assert model.objective_ == pytest.approx(plain.objective_ / scale**2, rel=3e-6)


@powers
@pytest.mark.filterwarnings("ignore:(?i).*scale:UserWarning")
def test_features_of_very_different_scales(p):
    X, y = two_classes(18, 40, 7)
    X = X * np.logspace(-3, 3, 7)
    check(fit(X, y, 1.0, p), X, y)


@powers
def test_data_far_from_the_origin(p):
    X, y = two_classes(19, 40, 4)
    near, far = fit(X, y, 1.0, p, tol=1e-9, max_iter=5000), fit(X + 1e4, y, 1.0, p, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-3)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-6)


@pytest.mark.parametrize(("n", "d"), [(300, 40), (100, 400)])
@pytest.mark.parametrize("p", [1, 2])
def test_more_rows_and_columns(p, n, d):
    X, y = two_classes(20, n, d)
    check(fit(X, y, 0.5, p), X, y)
