"""The primal SVM on data that are degenerate, extreme or large."""

import numpy as np
import pytest
from tests.linear.problems import two_classes
from tests.linear.svms import check, fit, powers
from tests.quick import first

from rotastack import PrimalSVMClassifier


def separable():
    X, y = two_classes(10, 40, 3, noise=0.0)
    return X + y[:, None] * 3.5, y


def of_rank_two(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(60, 2))
    return Z @ rng.normal(size=(2, 6)), np.where(Z[:, 0] > 0, 1.0, -1.0)


def few_of_one_class(n, d, few):
    X, y = np.random.default_rng(few).normal(size=(n, d)), np.where(np.arange(n) < few, 1.0, -1.0)
    return X + 0.5 * (y[:, None] > 0), y


def repeated():
    X, y = two_classes(14, 12, 4)
    return np.tile(X, (6, 1)), np.tile(y, 6)


def scaled(factors):
    X, y = two_classes(17, 40, 7)
    return X * factors, y


DATA = {
    "separable": (separable(), (1e-2, 1.0, 1e6)),
    **{f"rank two, {seed}": (of_rank_two(seed), (1e3, 1e4, 1e5)) for seed in (18, 22, 43, 103)},
    "overlap": (two_classes(11, 50, 4, noise=2.0), (1e6,)),
    "one row of one class": (few_of_one_class(40, 5, 1), (3.0,)),
    "imbalance": (few_of_one_class(150, 4, 3), (1e-3, 1.0, 1e2)),
    "repeated rows": (repeated(), (1.0,)),
    "rows of both classes at one place": ((np.zeros((8, 3)), np.array([1.0, -1.0] * 4)), (1.0,)),
    "small": (scaled(1e-3), (1.0,)),
    "large": (scaled(1e3), (1.0,)),
    "scales": (scaled(np.logspace(-3, 3, 7)), (1.0,)),
    "many rows": (two_classes(20, 300, 40), (0.5,)),
    "many columns": (two_classes(20, 100, 400), (0.5,)),
}


@pytest.mark.parametrize("p", first(2, [1.5, 1, 2, 3]))
@pytest.mark.parametrize("name", DATA)
@pytest.mark.filterwarnings("ignore:(?i).*scale:UserWarning")
def test_the_optimum_of_cvxpy(p, name):
    (X, y), lams = DATA[name]
    for lam in lams:
        check(fit(X, y, lam, p), X, y)


@powers
@pytest.mark.parametrize("value", [0.0, 1.0, 50.0])
def test_a_constant_column_gets_no_weight(p, value):
    X, y = two_classes(15, 40, 5)
    model = fit(X, y, 1.0, p, tol=1e-9, max_iter=5000)
    more = fit(np.column_stack([X, np.full(40, value)]), y, 1.0, p, tol=1e-9, max_iter=5000)
    assert more.coef_[0, 5] == pytest.approx(0.0, abs=1e-4 / max(value, 1.0))
    np.testing.assert_allclose(more.coef_[0, :5], model.coef_[0], atol=1e-4)


@powers
def test_data_far_from_the_origin(p):
    X, y = two_classes(19, 40, 4)
    near, far = fit(X, y, 1.0, p, tol=1e-9, max_iter=5000), fit(X + 1e4, y, 1.0, p, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-3)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-6)


@pytest.mark.parametrize("beta", [0, 1])
@pytest.mark.parametrize("lam", [1e-200, 1e200])
def test_a_solver_that_cannot_take_a_step_has_a_path(beta, lam):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    fitted = PrimalSVMClassifier(beta=beta, lam=lam).fit(X, y)
    assert len(fitted.objective_path_) == fitted.n_iter_ >= 1
