"""The exclusivity regularised machine against cvxpy, and the theorem on what its optimum is."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.linear import reference
from tests.linear.machines import CLOSE, FIXED, check, columns, fit, powers, problems, solved
from tests.linear.problems import two_classes
from tests.quick import first

from rotastack import ExclusivityRegularizedClassifier, PrimalSVMClassifier

# ---- the optimum


@problems
def test_the_optimum_of_cvxpy(seed):
    one, best, w, _ = solved(seed)
    data = one["X"], one["y"]
    model = fit(*data, one["C"], one["lam"], one["p"], one["weights"])
    check(model, *data, best, one["weights"])
    close = fit(*data, one["C"], one["lam"], one["p"], one["weights"], tol=1e-9)
    check(close, *data, best, one["weights"])
    np.testing.assert_allclose(close.coef_[0], w, atol=1e-4)


@problems
def test_the_paper_s_iteration_with_a_fixed_penalty_reaches_the_optimum(seed):
    one, best, _, _ = solved(seed)
    model = fit(one["X"], one["y"], one["C"], one["lam"], one["p"], one["weights"], **FIXED)
    check(model, one["X"], one["y"], best, one["weights"], rtol=1e-4)


@pytest.mark.parametrize("seed", [65, 71, 92])
def test_a_plateau_of_the_objective_is_not_the_end(seed):
    # The objective stays as it is for hundreds of iterations while a multiplier grows towards its bound; the
    # constraint U = 1 - A P - y b does not hold yet.
    X, y = two_classes(seed, 40, 3, noise=0.5)
    best = reference.exrm(X, y, 8.0, 3, 1)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ExclusivityRegularizedClassifier(3, 8.0, loss_power=1, **FIXED).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=1e-5)


# ---- the theorem


@powers
@pytest.mark.parametrize("C", first(1, [4, 1, 10]))
@pytest.mark.parametrize("beta", [0.0, 0.6])
def test_the_ensemble_is_the_primal_svm_of_lambda_over_C(p, C, beta):
    for seed, (n, d) in enumerate([(50, 6), (20, 35)]):
        X, y = two_classes(seed, n, d)
        model = fit(X, y, C, 3.0, p, beta=beta, tol=1e-9, max_iter=5000)
        single = PrimalSVMClassifier(3.0 / C, loss_power=p, beta=beta / C, tol=1e-9, max_iter=5000).fit(X, y)
        np.testing.assert_allclose(model.coef_, single.coef_, atol=1e-4)
        assert model.objective_ == pytest.approx(C**2 * single.objective_, rel=1e-7)
        best, W, _ = reference.exrm(X, y, 3.0, C, p, beta)
        np.testing.assert_allclose(model.coef_[0], W.mean(axis=1), atol=1e-4)
        assert model.objective_ == pytest.approx(best, rel=1e-7)
        # Its members are copies.
        assert (model.coef_members_ == model.coef_members_[0]).all()
        assert model.disagreement_ == 0


def deciding_rank(X, y, w, b, p):
    """Rank of the rows that hold the columns together: at the kink (p = 1), with a loss (p > 1); a 1 appended."""
    margins = y * (X @ w + b)
    rows = np.abs(margins - 1) < 1e-6 if p == 1 else margins < 1 - 1e-4
    return np.linalg.matrix_rank(np.column_stack([X, np.ones(len(X))])[rows])


@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_columns_are_equal_where_the_deciding_rows_have_full_rank(p):
    full = 0
    for seed in range(60, 66):
        X, y = two_classes(seed, 40, 3, noise=0.5)
        _, W, b = reference.exrm(X, y, 8.0, 3, p)
        if deciding_rank(X, y, W.mean(axis=1), b.mean(), p) == X.shape[1] + 1:
            full += 1
            np.testing.assert_allclose(W, np.repeat(W.mean(axis=1)[:, None], 3, axis=1), atol=1e-4)
            random = fit(X, y, 3, 8.0, p, random_state=seed, **FIXED | {"init": "random"})
            np.testing.assert_allclose(random.coef_members_, W.T, atol=1e-3)
    assert full >= 4


def test_columns_can_differ_although_X_has_full_rank_hinge():
    # Both rows have a loss and none is at its kink: only the sum of the weights counts.
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    assert np.linalg.matrix_rank(np.column_stack([X, np.ones(2)])) == 2
    best = reference.exrm(X, y, 0.5, 2, 1)[0]
    assert best == pytest.approx(1.5, rel=1e-8)
    for W in ([[0.5, 0.5]], [[1.0, 0.0]], [[0.3, 0.7]]):
        assert reference.exrm_objective(X, y, np.array(W), np.zeros(2), 0.5, 1) == pytest.approx(1.5)
    model = fit(X, y, 2, 0.5, 1)
    assert model.objective_ == pytest.approx(1.5, rel=1e-6)
    assert model.coef_[0, 0] == pytest.approx(0.5, abs=1e-3)


def test_columns_can_differ_although_X_has_full_rank_squared_hinge():
    # The third row gives X its rank but has no loss: along (1, -1) nothing changes. By symmetry w = (a, a), b = 0,
    # and a - 4 (1 - 2 a) = 0.
    X, y = np.array([[1.0, 1.0], [-1.0, -1.0], [9.0, 7.0]]), np.array([1.0, -1.0, 1.0])
    assert np.linalg.matrix_rank(np.column_stack([X, np.ones(3)])) == 3
    best, a = reference.exrm(X, y, 2.0, 2, 2)[0], 4 / 9
    for delta in (0.0, 0.2, -0.35):
        W = np.array([[a + delta, a - delta], [a - delta, a + delta]])
        assert reference.exrm_objective(X, y, W, np.zeros(2), 2.0, 2) == pytest.approx(best, rel=1e-8)
    model = fit(X, y, 2, 2.0, 2)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(model.coef_[0], a, atol=1e-3)


@powers
@pytest.mark.parametrize("seed", range(5))
def test_the_ensemble_loses_no_more_than_its_members_on_average(p, seed):
    X, y = two_classes(seed)
    rng = np.random.default_rng(seed)
    W, b = rng.normal(size=(X.shape[1], 7)) * 10.0 ** rng.uniform(-2, 1), rng.normal(size=7)
    members = reference.hinge(X, y, W, b, p).sum(axis=0)
    mean = W.mean(axis=1, keepdims=True), b.mean(keepdims=True)
    assert reference.hinge(X, y, *mean, p).sum() <= members.mean() * (1 + 1e-12)
    model = fit(X, y, 5, 2.0, p, max_samples=0.5, max_iter=20_000, random_state=seed)
    of_members = reference.hinge(X, y, *columns(model), p).sum(axis=0)
    of_mean = reference.hinge(X, y, model.coef_.T, model.intercept_, p).sum()
    assert of_mean <= of_members.mean() * (1 + 1e-12)
    assert len(np.unique(of_members.round(9))) > 1


# ---- sparsity, weights


@powers
@pytest.mark.parametrize("beta", [0.1, 2.0, 30.0])
def test_sparsity_against_cvxpy(p, beta):
    X, y = two_classes(42, 40, 12)
    best, W, _ = reference.exrm(X, y, 1.0, 4, p, beta)
    w = W.mean(axis=1)
    model = fit(X, y, 4, 1.0, p, beta=beta, tol=1e-9)
    check(model, X, y, best)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-4)


@powers
def test_weights_of_rows(p):
    X, y = two_classes(43, 40, 6)
    rng = np.random.default_rng(43)
    options = CLOSE["exact"]
    counts = rng.integers(1, 4, 40)
    weighted = fit(X, y, 3, 2.0, p, counts, **options)
    repeated = fit(np.repeat(X, counts, axis=0), np.repeat(y, counts), 3, 2.0, p, **options)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7)
    some = np.where(np.arange(40) % 4 == 3, 0.0, 1.0)
    zero = fit(X, y, 3, 2.0, p, some, **options)
    absent = fit(X[some > 0], y[some > 0], 3, 2.0, p, **options)
    np.testing.assert_allclose(zero.coef_, absent.coef_, atol=1e-4)
    assert zero.objective_ == pytest.approx(absent.objective_, rel=1e-7)
    check(zero, X, y, reference.exrm(X, y, 2.0, 3, p, weights=some)[0], some)
