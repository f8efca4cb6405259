"""The primal SVM against cvxpy and scikit-learn, on ordinary data and where solvers like to fail."""

import numpy as np
import pytest
from tests.linear.problems import two_classes
from tests.linear.svms import check, fit, powers
from tests.quick import first

from rotastack import PrimalSVMClassifier

PLAIN = [(n, d, lam, 0.0) for n, d in ((50, 5), (25, 60)) for lam in (1e-3, 0.1, 10.0, 1e4)]
SPARSE = [(50, 12, 1.0, beta) for beta in (0.05, 1.0, 8.0)]


@powers
@pytest.mark.parametrize(("n", "d", "lam", "beta"), PLAIN + SPARSE)
def test_the_optimum_of_cvxpy(p, n, d, lam, beta):
    X, y = two_classes(int(10 * p) + d, n, d)
    model = fit(X, y, lam, p, beta=beta)
    w = check(model, X, y)
    close = fit(X, y, lam, p, beta=beta, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(close.coef_[0], w, atol=1e-4 * max(1, np.abs(w).max()))
    if beta:  # zeros, not small numbers
        assert (model.coef_[0][np.abs(w) < 1e-8] == 0).all()
        assert (model.coef_[0][np.abs(w) > 1e-4] != 0).all()
        assert (np.abs(w) < 1e-8).any() or beta < 8


@powers
@pytest.mark.parametrize("seed", range(3))
def test_weights_of_rows(p, seed):
    X, y = two_classes(seed, 45, 7)
    weights = np.random.default_rng(seed).exponential(size=45)
    weights[5:12] = 0
    check(fit(X, y, 2.0, p, weights), X, y, weights)


@powers
@pytest.mark.parametrize("lam", [0.1, 100.0])
def test_the_path_ends_where_the_objective_is(p, lam):
    X, y = two_classes(23, 40, 6)
    model = fit(X, y, lam, p)
    assert len(model.objective_path_) == model.n_iter_
    assert model.objective_path_[-1] == pytest.approx(model.objective_, rel=1e-9)
    assert model.objective_path_.min() >= model.objective_ * (1 - 1e-12)


@pytest.mark.parametrize(("weight", "message"), [(-1.0, r"(?i)negative"), (0.0, "class")])
def test_weights_below_zero_and_rows_without_a_class_left_are_refused(weight, message):
    X, y = two_classes(0)
    with pytest.raises(ValueError, match=message):
        PrimalSVMClassifier().fit(X, y, sample_weight=np.where(y > 0, 1.0, weight))


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("lam", first(2, [1e-4, 100.0, 1e-2, 1.0]))
@pytest.mark.parametrize("order", ["mixed", "by class", "one row of a class"])
def test_thousands_of_rows(p, lam, order):
    X, y = two_classes(24, 3000, 4)
    if order == "by class":
        X, y = X[np.argsort(y)], np.sort(y)
    if order == "one row of a class":
        y = np.where(np.arange(3000) == 1777, 1.0, -1.0)
    check(fit(X, y, lam, p), X, y)
