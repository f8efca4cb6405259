"""The least-squares pool against a general solver, and what its weights mean."""

import cvxpy as cp
import numpy as np
import pytest

from rotastack.combine import LeastSquaresWeights


def problem(n_rows=80, n_members=5, seed=0):
    """Members that know the target to different extents, the first nothing."""
    rng = np.random.default_rng(seed)
    y = 100 + 30 * rng.normal(size=n_rows)
    known = np.linspace(0, 0.8, n_members)[:, None]
    return known * y + (1 - known) * (50 + 30 * rng.normal(size=(n_members, n_rows))), y


outputs, y = problem()


@pytest.mark.parametrize(("n_members", "ridge", "weighted"), [(5, 0.5, False), (3, 20.0, True)])
def test_it_solves_its_convex_problem(n_members, ridge, weighted):
    outputs, y = problem(n_members=n_members)
    weight = np.random.default_rng(1).random(len(y)) if weighted else np.ones(len(y))
    pool = LeastSquaresWeights(ridge).fit(outputs, y, weight if weighted else None)
    variance = np.cov(y, aweights=weight, ddof=0)
    w, b = cp.Variable(n_members, nonneg=True), cp.Variable()
    loss = cp.sum(cp.multiply(weight / variance, cp.square(y - b - w @ outputs)))
    cp.Problem(cp.Minimize(loss + ridge * cp.sum_squares(w - 1 / n_members))).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(pool.weights_, w.value, atol=1e-5)
    assert pool.intercept_ == pytest.approx(b.value, rel=1e-4)


def test_units_do_not_matter():
    first, second = (LeastSquaresWeights().fit(outputs, y), LeastSquaresWeights().fit(7 + outputs / 1000, 7 + y / 1000))
    np.testing.assert_allclose(first.weights_, second.weights_, atol=1e-10)
    np.testing.assert_allclose(7 + first.predict(outputs) / 1000, second.predict(7 + outputs / 1000))


def test_a_ridge_that_is_lost_in_rounding():
    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    twin = y / 2 + 0.1 * rng.normal(size=50)
    best = np.polyfit(twin, y, 1)[0]
    for other in range(20):
        outputs = np.stack([twin, twin, 2 * twin, np.random.default_rng(1 + other).normal(size=50)])
        assert LeastSquaresWeights(1e-17).fit(outputs, y).weights_ @ [1, 1, 2, 0] == pytest.approx(best, rel=0.05)


def test_a_constant_target_and_no_rows():
    constant = LeastSquaresWeights().fit(outputs, np.full(len(y), 3.0))
    assert constant.predict(outputs).mean() == pytest.approx(3)
    assert LeastSquaresWeights().fit(np.empty((2, 0)), []).predict([[1.0], [3.0]]).tolist() == [2.0]


@pytest.mark.parametrize(
    ("ridge", "scale", "message"),
    [
        *((ridge, 1, "'ridge' parameter of LeastSquaresWeights must be a float") for ridge in (0, np.inf, np.nan)),
        (1.0, np.nan, "need finite predictions"),
    ],
)
def test_what_it_refuses(ridge, scale, message):
    with pytest.raises(ValueError, match=message):
        LeastSquaresWeights(ridge).fit(outputs * scale, y)


@pytest.mark.parametrize("n_members", [5, 9, 20])
def test_a_row_alone_is_predicted_as_in_company(n_members):
    outputs, y = problem(n_members=n_members)
    pool = LeastSquaresWeights().fit(outputs, y)
    alone = [pool.predict(outputs[:, i : i + 1])[0] for i in range(len(y))]
    assert pool.predict(outputs).tolist() == alone
