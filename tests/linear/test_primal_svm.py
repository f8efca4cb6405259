"""The primal SVM against cvxpy and scikit-learn, on ordinary data and where solvers like to fail."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC
from tests.linear import reference
from tests.linear.problems import three_classes, two_classes

from rotastack.linear import PrimalSVMClassifier

ALL_POWERS = (1, 1.5, 2, 3)
powers = pytest.mark.parametrize("p", ALL_POWERS)


def own_objective(model, X, y, weights=None):
    """Objective of a fitted model of the classes -1 and 1."""
    w, b = model.coef_[0], model.intercept_[0]
    return reference.svm_objective(X, y, w, b, model.lam, model.loss_power, model.beta, weights)


def fit(X, y, lam=1.0, p=2, weights=None, **options):
    """Fit without a single warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        return PrimalSVMClassifier(lam, loss_power=p, **options).fit(X, y, sample_weight=weights)


def check(model, X, y, weights=None, rtol=1e-6):
    """The objective is the minimum that cvxpy finds, the gap reported certifies it; returns cvxpy's w."""
    best, w, _ = reference.svm(X, y, model.lam, model.loss_power, model.beta, weights)
    ours = own_objective(model, X, y, weights)
    assert model.objective_ == pytest.approx(ours, rel=1e-9)
    assert ours == pytest.approx(best, rel=rtol)
    assert (ours - best) / ours - 1e-9 <= model.duality_gap_ <= rtol
    return w


@powers
@pytest.mark.parametrize("lam", [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4])
@pytest.mark.parametrize(("n", "d"), [(50, 5), (25, 60)])
def test_the_optimum_of_cvxpy(p, lam, n, d):
    X, y = two_classes(int(10 * p) + d, n, d)
    w = check(fit(X, y, lam, p), X, y)
    close = fit(X, y, lam, p, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(close.coef_[0], w, atol=1e-4 * max(1, np.abs(w).max()))


@powers
@pytest.mark.parametrize("lam", [1e-2, 1.0, 1e3])
def test_no_objective_is_below_the_dual_of_cvxpy(p, lam):
    X, y = two_classes(3, 40, 8)
    model = fit(X, y, lam, p)
    bound = reference.svm_lower_bound(X, y, lam, p)
    assert bound * (1 - 1e-12) <= model.objective_ <= bound * (1 + 1e-6)


@powers
@pytest.mark.parametrize("seed", range(3))
def test_weights_of_rows(p, seed):
    X, y = two_classes(seed, 45, 7)
    weights = np.random.default_rng(seed).exponential(size=45)
    weights[5:12] = 0
    model = fit(X, y, 2.0, p, weights)
    check(model, X, y, weights)
    seen = weights > 0
    absent = fit(X[seen], y[seen], 2.0, p, weights[seen])
    assert model.objective_ == pytest.approx(absent.objective_, rel=2e-6)


@powers
def test_weights_count_like_repeated_rows(p):
    X, y = two_classes(4, 30, 5)
    counts = np.random.default_rng(4).integers(1, 4, 30)
    weighted = fit(X, y, 0.7, p, counts, tol=1e-9, max_iter=5000)
    repeated = fit(np.repeat(X, counts, axis=0), np.repeat(y, counts), 0.7, p, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)


@powers
@pytest.mark.parametrize("beta", [0.05, 1.0, 8.0])
def test_sparsity_against_cvxpy(p, beta):
    X, y = two_classes(5, 50, 12)
    model = fit(X, y, 1.0, p, beta=beta)
    check(model, X, y)
    close = fit(X, y, 1.0, p, beta=beta, tol=1e-9, max_iter=5000)
    w = reference.svm(X, y, 1.0, p, beta)[1]
    np.testing.assert_allclose(close.coef_[0], w, atol=1e-4)


@powers
def test_sparsity_gives_zeros_not_small_numbers(p):
    X, y = two_classes(5, 50, 12)
    w = reference.svm(X, y, 1.0, p, beta=8.0)[1]
    assert (np.abs(w) < 1e-8).any()
    coef = fit(X, y, 1.0, p, beta=8.0).coef_[0]
    assert (coef[np.abs(w) < 1e-8] == 0).all()
    assert (coef[np.abs(w) > 1e-4] != 0).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lam", [0.1, 1.0, 30.0])
def test_the_squared_hinge_of_scikit_learn(seed, lam):
    X, y = two_classes(seed, 60, 6)
    ours = fit(X, y, lam, tol=1e-9)
    # A large constant feature makes the penalty of the intercept vanish.
    theirs = LinearSVC(C=lam, dual=False, intercept_scaling=1e3, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lam", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("d", [6, 90])
def test_the_hinge_of_scikit_learn(seed, lam, d):
    X, y = two_classes(seed, 60, d)
    ours = fit(X, y, lam, 1, tol=1e-9, max_iter=5000)
    theirs = SVC(C=lam, kernel="linear", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    clear = np.abs(theirs.decision_function(X)) > 1e-3
    assert (ours.predict(X)[clear] == theirs.predict(X)[clear]).all()


@pytest.mark.parametrize("p", [1, 2])
def test_labels_of_any_kind_and_a_positive_last_class(p):
    X, y = two_classes(8)
    labels = np.where(y > 0, "yes", "no")
    model = fit(X, labels, 1.0, p)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.coef_.shape == (1, X.shape[1])
    assert model.intercept_.shape == (1,)
    decision = model.decision_function(X)
    np.testing.assert_allclose(decision, X @ model.coef_[0] + model.intercept_[0], rtol=1e-9, atol=1e-12)
    assert (model.predict(X) == np.where(decision > 0, "yes", "no")).all()
    np.testing.assert_allclose(model.coef_, fit(X, y, 1.0, p).coef_)


@pytest.mark.parametrize("p", [1, 2])
def test_one_against_the_rest(p):
    X, labels = three_classes(0)
    model = fit(X, labels, 1.0, p)
    assert model.coef_.shape == (3, X.shape[1])
    assert np.shape(model.objective_) == np.shape(model.duality_gap_) == (3,)
    for k, name in enumerate("abc"):
        single = fit(X, np.where(labels == name, 1, -1), 1.0, p)
        np.testing.assert_allclose(model.coef_[k], single.coef_[0], atol=1e-9)
        np.testing.assert_allclose(model.intercept_[k], single.intercept_[0], atol=1e-9)
        assert model.objective_[k] == pytest.approx(single.objective_)
    assert (model.predict(X) == np.array(list("abc"))[model.decision_function(X).argmax(axis=1)]).all()


@pytest.mark.parametrize("p", [1, 2])
def test_weights_of_classes(p):
    X, y = two_classes(9, 50, 5)
    by_class = fit(X, y, 1.0, p, class_weight={-1.0: 3.0, 1.0: 0.5}, tol=1e-9, max_iter=5000)
    by_row = fit(X, y, 1.0, p, np.where(y > 0, 0.5, 3.0), tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, atol=1e-6)
    assert by_class.objective_ == pytest.approx(by_row.objective_, rel=1e-8)
    balanced = fit(X, y, 1.0, p, class_weight="balanced")
    check(balanced, X, y, np.where(y > 0, 25 / (y > 0).sum(), 25 / (y < 0).sum()))


# ---- what solvers like to fail at


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


@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_too_few_iterations_are_told(p):
    X, y = two_classes(21, 60, 20)
    with pytest.warns(ConvergenceWarning, match="above the optimum"):
        model = PrimalSVMClassifier(100.0, loss_power=p, max_iter=1, tol=1e-12).fit(X, y)
    best = reference.svm(X, y, 100.0, p)[0]
    assert model.duality_gap_ > 1e-12
    assert model.duality_gap_ >= (model.objective_ - best) / model.objective_ - 1e-9


@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_iterations_are_at_most_those_allowed(p):
    X, y = two_classes(21, 60, 20)
    with pytest.warns(ConvergenceWarning):
        model = PrimalSVMClassifier(100.0, loss_power=p, max_iter=1, tol=1e-12).fit(X, y)
    assert model.n_iter_ == 1


@pytest.mark.parametrize(("seed", "lam"), [(5, 1.0), (12, 100.0), (18, 100.0), (34, 1.0)])
def test_the_path_ends_where_the_objective_is_with_more_columns_than_rows(seed, lam):
    X, y = two_classes(seed, 40, 75)
    model = fit(X, y, lam, 1, beta=5.0)
    assert model.objective_path_[-1] == pytest.approx(model.objective_, rel=1e-6)


@powers
@pytest.mark.parametrize("lam", [0.1, 100.0])
def test_the_path_ends_where_the_objective_is(p, lam):
    X, y = two_classes(23, 40, 6)
    model = fit(X, y, lam, p)
    assert len(model.objective_path_) == model.n_iter_
    assert model.objective_path_[-1] == pytest.approx(model.objective_, rel=1e-9)
    assert model.objective_path_.min() >= model.objective_ * (1 - 1e-12)


def test_weights_below_zero_and_rows_without_a_class_left_are_refused():
    X, y = two_classes(0)
    with pytest.raises(ValueError, match=r"(?i)negative"):
        PrimalSVMClassifier().fit(X, y, sample_weight=np.where(np.arange(len(y)) == 3, -1.0, 1.0))
    with pytest.raises(ValueError, match="class"):
        PrimalSVMClassifier().fit(X, y, sample_weight=np.where(y > 0, 1.0, 0.0))


@powers
def test_a_tighter_tolerance_is_kept(p):
    X, y = two_classes(22, 40, 6)
    best = reference.svm(X, y, 1.0, p)[0]
    for tol in (1e-3, 1e-6, 1e-9):
        model = fit(X, y, 1.0, p, tol=tol, max_iter=5000)
        assert (model.objective_ - best) / best <= tol + 1e-10
        assert model.duality_gap_ <= tol


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"lam": 0.0}, "lam"),
        ({"lam": -1.0}, "lam"),
        ({"loss_power": 0.5}, "loss_power"),
        ({"beta": -0.1}, "beta"),
        ({"tol": -1.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"multi_class": "crammer"}, "multi_class"),
    ],
)
def test_values_out_of_range_are_refused_by_name(options, word):
    X, y = two_classes(0)
    with pytest.raises(ValueError, match=word):
        PrimalSVMClassifier(**options).fit(X, y)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("order", ["mixed", "by class", "one row of a class"])
def test_thousands_of_rows(p, lam, order):
    X, y = two_classes(24, 3000, 4)
    if order == "by class":
        X, y = X[np.argsort(y)], np.sort(y)
    if order == "one row of a class":
        y = np.where(np.arange(3000) == 1777, 1.0, -1.0)
    check(fit(X, y, lam, p), X, y)
